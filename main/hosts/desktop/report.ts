import type { Snapshot } from '../../../app/contract/snapshot.ts'
import { Redactor } from '../../ports/redactor.ts'
import type { DesktopState } from './desktop-state.ts'

/** The facts of a report, before they are redacted. */
export interface ReportInputs {
  readonly atMs: number
  readonly app: string
  readonly system: string
  readonly versions: Readonly<Record<string, string | undefined>>
  readonly state: DesktopState
  readonly snapshots: readonly Snapshot[]
  /** The text of the log file, already redacted. */
  readonly log: string
  /** Paths that contain the person's name: the home folder and the data folder. */
  readonly paths: readonly string[]
}

/** Number of the log's last lines in a report. */
const LOG_LINES = 2_000

/**
 * Builds the text of a report that a person can read and attach to a question.
 *
 * Profiles are numbered. The report contains no account, symbol, key, path or secret. The log is redacted
 * again, by a redactor that also knows the names in the snapshots.
 */
export function reportText(inputs: ReportInputs): string {
  const { atMs, app, system, versions, state, snapshots, log, paths } = inputs
  const hidden = [...namesIn(snapshots), ...paths]
  const redactor = new Redactor(hidden.length)
  for (const name of hidden) redactor.hide(name)
  const sections = [
    ['Headroom', `${app}\n${system}\n${new Date(atMs).toISOString()}`],
    ['Versions', lines(versions)],
    ['Choices', JSON.stringify(state, null, 2)],
    ...snapshots.map((snapshot, index) => [`Profile ${index + 1}`, profileText(snapshot)] as const),
    ['Log', log.trimEnd().split('\n').slice(-LOG_LINES).join('\n')],
  ] as const
  return sections.map(([title, text]) => `== ${title} ==\n${redactor.text(withoutNames(text))}\n`).join('\n')
}

/**
 * Replaces the values of fields that contain names. The redactor would miss some of them: names of removed
 * profiles, very short symbols, and names in messages of the service.
 */
const withoutNames = (text: string) =>
  text.replace(
    /"(target|stream|profile|host|accounts?|symbols?|orderId|message)":( ?)"(?:[^"\\]|\\.)*"/g,
    '"$1":$2"[name]"',
  )

/** Names that could identify a person, an account or a position. */
function namesIn(snapshots: readonly Snapshot[]): readonly string[] {
  return snapshots.flatMap(({ profile, service, streams }) => [
    profile.id,
    profile.name,
    ...(profile.environment === 'custom' ? [service.host] : []),
    ...streams.flatMap(({ id, target }) => [id, target, ...target.split(/[,/]/)]),
  ])
}

function profileText({
  profile,
  service,
  signInHost,
  keystore,
  access,
  refresh,
  requests,
  slots,
  streams,
  probes,
  verdict,
}: Snapshot) {
  const { reason: _, ...refreshStates } = refresh
  const parts = {
    environment: profile.environment,
    reachable: service.reachable,
    ...(service.pending && { reachablePending: true }),
    signInHostReachable: signInHost === undefined,
    keystore,
    access: access.state,
    refresh: refreshStates,
    verdict,
    probes,
    requests: requests.map(({ resource: _resource, ...quota }) => quota),
    slots: slots.map(({ resource: _resource, ...quota }) => quota),
    streams: streams.map(({ category, state, framesPerSecond, restarts }) => ({
      category,
      state,
      framesPerSecond,
      restarts,
    })),
  }
  return JSON.stringify(parts, null, 2)
}

const lines = (entries: Readonly<Record<string, string | undefined>>) =>
  Object.entries(entries)
    .map(([name, value]) => `${name}: ${value ?? '-'}`)
    .join('\n')
