import type { Snapshot } from '../../../app/contract/snapshot.ts'
import type { RunningAnswer } from '../../control/ask-running.ts'
import type { ControlAnswer, ControlRequest } from '../../control/protocol.ts'
import { NO_HOME } from '../../storage/data-folder.ts'
import { EXIT_FAILURE, EXIT_USAGE, failWith, type Terminal } from './terminal.ts'

export interface RunningAppDeps {
  readonly terminal: Terminal
  readonly defaultDataFolder: () => string | undefined
  /** Sends a request to the app that runs on this data folder. */
  askRunning(dataFolder: string, request: ControlRequest): Promise<RunningAnswer>
}

export interface Asking<Request extends ControlRequest = ControlRequest> {
  readonly request: Request
  /** The data folder. Default: the platform's folder. */
  readonly data: string | undefined
  /** Answers in place of the app if no app is running. */
  readonly stored?: (folder: string) => Promise<RunningAnswer>
}

export type AnswerWith<Field> = Field extends string
  ? Extract<ControlAnswer, { readonly ok: true } & Readonly<Record<Field, unknown>>>
  : never

/** Returns the answer if it has one of `fields`. Otherwise prints the reason and returns `undefined`. */
export async function asked<Field extends string>(
  fields: readonly Field[],
  { request, data, stored }: Asking,
  { terminal, defaultDataFolder, askRunning }: RunningAppDeps,
): Promise<AnswerWith<Field> | undefined> {
  const folder = data ?? defaultDataFolder()
  const fail = (line: string): undefined => void terminal.error(line)
  if (folder === undefined) return fail(NO_HOME)
  const running = await askRunning(folder, request)
  const found = running.kind === 'not-running' && stored !== undefined ? await stored(folder) : running
  const answer = answerIn(found, folder)
  if (!answer.ok) return fail(answer.message)
  return fields.some((field) => field in answer) ? (answer as AnswerWith<Field>) : fail(SOMETHING_ELSE)
}

/** The app's answer. If there is no answer, an error with the reason. */
export function answerIn(found: RunningAnswer, folder: string): ControlAnswer {
  switch (found.kind) {
    case 'not-running':
      return {
        ok: false,
        code: 'not-running',
        message: `no Headroom is running on ${folder}; start it with headroom start`,
      }
    case 'failed':
      return { ok: false, code: 'failed', message: `can't reach the running Headroom: ${found.why}` }
    case 'answered':
      return found.answer
  }
}

const SOMETHING_ELSE = 'unexpected response from the running Headroom; is it the same version?'

export const somethingElse = ({ terminal }: RunningAppDeps): number => failWith(terminal, SOMETHING_ELSE)

/** A key of the running app, or a stored key. */
export interface RunningKey {
  readonly profile: string
  readonly name: string
}

export type KeyChoice =
  | { readonly kind: 'key'; readonly key: RunningKey }
  | { readonly kind: 'none'; readonly line: string; readonly exitCode: number }

/** Selects a key from the snapshots of the running app. See `pickKey`. */
export function pickRunningKey(snapshots: readonly Snapshot[], named: string | undefined): KeyChoice {
  return pickKey(keysOfSnapshots(snapshots), named, 'the running Headroom')
}

export const keysOfSnapshots = (snapshots: readonly Snapshot[]): readonly RunningKey[] =>
  snapshots.map(({ profile: { id, name } }) => ({ profile: id, name }))

/** Selects the named key, or the only key if none is named. `where` says where the keys are, for messages. */
export function pickKey(keys: readonly RunningKey[], named: string | undefined, where: string): KeyChoice {
  const none = (line: string, exitCode: number = EXIT_FAILURE): KeyChoice => ({
    kind: 'none',
    line,
    exitCode,
  })
  const [first] = keys
  if (named !== undefined) {
    const key = keys.find(({ profile }) => profile === named)
    return key ? { kind: 'key', key } : none(`${where} has no key '${named}'; choose one of: ${listed(keys)}`)
  }
  if (first === undefined) return none(`${where} has no key`)
  if (keys.length > 1) return none(`choose the key with --profile: ${listed(keys)}`, EXIT_USAGE)
  return { kind: 'key', key: first }
}

const listed = (keys: readonly RunningKey[]): string =>
  keys.map(({ profile, name }) => `${profile} (${name})`).join(', ') || 'none'
