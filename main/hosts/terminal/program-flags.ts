import type { Command } from 'commander'
import { DESK_LIMITS } from '../../../app/contract/desk.ts'
import {
  DEFAULT_MAX_ORDERS,
  PAUSE_MINUTES,
  PROGRAM_CLASSES,
  PROGRAM_LIMITS,
} from '../../../app/contract/programs.ts'
import {
  argument,
  DATA,
  expected,
  type FlagsOf,
  flag,
  flagList,
  numberFlag,
  onFlag,
  type ParsedFlag,
  parsed,
  profileFlag,
  programNameFlag,
  textFlag,
  withFlags,
  wordFlag,
} from './flag-values.ts'

const weight = numberFlag({
  atLeast: PROGRAM_LIMITS.weight.least,
  atMost: PROGRAM_LIMITS.weight.most,
  unit: 'shares',
})

function ordersFlag(text: string): ParsedFlag<number> {
  const { least, most } = PROGRAM_LIMITS.maxOrders
  const value = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN
  return value >= least && value <= most ? parsed(value) : expected(`a whole number from ${least} to ${most}`)
}

const PROGRAM_ACTIONS = ['add', 'list', 'cut', 'pause', 'resume'] as const
export type ProgramAction = (typeof PROGRAM_ACTIONS)[number]

export const PROGRAM = {
  class: flag(
    '--class <class>',
    'critical, normal (the default) or background; less urgent classes leave a reserve',
    wordFlag(PROGRAM_CLASSES),
  ).with('add'),
  weight: flag('--weight <number>', 'share among the programs of its class (default: 1)', weight).with('add'),
  orders: onFlag('--orders', "the program may send orders, after 'headroom orders allow'").with('add'),
  maxOrders: flag(
    '--max-orders <number>',
    `maximum orders in any minute, needs --orders (default: ${DEFAULT_MAX_ORDERS})`,
    ordersFlag,
  ).with('add'),
  /** Absent if the program uses the only key. */
  profile: profileFlag('the key the program uses').with('add'),
  json: onFlag('--json', 'one line of JSON').with('add', 'list'),
  data: DATA,
}
export interface ProgramFlags extends FlagsOf<typeof PROGRAM> {}

export const describePrograms = (program: Command) =>
  withFlags(program.command('program'), PROGRAM)
    .summary('add, list, pause and cut programs behind the gateway')
    .description(
      "'program add NAME' prints the key of a new program, once. 'program cut NAME' revokes that key; 'program list' shows all programs. " +
        `'program pause NAME' answers the program’s requests with 429 for ${PAUSE_MINUTES} minutes; 'program resume NAME' ends the pause. ` +
        'If no Headroom is running on the data folder, changes apply at the next start.',
    )
    .argument('<action>', 'add, list, cut, pause or resume', argument(wordFlag(PROGRAM_ACTIONS)))
    .argument('[name]', 'name of the program', argument(programNameFlag))

const ORDERS_ACTIONS = ['status', 'allow', 'stop', 'dismiss'] as const

export type OrdersAction = (typeof ORDERS_ACTIONS)[number]

export const ORDERS = {
  /** Default: the only key, or all keys for `stop`. */
  profile: profileFlag('which of several keys').with('status', 'allow', 'stop'),
  yes: onFlag('--yes', 'do not ask, except for a LIVE key').with('allow'),
  json: onFlag('--json', 'one line of JSON per key').with('status'),
  data: DATA,
}
export interface OrdersFlags extends FlagsOf<typeof ORDERS> {}

export const describeOrders = (program: Command): Command =>
  withFlags(program.command('orders'), ORDERS)
    .summary('allow and stop orders through the gateway')
    .description(
      "'orders allow' signs in again with the Trade scope; programs with --orders can then send orders. " +
        "'orders stop' blocks new orders of every key within a second; with --profile, of one key. " +
        'Stopping keeps the Trade scope and cancels nothing at the broker. ' +
        "'orders status' prints both switches and any unknown outcomes. 'orders dismiss ID' or 'orders dismiss all' " +
        'ends the alert of an unknown outcome.',
    )
    .argument('<action>', ORDERS_ACTIONS.join(', '), argument(wordFlag(ORDERS_ACTIONS)))
    .argument('[id]', "with dismiss: an ID from 'orders status', or all", argument(textFlag))

const DESK_ACTIONS = ['create', 'invite', 'join', 'status', 'leave', 'rotate'] as const

export type DeskAction = (typeof DESK_ACTIONS)[number]

/** Parses a text of at most `most` UTF-16 units. */
const shortFlag =
  (most: number) =>
  (text: string): ParsedFlag<string> =>
    text.length > most ? expected(`at most ${most} characters`) : textFlag(text)

export const DESK = {
  server: flagList(
    '--server <url>',
    'a NATS server with JetStream, such as nats://HOST:4222; repeatable',
    shortFlag(DESK_LIMITS.server),
  ).with('create'),
  tlsCa: flag(
    '--tls-ca <file>',
    'certificates of a private certificate authority',
    shortFlag(DESK_LIMITS.tlsCa),
  ).with('create', 'join'),
  name: flag(
    '--name <name>',
    'the name of this machine (default: its host name)',
    shortFlag(DESK_LIMITS.name),
  ).with('create', 'join'),
  /** Default: the only key, or all keys for `status`. */
  profile: profileFlag('which of several keys'),
  yes: onFlag('--yes', 'do not ask').with('invite'),
  json: onFlag('--json', 'one line of JSON per key').with('status'),
  data: DATA,
}
export interface DeskFlags extends FlagsOf<typeof DESK> {}

export const describeDesk = (program: Command): Command =>
  withFlags(program.command('desk'), DESK)
    .summary('share one key between the Headrooms of several machines')
    .description(
      "'desk create' prints an invitation: one word, with a secret. 'desk join' reads the invitation on every other machine, at a prompt or from stdin. " +
        "'desk invite' prints the invitation again. 'desk status' shows the machines, which one dispatches, and which requests wait. 'desk leave' leaves the desk. " +
        "'desk rotate' replaces the secret; then every other machine has to join again. " +
        'If no Headroom is running, HEADROOM_PASSPHRASE opens the keys in --data.',
    )
    .argument('<action>', DESK_ACTIONS.join(', '), argument(wordFlag(DESK_ACTIONS)))
    .addHelpText('after', DESK_SECRETS)

const DESK_SECRETS = `
Secrets come from the environment or from files, never from a flag:
  HEADROOM_DESK_INVITATION   the invitation, for join; otherwise from a prompt or stdin
  HEADROOM_DESK_CREDENTIALS  for the NATS server: user:password, a token, or the text of a .creds file
  HEADROOM_PASSPHRASE        opens the keys in --data if no Headroom is running
  Or in files: HEADROOM_DESK_INVITATION_FILE and so on, or systemd's CREDENTIALS_DIRECTORY`
