import type { PromiseId } from '../proof/promise-list.ts'
import { ADMISSION_MUTANTS } from './admission-mutants.ts'
import { BROWSER_HOST_MUTANTS } from './browser-host-mutants.ts'
import { DESK_MUTANTS } from './desk-mutants.ts'
import { DESK_QUEUE_MUTANTS } from './desk-queue-mutants.ts'
import { DESKTOP_MUTANTS } from './desktop-mutants.ts'
import { GATEWAY_ANSWER_MUTANTS } from './gateway-answer-mutants.ts'
import { GATEWAY_DOOR_MUTANTS } from './gateway-door-mutants.ts'
import { GATEWAY_MUTANTS } from './gateway-mutants.ts'
import { HARDENING_MUTANTS } from './hardening-mutants.ts'
import { HOSTILE_MUTANTS } from './hostile-mutants.ts'
import { NETWORK_MUTANTS } from './network-mutants.ts'
import { ORDER_MUTANTS } from './order-mutants.ts'
import { ORDER_SWITCH_MUTANTS } from './order-switch-mutants.ts'
import { PACKAGING_MUTANTS } from './packaging-mutants.ts'
import { PLAN_MUTANTS } from './plan-mutants.ts'
import { PRIVATE_FILES_MUTANTS } from './private-files-mutants.ts'
import { QUOTA_MUTANTS } from './quota-mutants.ts'
import { REQUEST_MUTANTS } from './request-mutants.ts'
import { SHARED_STREAM_MUTANTS } from './shared-stream-mutants.ts'
import { SIGN_IN_MUTANTS } from './sign-in-mutants.ts'
import { STATUS_MUTANTS } from './status-mutants.ts'
import { STORAGE_MUTANTS } from './storage-mutants.ts'
import { STREAM_MUTANTS } from './stream-mutants.ts'
import { TOKEN_MUTANTS } from './token-mutants.ts'
import { UNATTENDED_MUTANTS } from './unattended-mutants.ts'
import { WINDOW_MUTANTS } from './window-mutants.ts'

/**
 * A deliberate defect in the source. It compiles, and the named test fails by an assertion.
 *
 * It represents a promise, or restores a defect that an attack found. There is one for each part of either.
 * StrykerJS covers conditions, operators, calls and constants that merely have to be noticed
 * (`test/mutation/run.ts`).
 */
export interface Mutant {
  readonly promise: PromiseId
  readonly what: string
  readonly file: string
  /** Occurs exactly once in the file. */
  readonly find: string
  readonly replace: string
  /**
   * Path under test/ of the test that fails: a file of unit tests, or a `.spec.ts` if only a browser notices
   * the defect. If absent, the unit tests at the path of `file`.
   */
  readonly test?: string
  /** In a spec, only the tests with this text in their title. */
  readonly grep?: string
  /**
   * The defect that an attack on real processes, files, clocks or proxies once found, and that the mutant
   * restores. Mutants with the same text belong to one finding.
   */
  readonly found?: string
  /**
   * Tests that failed because of the finding. Each is part of a test's name in the mutant's file of tests, or
   * in the named file under test/.
   */
  readonly tests?: readonly (string | readonly [file: string, name: string])[]
}

/** A mutant with its test in any case. */
export interface RegisteredMutant extends Mutant {
  readonly test: string
}

/** The test that passes before the mutant is applied, and fails after it. */
export type Proof = Pick<RegisteredMutant, 'test' | 'grep'>

const WRITTEN: readonly Mutant[] = [
  ...TOKEN_MUTANTS,
  ...QUOTA_MUTANTS,
  ...HARDENING_MUTANTS,
  ...DESK_MUTANTS,
  ...DESK_QUEUE_MUTANTS,
  ...DESKTOP_MUTANTS,
  ...STREAM_MUTANTS,
  ...STORAGE_MUTANTS,
  ...PRIVATE_FILES_MUTANTS,
  ...SIGN_IN_MUTANTS,
  ...BROWSER_HOST_MUTANTS,
  ...WINDOW_MUTANTS,
  ...STATUS_MUTANTS,
  ...HOSTILE_MUTANTS,
  ...REQUEST_MUTANTS,
  ...NETWORK_MUTANTS,
  ...ADMISSION_MUTANTS,
  ...ORDER_MUTANTS,
  ...PACKAGING_MUTANTS,
  ...UNATTENDED_MUTANTS,
  ...GATEWAY_MUTANTS,
  ...GATEWAY_ANSWER_MUTANTS,
  ...GATEWAY_DOOR_MUTANTS,
  ...PLAN_MUTANTS,
  ...SHARED_STREAM_MUTANTS,
  ...ORDER_SWITCH_MUTANTS,
]

export const MUTANTS: readonly RegisteredMutant[] = WRITTEN.map((mutant) => ({
  test: mutant.file.replace(/\.tsx?$/, '.test.ts'),
  ...mutant,
}))
