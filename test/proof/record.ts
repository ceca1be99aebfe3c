import { appendFileSync } from 'node:fs'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { type Level, PROMISE_IDS, type PromiseId } from './promise-list.ts'

/** Set by `npm run promises`: the file to which every test that proves something adds a line. */
const RECORD_VARIABLE = 'HEADROOM_PROOFS'
const root = fileURLToPath(new URL('..', import.meta.url))

/**
 * How a promise was tested.
 *
 * Levels: 1 an example, 2 a property or an exhaustive sweep, 3 a fault on a real process or socket, 4 a real
 * browser or the packaged build. `cases` is the number of cases that the test counted or requested from its
 * property.
 */
export interface Proof {
  readonly level: Level
  readonly cases: number
  /** The environment of the test, such as "Electron 45.4.1", if that is not the same on every machine. */
  readonly on?: string
}

const level = z.union([z.literal(1), z.literal(2), z.literal(3), z.literal(4)])
const where = { promise: z.enum(PROMISE_IDS), runner: z.enum(['vitest', 'playwright']), file: z.string() }

export const recordLine = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('proved'),
    ...where,
    test: z.string().min(1),
    level,
    cases: z.int().positive(),
    on: z.string().optional(),
  }),
  z.strictObject({ kind: z.literal('not-run'), ...where, level, why: z.string() }),
])
export type RecordLine = z.infer<typeof recordLine>
export type Runner = RecordLine['runner']

export interface Where {
  readonly runner: Runner
  /** Absolute path, as the test runner reports it. */
  readonly path: string
}

export function recordProof(at: Where, test: string, promise: PromiseId, proof: Proof): void {
  append({ kind: 'proved', promise, runner: at.runner, file: inTests(at.path), test, ...proof })
}

/** Records that this machine can't run a proof, so that its absence does not look like an oversight. */
export function recordNotRun(at: Where, promise: PromiseId, level: Level, why: string): void {
  append({ kind: 'not-run', promise, runner: at.runner, file: inTests(at.path), level, why })
}

function append(line: RecordLine): void {
  const file = process.env[RECORD_VARIABLE]
  if (file === undefined) return
  // A whole line is written at once, because workers of both runners share the file.
  appendFileSync(file, `${JSON.stringify(recordLine.parse(line))}\n`)
}

function inTests(path: string): string {
  return relative(root, path).replaceAll('\\', '/')
}

/** The recorded lines. A line that can't be read is a bug in this folder, so it throws. */
export function readRecord(text: string): readonly RecordLine[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => recordLine.parse(JSON.parse(line)))
}

export function recordingTo(file: string): Readonly<Record<string, string>> {
  return { [RECORD_VARIABLE]: file }
}
