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
  numberFlag,
  type ParsedFlag,
  parsed,
  profileOption,
  programNameFlag,
  repeated,
  textFlag,
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

/** Declares `headroom program`. */
export const describePrograms = (program: Command) =>
  program
    .command('program')
    .summary('add, list, pause and cut programs behind the gateway')
    .description(
      "'program add NAME' prints the key of a new program, once. 'program cut NAME' revokes that key; 'program list' shows all programs. " +
        `'program pause NAME' answers the program’s requests with 429 for ${PAUSE_MINUTES} minutes; 'program resume NAME' ends the pause. ` +
        'If no Headroom is running on the data folder, changes apply at the next start.',
    )
    .argument(
      '<action>',
      'add, list, cut, pause or resume',
      argument(wordFlag(['add', 'list', 'cut', 'pause', 'resume'])),
    )
    .argument('[name]', 'name of the program', argument(programNameFlag))
    .option(
      '--class <class>',
      'with add: critical, normal or background; less urgent classes leave a reserve',
      argument(wordFlag(PROGRAM_CLASSES)),
      'normal',
    )
    .option('--weight <number>', 'with add: share among the programs of its class', argument(weight), 1)
    .option('--orders', "with add: the program may send orders, after 'headroom orders allow'")
    .option(
      '--max-orders <number>',
      `with --orders: maximum orders in any minute (default: ${DEFAULT_MAX_ORDERS})`,
      argument(ordersFlag),
    )
    .option(...profileOption('with add: the key the program uses'), argument(textFlag))
    .option('--json', 'with add and list: one line of JSON')
    .option(...DATA, argument(textFlag))

const ORDERS_ACTIONS = ['status', 'allow', 'stop', 'dismiss'] as const

export type OrdersAction = (typeof ORDERS_ACTIONS)[number]

export interface OrdersFlags {
  readonly data?: string
  /** The id of the key. Default: the only key, or all keys for `stop`. */
  readonly profile?: string
  readonly yes?: true
  readonly json?: true
}

const ordersActionFlag: (text: string) => ParsedFlag<OrdersAction> = wordFlag(ORDERS_ACTIONS)

/** Declares `headroom orders`. */
export const describeOrders = (program: Command): Command =>
  program
    .command('orders')
    .summary('allow and stop orders through the gateway')
    .description(
      "'orders allow' signs in again with the Trade scope; programs with --orders can then send orders. " +
        "'orders stop' blocks new orders of every key within a second; with --profile, of one key. " +
        'Stopping keeps the Trade scope and cancels nothing at the broker. ' +
        "'orders status' prints both switches and any unknown outcomes. 'orders dismiss ID' or 'orders dismiss all' " +
        'ends the alert of an unknown outcome.',
    )
    .argument('<action>', ORDERS_ACTIONS.join(', '), argument(ordersActionFlag))
    .argument('[id]', "with dismiss: an ID from 'orders status', or all", argument(textFlag))
    .option(...profileOption('which of several keys'), argument(textFlag))
    .option('--yes', 'with allow: do not ask, except for a LIVE key')
    .option('--json', 'with status: one line of JSON per key')
    .option(...DATA, argument(textFlag))

const DESK_ACTIONS = ['create', 'invite', 'join', 'status', 'leave', 'rotate'] as const

export type DeskAction = (typeof DESK_ACTIONS)[number]

export interface DeskFlags {
  readonly data?: string
  /** The id of the key. Default: the only key, or all keys for `status`. */
  readonly profile?: string
  /** Addresses of NATS servers. */
  readonly server?: readonly string[]
  /** The path of a file with certificates. */
  readonly tlsCa?: string
  readonly name?: string
  readonly yes?: true
  readonly json?: true
}

const deskActionFlag: (text: string) => ParsedFlag<DeskAction> = wordFlag(DESK_ACTIONS)

/** Parses a text of at most `most` UTF-16 units. */
const shortFlag =
  (most: number) =>
  (text: string): ParsedFlag<string> =>
    text.length > most ? expected(`at most ${most} characters`) : textFlag(text)

/** Declares `headroom desk`. */
export const describeDesk = (program: Command): Command =>
  program
    .command('desk')
    .summary('share one key between the Headrooms of several machines')
    .description(
      "'desk create' prints an invitation: one word, with a secret. 'desk join' reads the invitation on every other machine, at a prompt or from stdin. " +
        "'desk invite' prints the invitation again. 'desk status' shows the machines, which one dispatches, and which requests wait. 'desk leave' leaves the desk. " +
        "'desk rotate' replaces the secret; then every other machine has to join again. " +
        'If no Headroom is running, HEADROOM_PASSPHRASE opens the keys in --data.',
    )
    .argument('<action>', DESK_ACTIONS.join(', '), argument(deskActionFlag))
    .option(
      '--server <url>',
      'with create: a NATS server with JetStream, such as nats://HOST:4222; repeatable',
      repeated(shortFlag(DESK_LIMITS.server)),
    )
    .option(
      '--tls-ca <file>',
      'with create and join: certificates of a private certificate authority',
      argument(shortFlag(DESK_LIMITS.tlsCa)),
    )
    .option(
      '--name <name>',
      'with create and join: the name of this machine (default: its host name)',
      argument(shortFlag(DESK_LIMITS.name)),
    )
    .option(...profileOption('which of several keys'), argument(textFlag))
    .option('--yes', 'with invite: do not ask')
    .option('--json', 'with status: one line of JSON per key')
    .option(...DATA, argument(textFlag))
    .addHelpText('after', DESK_SECRETS)

const DESK_SECRETS = `
Secrets come from the environment or from files, never from a flag:
  HEADROOM_DESK_INVITATION   the invitation, for join; otherwise from a prompt or stdin
  HEADROOM_DESK_CREDENTIALS  for the NATS server: user:password, a token, or the text of a .creds file
  HEADROOM_PASSPHRASE        opens the keys in --data if no Headroom is running
  Or in files: HEADROOM_DESK_INVITATION_FILE and so on, or systemd's CREDENTIALS_DIRECTORY`
