import { ADMISSION_SABOTAGES } from './admission-breaks.ts'
import { BROWSER_HOST_SABOTAGES } from './browser-host-breaks.ts'
import { DESKTOP_SABOTAGES } from './desktop-breaks.ts'
import { HARDENING_SABOTAGES } from './hardening-breaks.ts'
import { HOSTILE_SABOTAGES } from './hostile-breaks.ts'
import { NETWORK_SABOTAGES } from './network-breaks.ts'
import { PACKAGING_SABOTAGES } from './packaging-breaks.ts'
import { PRIVATE_FILES_SABOTAGES } from './private-files-breaks.ts'
import { QUOTA_SABOTAGES } from './quota-breaks.ts'
import { REQUEST_SABOTAGES } from './request-breaks.ts'
import { SIGN_IN_SABOTAGES } from './sign-in-breaks.ts'
import { STATUS_SABOTAGES } from './status-breaks.ts'
import { STORAGE_SABOTAGES } from './storage-registry.ts'
import { STREAM_SABOTAGES } from './stream-breaks.ts'
import { TOKEN_SABOTAGES } from './token-breaks.ts'
import { UNATTENDED_SABOTAGES } from './unattended-breaks.ts'
import { WINDOW_SABOTAGES } from './window-breaks.ts'

/** One deliberate break. It type-checks, and the test it names turns red by an assertion; or the promise is only claimed. */
export interface Sabotage {
  /** As in the list of promises. */
  readonly promise: string
  readonly what: string
  readonly file: string
  /** Occurs exactly once in the file. */
  readonly find: string
  readonly replace: string
  /** Path under test/ of what notices it: a file of unit tests, or a `.spec.ts` of what only a browser can notice. */
  readonly test: string
  /** Of a spec, only the tests with this in their title. */
  readonly grep?: string
}

/** What must be green before the break, and red after it. */
export type Proof = Pick<Sabotage, 'test' | 'grep'>

export const SABOTAGES: readonly Sabotage[] = [
  ...TOKEN_SABOTAGES,
  ...QUOTA_SABOTAGES,
  ...HARDENING_SABOTAGES,
  ...DESKTOP_SABOTAGES,
  ...STREAM_SABOTAGES,
  ...STORAGE_SABOTAGES,
  ...PRIVATE_FILES_SABOTAGES,
  ...SIGN_IN_SABOTAGES,
  ...BROWSER_HOST_SABOTAGES,
  ...WINDOW_SABOTAGES,
  ...STATUS_SABOTAGES,
  ...HOSTILE_SABOTAGES,
  ...REQUEST_SABOTAGES,
  ...NETWORK_SABOTAGES,
  ...ADMISSION_SABOTAGES,
  ...PACKAGING_SABOTAGES,
  ...UNATTENDED_SABOTAGES,
]
