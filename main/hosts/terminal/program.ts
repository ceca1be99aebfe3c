import { Command, CommanderError } from 'commander'
import { INVITATION } from '../../../app/contract/desk.ts'
import { DEFAULT_GATEWAY_PORT, GATEWAY_KEYS } from '../../../app/contract/programs.ts'
import { readStreamText } from '../../../app/service/stream-text.ts'
import { FAULTS } from '../../simulator/fault-names.ts'
import { probeFlag, trafficFlag } from './category-flags.ts'
import {
  addressFlag,
  agoFlag,
  argument,
  DATA,
  faultFlag,
  numberFlag,
  portFlag,
  profileOption,
  repeated,
  secondsFlag,
  secondsOrZeroFlag,
  symbolFlag,
  textFlag,
  timeFlag,
  wordFlag,
} from './flag-values.ts'
import type {
  ExportFlags,
  GatewayFlags,
  PlanFlags,
  ProgramFlags,
  RevokeFlags,
  SimulateFlags,
  StartFlags,
  StatusFlags,
  WatchFlags,
} from './flags.ts'
import type { ProgramAction } from './gateway-commands.ts'
import { reserveFlag } from './gateway-run.ts'
import {
  type DeskAction,
  type DeskFlags,
  describeDesk,
  describeOrders,
  describePrograms,
  type OrdersAction,
  type OrdersFlags,
} from './program-flags.ts'
import { EXIT_DOES_NOT_FIT, EXIT_OK, EXIT_USAGE } from './terminal.ts'
import { usageErrorLine } from './usage-line.ts'

/** A request to the running app's gateway. */
export type GatewayTurn = 'on' | 'off' | 'status'

/** The commands. Each resolves to an exit code. */
export interface Commands {
  start(flags: StartFlags): Promise<number>
  watch(flags: WatchFlags): Promise<number>
  status(flags: StatusFlags): Promise<number>
  simulate(flags: SimulateFlags): Promise<number>
  export(flags: ExportFlags): Promise<number>
  plan(file: string | undefined, flags: PlanFlags): Promise<number>
  revoke(flags: RevokeFlags): Promise<number>
  gateway(turn: GatewayTurn | undefined, flags: GatewayFlags): Promise<number>
  program(action: ProgramAction, name: string | undefined, flags: ProgramFlags): Promise<number>
  orders(action: OrdersAction, id: string | undefined, flags: OrdersFlags): Promise<number>
  desk(action: DeskAction, flags: DeskFlags): Promise<number>
}

export interface ProgramPorts {
  readonly version: string
  readonly commands: Commands
  out(text: string): void
  error(line: string): void
}

/**
 * Runs one command line. `args` starts after the script's name. If it can't be parsed, the exit code is 2.
 */
export async function runProgram(args: readonly string[], ports: ProgramPorts): Promise<number> {
  let exitCode: number = EXIT_OK
  if (args.some((arg) => INVITATION.test(arg))) {
    ports.error(INVITATION_AS_ARGUMENT)
    return EXIT_USAGE
  }
  const program = describeProgram(ports, (code) => {
    exitCode = code
  })
  try {
    await program.parseAsync([...args], { from: 'user' })
    return exitCode
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    if (error.exitCode === 0) return EXIT_OK // --help and --version
    ports.error(usageErrorLine(error, program, args))
    return EXIT_USAGE
  }
}

const INVITATION_AS_ARGUMENT =
  'an invitation is a secret, and every user can read arguments: leave it out, and paste it when headroom desk join asks'

function describeProgram(
  { version, commands, out }: ProgramPorts,
  done: (exitCode: number) => void,
): Command {
  const program = new Command('headroom')
    .description('Monitors API quotas, stream slots and tokens of a brokerage key, live.')
    .version(version)
    .exitOverride()
    .showSuggestionAfterError(false)
    // commander writes no errors, because `runProgram` writes each error once, as one line.
    .configureOutput({ writeOut: out, writeErr: () => {}, outputError: () => {} })

  describeStart(program).action(async (flags: StartFlags) => done(await commands.start(flags)))
  describeWatch(program).action(async (flags: WatchFlags) => done(await commands.watch(flags)))
  describeStatus(program).action(async (flags: StatusFlags) => done(await commands.status(flags)))
  describeExport(program).action(async (flags: ExportFlags) => done(await commands.export(flags)))
  describePlan(program).action(async (file: string | undefined, flags: PlanFlags) =>
    done(await commands.plan(file, flags)),
  )
  describeSimulate(program).action(async (flags: SimulateFlags) => done(await commands.simulate(flags)))
  describeRevoke(program).action(async (flags: RevokeFlags) => done(await commands.revoke(flags)))
  describeGateway(program).action(async (turn: GatewayTurn | undefined, flags: GatewayFlags) =>
    done(await commands.gateway(turn, flags)),
  )
  describePrograms(program).action(
    async (action: ProgramAction, name: string | undefined, flags: ProgramFlags) =>
      done(await commands.program(action, name, flags)),
  )
  describeOrders(program).action(async (action: OrdersAction, id: string | undefined, flags: OrdersFlags) =>
    done(await commands.orders(action, id, flags)),
  )
  describeDesk(program).action(async (action: DeskAction, flags: DeskFlags) =>
    done(await commands.desk(action, flags)),
  )
  return program
}

const METRICS = ['--metrics-port <port>', 'serve Prometheus metrics on this port; 0 = any free port'] as const
const METRICS_TOKEN = `
  HEADROOM_METRICS_TOKEN  bearer token for scraping --metrics-port`
const PASSPHRASE = `
  HEADROOM_PASSPHRASE     encrypts the keys in --data; without it or a keyring, keys stay in memory`
const SECRET_FILES = `
  Or in files: HEADROOM_PASSPHRASE_FILE and so on, or systemd's CREDENTIALS_DIRECTORY`

const describeStart = (program: Command) =>
  program
    .command('start', { isDefault: true })
    .summary('open the app (the default)')
    .description('Opens Headroom in its own window, or in a browser on a machine without a desktop.')
    .option(
      '--host <host>',
      'where to open: auto, desktop or browser',
      argument(wordFlag(['auto', 'desktop', 'browser'])),
      'auto',
    )
    .option('--port <port>', 'port of the browser host; 0 = any free port', argument(portFlag), 4780)
    .option('--no-open', 'do not open a browser')
    .option('--no-link', 'print no single-use code, for example when a journal records stdout')
    .option(...DATA, argument(textFlag))
    .option('--simulate', 'use the built-in simulator instead of saved keys')
    .option(...METRICS, argument(portFlag))
    .option(
      '--gateway-port <port>',
      'serve programs on this port, in this run only; 0 = any free port',
      argument(portFlag),
    )
    .addHelpText('after', `\nFrom the environment:${PASSPHRASE}${METRICS_TOKEN}${SECRET_FILES}`)

const SECRETS = `
Secrets come from the environment, never from a flag:
  HEADROOM_REFRESH_TOKEN  the refresh token
  HEADROOM_CLIENT_SECRET  the secret of the API key, if it has one`

const withService = (command: Command) =>
  command
    .option('--auth-url <url>', 'sign-in host', argument(addressFlag))
    .option('--base-url <url>', 'API host', argument(addressFlag))
    .option('--client-id <id>', 'the API key', argument(textFlag))
    .addHelpText('after', SECRETS)

const describeWatch = (program: Command) =>
  withWatched(
    program
      .command('watch')
      .summary('show the monitor in this terminal')
      .description(
        'Shows a live table, or one JSON object per line. ' +
          'Without --auth-url, --base-url and --client-id, it watches the built-in simulator.',
      ),
  ).addHelpText('after', `${PASSPHRASE}${METRICS_TOKEN}${SECRET_FILES}`.slice(1))

const withWatched = (command: Command) =>
  withService(command)
    .option(
      '--probe <list>',
      "seconds between checks, such as 'Accounts=30,Positions=60', or none",
      argument(probeFlag),
    )
    .option(
      '--probe-symbol <symbol>',
      'symbol for checks of market data (default: MSFT)',
      argument(symbolFlag),
    )
    .option(
      '--trial-after-step',
      'after a 429 on a rolling quota, keep checking the quota at half the rate; other requests still wait',
    )
    .option(
      '--stream <stream>',
      "open a stream, such as 'positions:SIM1001' or 'barcharts:MSFT?interval=5&unit=Minute'; repeatable",
      repeated(readStreamText),
    )
    .option(
      '--data <folder>',
      'save the key in this folder, encrypted with HEADROOM_PASSPHRASE',
      argument(textFlag),
    )
    .option('--for <seconds>', 'stop after this time', argument(secondsFlag))
    .option('--json', 'write one JSON object per line on stdout, and nothing else')
    .option('--every <seconds>', 'with --json: seconds between snapshots', argument(secondsFlag))
    .option('--events', 'with --json: events only')
    .option('--changes', 'with --json: changes only, and a whole snapshot once a minute')
    .option(...METRICS, argument(portFlag))

const describeStatus = (program: Command) =>
  program
    .command('status')
    .summary('print the latest numbers of the running Headroom')
    .description('Prints the latest numbers of the running Headroom.')
    .option('--json', 'one line of JSON per key')
    .option(...DATA, argument(textFlag))

const describeExport = (program: Command) =>
  program
    .command('export')
    .summary('export the recorded history')
    .description('Writes the recorded history to stdout or a file, whether Headroom runs or not.')
    .option('--series', 'request quotas by the minute: a row per key, category and minute')
    .option('--orders', 'the journal of orders: a row per order, without symbols, prices and quantities')
    .option(
      '--from <time>',
      'start time, such as 2026-01-05T15:30Z (default: a day before --to)',
      argument(timeFlag),
    )
    .option('--to <time>', 'end time (default: now)', argument(timeFlag))
    .option(...profileOption('only this key'), argument(textFlag))
    .option(
      '--format <format>',
      'csv, json or parquet',
      argument(wordFlag(['csv', 'json', 'parquet'])),
      'csv',
    )
    .option('--output <path>', 'a new file, or a folder for it', argument(textFlag))
    .option(...DATA, argument(textFlag))

const describePlan = (program: Command) =>
  program
    .command('plan')
    .summary('check whether programs and streams fit a key')
    .description(
      'Checks whether programs behind the gateway fit the quotas of a key. The programs come from a file, from the history, or both. ' +
        'Shows each program’s longest possible wait, and what to reduce first.',
    )
    .argument('[file]', 'a JSON file; see below')
    .option('--json', 'print the verdict as one JSON object')
    .option('--exit-code', `end with ${EXIT_DOES_NOT_FIT} if the plan does not fit`)
    .option(
      '--replay',
      "run a trading day (6.5 h) of the plan through the gateway's scheduler, in virtual time",
    )
    .option('--from-history <time>', 'add the recorded use of the last 24h, 90m or 7d', argument(agoFlag))
    .option(...profileOption('which key of the history'), argument(textFlag))
    .option(...DATA, argument(textFlag))
    .addHelpText('after', PLAN_HELP)

const PLAN_HELP = `
The file, with rates per second and periods in seconds:
  {"programs": [{"name": "scanner", "class": "background", "weight": 1,
                 "requests": [{"category": "Positions", "perSecond": 0.5, "burst": 10}],
                 "streams": ["option-chains:MSFT"]}],
   "limits":  {"Positions": {"limit": 320, "period": 300}},
   "reserve": {"Positions": 20}}
class is critical, normal (the default) or background. limits and reserve are optional.
A program named Others means other traffic; Headroom means Headroom's own requests.`

const describeRevoke = (program: Command) =>
  withService(
    program
      .command('revoke')
      .summary('revoke every refresh token of an API key')
      .description(
        'Revokes every refresh token of the API key, after a typed confirmation. ' +
          'Without --auth-url, --base-url and --client-id, the running Headroom revokes the tokens of its own key. ' +
          'If no Headroom is running, HEADROOM_PASSPHRASE opens the keys in --data.',
      ),
  )
    .option('--yes', 'do not ask')
    .option(...profileOption('which of several keys'), argument(textFlag))
    .option(...DATA, argument(textFlag))

const KEYS_OF_PROGRAMS = `
  ${GATEWAY_KEYS}   programs with keys that you choose: 'bot:critical=KEY,notes=KEY', name[:class[:weight]][:orders]=key`

const describeGateway = (program: Command) =>
  withWatched(
    program
      .command('gateway')
      .summary('run the gateway without a window, or turn it on or off')
      .description(
        "Programs on this computer call the service through the gateway, each with a key of its own: see 'headroom program'. " +
          'The words on, off and status apply to the running Headroom; on and off also apply to later starts. ' +
          'Without them, the command runs the monitor and the gateway without a window, and takes the flags of watch. ' +
          'Without --auth-url, --base-url and --client-id, it uses the built-in simulator.',
      )
      .argument('[turn]', 'on, off or status', argument(wordFlag(['on', 'off', 'status']))),
  )
    .option(
      '--port <port>',
      `gateway port; 0 = any free port (default: ${DEFAULT_GATEWAY_PORT}; for 'gateway on': the port last used)`,
      argument(portFlag),
    )
    .option(
      '--reserve <list>',
      "requests reserved for more urgent classes, such as 'Positions=20' (default: 6 % of each quota)",
      argument(reserveFlag),
    )
    .addHelpText('after', `${KEYS_OF_PROGRAMS}${PASSPHRASE}${METRICS_TOKEN}${SECRET_FILES}`.slice(1))

const heartbeat = numberFlag({ atLeast: 0.05, atMost: 3600, unit: 'seconds' })
const streamRate = numberFlag({ atLeast: 0, atMost: 1000, unit: 'messages per second' })

const CONTROL_HELP = `HEADROOM_SIMULATOR_CONTROL=SECRET turns the control surface on, also for start --host browser.
Send the header X-Simulator-Control: SECRET.
  POST /control/expire-access, end-sign-ins, cut-streams, traffic, slots-elsewhere, fault
  GET  /control/ledger, orders, state`

function describeSimulate(program: Command): Command {
  const seconds = argument(secondsFlag)
  const width = Math.max(0, ...FAULTS.map((fault) => fault.name.length))
  const list = FAULTS.map((fault) => `  ${fault.name.padEnd(width)}  ${fault.what}`).join('\n')
  return program
    .command('simulate')
    .summary('run a simulated service on this computer')
    .description('Runs one server that plays both hosts of the service: sign-in and API.')
    .option('--port <port>', 'port of the simulator; 0 = any free port', argument(portFlag), 4790)
    .option('--client-id <id>', 'the API key that the simulator accepts', argument(textFlag), 'sim-key')
    .option('--client-secret <secret>', 'secret of the key (default: none)', argument(textFlag))
    .option('--refresh-token <token>', 'the first refresh token', argument(textFlag), 'sim-refresh')
    .option('--trade', 'give the first refresh token the Trade scope, for orders')
    .option(
      '--keys <kind>',
      'kind of refresh tokens: default or rotating',
      argument(wordFlag(['default', 'rotating'])),
      'default',
    )
    .option('--refresh-expiry <seconds>', 'rotating keys: lifetime of a refresh token', seconds, 1800)
    .option(
      '--rotation-overlap <seconds>',
      'how long a replaced token still works',
      argument(secondsOrZeroFlag),
      0,
    )
    .option('--absolute-lifetime <seconds>', 'rotating keys: lifetime of a sign-in', seconds, 86_400)
    .option('--access-lifetime <seconds>', 'lifetime of an access token', seconds, 1200)
    .option(
      '--table <table>',
      'which quotas to simulate: the current or the earlier table',
      argument(wordFlag(['current', 'earlier'])),
      'current',
    )
    .option(
      '--window <kind>',
      'how quotas refill: rolling or fixed',
      argument(wordFlag(['rolling', 'fixed'])),
      'rolling',
    )
    .option(
      '--errors <kind>',
      'form of 429 responses: current or legacy',
      argument(wordFlag(['current', 'legacy'])),
      'current',
    )
    .option(
      '--revoke-field <field>',
      'name of the token field in a revocation: token, refresh_token or either',
      argument(wordFlag(['token', 'refresh_token', 'either'])),
      'either',
    )
    .option('--heartbeat <seconds>', 'time between heartbeats of a quiet stream', argument(heartbeat), 5)
    .option(
      '--traffic <list>',
      "requests per second of others: 'Positions=1.0,Accounts=2@120/300' (in 120 of every 300 s)",
      argument(trafficFlag),
    )
    .option('--stream-rate <number>', 'messages per second per stream', argument(streamRate), 2)
    .option('--fault <name>', 'inject a fault; repeatable', repeated(faultFlag))
    .addHelpText('after', `\nFaults, each as NAME, NAME:TIMES or NAME:always:\n${list}\n\n${CONTROL_HELP}`)
}
