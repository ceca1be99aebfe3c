import { ownShareText } from '../../../app/conditions/messages/desk.ts'
import {
  DESK_LIMITS,
  type DeskMember,
  type DeskSummary,
  type deskContract,
} from '../../../app/contract/desk.ts'
import type { Handlers } from '../../../app/contract/ipc.ts'
import type { Snapshot } from '../../../app/contract/snapshot.ts'
import {
  announcerText,
  deskMachines,
  dispatcherText,
  engineStatus,
  sharedText,
} from '../../../app/status/desk-status.ts'
import { countText } from '../../../app/status/rates.ts'
import { type WaitingGroup, type WaitingRow, waitingGroups } from '../../../app/status/waiting-now.ts'
import { answerOfDesk } from '../../control/desk-answers.ts'
import type { ControlAnswer, DeskRequest } from '../../control/protocol.ts'
import { MALFORMED_INVITATION } from '../../desk/desk-commands.ts'
import { readInvitation } from '../../desk/invitation.ts'
import { membershipIn } from '../../desk/membership.ts'
import { NO_HOME } from '../../storage/data-folder.ts'
import { printable } from './cells.ts'
import { isConfirmed } from './confirmation.ts'
import { foreignFlag } from './flag-values.ts'
import { DESK, type DeskAction, type DeskFlags } from './program-flags.ts'
import {
  answerIn,
  keysOfSnapshots,
  pickKey,
  type RunningAppDeps,
  type RunningKey,
  somethingElse,
} from './running-app.ts'
import { NOT_STORED, type StoredKeys, type StoredKeysOpening } from './stored-keys.ts'
import {
  EXIT_FAILURE,
  EXIT_OK,
  EXIT_PERSON_NEEDED,
  EXIT_USAGE,
  exitCodeOf,
  failWith,
  type OutputEnd,
} from './terminal.ts'

export interface DeskCommandDeps extends RunningAppDeps {
  /** Opens the keys of a folder that no app is using. Absent without a passphrase. */
  openStored?(folder: string): Promise<StoredKeysOpening>
  commandsOf(stored: StoredKeys): Handlers<typeof deskContract>
  absolutePath(path: string): string
  /**
   * Resolves once all output is written. If output could not be written or is discarded, resolves with the
   * reason.
   */
  written(): Promise<OutputEnd | undefined>
}

/** The keys of a running app, or of a folder that no app is using. */
type Keys =
  | { readonly kind: 'running'; readonly folder: string; readonly snapshots: readonly Snapshot[] }
  | { readonly kind: 'stored'; readonly folder: string; readonly stored: StoredKeys }

/**
 * Creates, shows, joins, leaves or rotates the desk of a key. The key belongs to the running app, or is
 * stored in a data folder that no app is using.
 */
export async function desk(action: DeskAction, flags: DeskFlags, deps: DeskCommandDeps): Promise<number> {
  const foreign = foreignFlag(action, flags, DESK)
  if (foreign !== undefined) return failWith(deps.terminal, `desk ${action} takes no ${foreign}`, EXIT_USAGE)
  const credentials = deps.terminal.environment['HEADROOM_DESK_CREDENTIALS']?.trim() ?? ''
  if (credentials.length > DESK_LIMITS.credentials)
    return failWith(deps.terminal, CREDENTIALS_TOO_LONG, EXIT_PERSON_NEEDED)
  const requested = await request(action, flags, deps)
  if (requested.kind === 'misused') return failWith(deps.terminal, requested.line, requested.exitCode)
  const keys = await keysOf(flags, deps)
  if (typeof keys === 'number') return keys
  try {
    if (requested.kind === 'status') return status(keys, flags, deps)
    const chosen = pickKey(namesIn(keys), flags.profile, WHERE[keys.kind])
    if (chosen.kind === 'none') return failWith(deps.terminal, chosen.line, chosen.exitCode)
    if (action === 'invite' && !(await isConfirmed(deps.terminal, flags.yes === true, REVEALING)))
      return EXIT_FAILURE
    const chosenNow = { ...(credentials !== '' && { credentials }), profile: chosen.key.profile }
    return await perform(requested.make(chosenNow), { keys, key: chosen.key }, deps)
  } finally {
    if (keys.kind === 'stored') keys.stored.close()
  }
}

const CREDENTIALS_TOO_LONG = 'HEADROOM_DESK_CREDENTIALS is too long for NATS credentials'
const WHERE = { running: 'the running Headroom', stored: 'the data folder' } as const

const REVEALING = {
  question: 'With the invitation, any computer that has this key can join the desk and read the desk’s data.',
  word: 'show',
  otherwise: 'the invitation was not printed',
} as const

type Requested =
  | { readonly kind: 'status' }
  | { readonly kind: 'misused'; readonly line: string; readonly exitCode: number }
  | { readonly kind: 'change'; readonly make: (chosen: Chosen) => DeskRequest }

interface Chosen {
  readonly profile: string
  readonly credentials?: string
}

/** Checks the flags and reads the invitation if needed. The request is made later, for the chosen key. */
async function request(
  action: DeskAction,
  { server = [], tlsCa, name }: DeskFlags,
  { terminal, absolutePath }: DeskCommandDeps,
): Promise<Requested> {
  const machine = {
    ...(name !== undefined && { name }),
    ...(tlsCa !== undefined && { tlsCa: absolutePath(tlsCa) }),
  }
  switch (action) {
    case 'status':
      return { kind: 'status' }
    case 'create': {
      if (server.length === 0) return wrong('give the server: headroom desk create --server nats://HOST:4222')
      if (server.length > DESK_LIMITS.servers) return wrong(`give at most ${DESK_LIMITS.servers} servers`)
      return change((chosen) => ({ do: 'create-desk', servers: [...server], ...machine, ...chosen }))
    }
    case 'join': {
      const given = terminal.environment['HEADROOM_DESK_INVITATION'] || undefined
      const invitation = given ?? (await terminal.askSecret('Paste the invitation (it is not shown): ')) ?? ''
      const reading = readInvitation(invitation)
      if (reading.kind === 'malformed')
        return wrong(reading.line, given === undefined ? EXIT_USAGE : EXIT_PERSON_NEEDED)
      return change((chosen) => ({ do: 'join-desk', invitation, ...machine, ...chosen }))
    }
    case 'invite':
      return change(({ profile }) => ({ do: 'desk-invitation', profile }))
    case 'leave':
      return change(({ profile }) => ({ do: 'leave-desk', profile }))
    case 'rotate':
      return change(({ profile }) => ({ do: 'rotate-desk', profile }))
  }
}

const wrong = (line: string, exitCode: number = EXIT_USAGE): Requested => ({
  kind: 'misused',
  line,
  exitCode,
})
const change = (make: (chosen: Chosen) => DeskRequest): Requested => ({ kind: 'change', make })

/**
 * Keys of the running app, or of the folder if no app is running. If none can be read, prints the reason and
 * returns the exit code.
 */
async function keysOf({ data }: DeskFlags, deps: DeskCommandDeps): Promise<Keys | number> {
  const { defaultDataFolder, askRunning, openStored } = deps
  const folder = data ?? defaultDataFolder()
  const fail = (line: string, exitCode?: number) => failWith(deps.terminal, line, exitCode)
  if (folder === undefined) return fail(NO_HOME)
  const asked = await askRunning(folder, { do: 'status' })
  if (asked.kind !== 'not-running') {
    const answer = answerIn(asked, folder)
    if (!answer.ok) return fail(answer.message)
    if ('snapshots' in answer) return { kind: 'running', folder, snapshots: answer.snapshots }
    return somethingElse(deps)
  }
  const notRunning = `no Headroom is running on ${folder}`
  if (openStored === undefined)
    return fail(`${notRunning}; start it, or set HEADROOM_PASSPHRASE to open the keys saved there`)
  const opening = await openStored(folder)
  switch (opening.kind) {
    case 'open':
      return { kind: 'stored', folder, stored: opening.stored }
    case 'nothing-stored':
      return fail(`${notRunning}${NOT_STORED}`)
    case 'failed':
      return fail(opening.line, exitCodeOf(opening))
  }
}

const namesIn = (keys: Keys): readonly RunningKey[] =>
  keys.kind === 'stored' ? keys.stored.keys : keysOfSnapshots(keys.snapshots)

/** Codes of errors in a person's input. */
const MALFORMED: ReadonlySet<string> = new Set([MALFORMED_INVITATION, 'address'])

async function perform(
  requested: DeskRequest,
  { keys, key }: { readonly keys: Keys; readonly key: RunningKey },
  deps: DeskCommandDeps,
): Promise<number> {
  const { terminal, askRunning, commandsOf } = deps
  const answer: ControlAnswer =
    keys.kind === 'stored'
      ? await answerOfDesk(requested, commandsOf(keys.stored))
      : answerIn(await askRunning(keys.folder, requested), keys.folder)
  if (!answer.ok)
    return failWith(terminal, answer.message, MALFORMED.has(answer.code) ? EXIT_USAGE : EXIT_FAILURE)
  const isForNextStart = requested.do !== 'desk-invitation' && requested.do !== 'leave-desk'
  if (keys.kind === 'stored' && isForNextStart)
    terminal.error(`no Headroom is running on ${keys.folder}; this applies at its next start`)
  if ('invitation' in answer) return invited(answer.invitation, requested, deps)
  if ('joined' in answer) {
    terminal.error(`this machine joined the desk of ${key.name}; see headroom desk status`)
    return EXIT_OK
  }
  if (!('left' in answer)) return somethingElse(deps)
  terminal.error(`this machine left the desk of ${key.name}`)
  return EXIT_OK
}

/** Prints the invitation alone on stdout, and the instructions for it on stderr. */
async function invited(
  invitation: string,
  { do: what }: DeskRequest,
  deps: DeskCommandDeps,
): Promise<number> {
  const { terminal } = deps
  terminal.out(invitation)
  const end = await deps.written()
  if (end !== undefined) {
    terminal.error('the invitation could not be written; print it with headroom desk invite')
    if (end.kind === 'failed') terminal.error(end.line)
    return EXIT_FAILURE
  }
  const who = what === 'rotate-desk' ? 'every other machine has to join again' : 'on every other machine'
  terminal.error(`${who}: run headroom desk join there and paste this word; it contains a secret`)
  return EXIT_OK
}

function status(keys: Keys, { profile, json }: DeskFlags, deps: DeskCommandDeps): number {
  const { terminal } = deps
  const chosen = pickKey(namesIn(keys), profile, WHERE[keys.kind])
  if (profile !== undefined && chosen.kind === 'none') return failWith(terminal, chosen.line)
  const shown = namesIn(keys).filter((one) => profile === undefined || one.profile === profile)
  for (const key of shown) {
    const { line, lines } = keys.kind === 'stored' ? savedDesk(key, keys) : runningDesk(key, keys.snapshots)
    if (json === true)
      terminal.out(printable(JSON.stringify({ v: 1, type: 'desk', profile: key.profile, ...line })))
    // Names come from other machines, so control characters are removed.
    else for (const text of lines) terminal.out(printable(text))
  }
  if (shown.length === 0 && json !== true) terminal.out('no key is connected')
  return EXIT_OK
}

/** The desk of one key, as JSON and as text. */
interface ShownDesk {
  readonly line: object
  readonly lines: readonly string[]
}

const none = (name: string): ShownDesk => ({
  line: { state: 'none' },
  lines: [`${name}: no desk; run 'headroom desk create' or 'headroom desk join'`],
})

function runningDesk({ profile, name }: RunningKey, snapshots: readonly Snapshot[]): ShownDesk {
  const snapshot = snapshots.find((one) => one.profile.id === profile)
  if (snapshot?.desk === undefined) return none(name)
  const { desk: summary } = snapshot
  const share = ownShareText(summary)
  const engine = engineStatus(summary, snapshot.at)
  return {
    line: { ...summary, members: summary.members.map((one) => withOwnPrograms(one, snapshot)) },
    lines: [
      `${name}: ${stateText(summary)}`,
      ...(share === '' ? [] : [`  ${share}`]),
      `  ${[`server ${summary.engine.server} ${engine.label}`, ...engine.facts].join(', ')}`,
      ...machineLines(snapshot),
      ...waitingGroups(snapshot, snapshot.at).flatMap(waitLines),
      ...[dispatcherText(summary), announcerText(summary), droppedText(summary)]
        .filter((text) => text !== '')
        .map((text) => `  ${text}`),
    ],
  }
}

function stateText(summary: DeskSummary): string {
  const why = summary.why === undefined ? '' : `: ${summary.why}`
  switch (summary.state) {
    case 'joined':
      return `desk of ${sharedText(summary)}`
    case 'alone':
      return `desk unreachable${why}`
    case 'refused':
      return `the desk rejects this machine${why}`
  }
}

function machineLines(snapshot: Snapshot): readonly string[] {
  const machines = deskMachines(snapshot)
  const width = Math.max(0, ...machines.map(({ name }) => name.length))
  return machines.map(({ id, name, isSelf, note, rate }) => {
    const total = snapshot.desk?.members.find((one) => one.id === id)?.total ?? 0
    return `  ${name.padEnd(width)}  ${rate.padStart(7)}  ${countText(total, 'request')}  ${isSelf ? 'this machine; ' : ''}${note}`
  })
}

/** Adds the programs to this machine's entry. The other machines' entries already contain their programs. */
const withOwnPrograms = (member: DeskMember, { programs }: Snapshot): DeskMember =>
  member.self && programs !== undefined
    ? {
        ...member,
        programs: programs.map(({ name, class: own, weight, perSecond, waiting, longestWaitMs, use }) => ({
          ...{ name, class: own, weight, perSecond, waiting, longestWaitMs, use },
        })),
      }
    : member

/** A quota with waiting requests: a line with the quota and the reason, then one line per program. */
const waitLines = ({ category, label, why, rows }: WaitingGroup): readonly string[] => {
  const reason = [label, why].filter((text) => text !== '').join(', ')
  return [`  waiting for ${category}${reason === '' ? '' : `: ${reason}`}`, ...rows.map(waitLine)]
}

function waitLine({ program, machine, waiting, turns, longest }: WaitingRow): string {
  const who = machine === undefined ? program : `${program} on ${machine}`
  const turn = /^\d/.test(turns) ? `next in ${turns}` : turns
  return `    ${who}: ${countText(waiting, 'request')}, ${turn}, longest ${longest}`
}

const droppedText = ({ dropped }: DeskSummary): string =>
  dropped === 0 ? '' : `${countText(dropped, 'message')} dropped`

function savedDesk(
  { profile, name }: RunningKey,
  { folder, stored }: Extract<Keys, { kind: 'stored' }>,
): ShownDesk {
  const reading = membershipIn(stored.desks.desk(profile))
  switch (reading.kind) {
    case 'none':
      return none(name)
    case 'lost':
      return { line: { state: 'lost', why: reading.line }, lines: [`${name}: ${reading.line}`] }
    case 'member': {
      const { membership } = reading
      const facts = { name: membership.name, servers: membership.servers }
      const text = `${name}: on a desk as ${facts.name}, through ${facts.servers.join(', ')}; no Headroom is running on ${folder}`
      return { line: { state: 'stopped', ...facts }, lines: [text] }
    }
  }
}
