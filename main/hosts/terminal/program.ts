import { Command, CommanderError } from 'commander'
import { PROGRAM_CLASSES } from '../../../app/gateway/decisions.ts'
import { DEFAULT_GATEWAY_PORT, PAUSE_MINUTES, PROGRAM_LIMITS } from '../../../app/gateway/program-limits.ts'
import { readStreamText } from '../../../app/service/stream-text.ts'
import { FAULTS } from '../../simulator/fault-names.ts'
import { probeFlag, trafficFlag } from './category-flags.ts'
import {
  addressFlag,
  agoFlag,
  argument,
  faultFlag,
  numberFlag,
  portFlag,
  programNameFlag,
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
import { EXIT_OK, EXIT_USAGE } from './terminal.ts'
import { usageLine } from './usage-line.ts'

/** What is asked of the gateway of the running app. */
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
}

export interface ProgramPorts {
  readonly version: string
  readonly commands: Commands
  out(text: string): void
  error(line: string): void
}

/** Runs one command line. `args` starts after the script's name; a line that does not parse exits with 2. */
export async function runProgram(args: readonly string[], ports: ProgramPorts): Promise<number> {
  let exitCode: number = EXIT_OK
  const program = describeProgram(ports, (code) => {
    exitCode = code
  })
  try {
    await program.parseAsync([...args], { from: 'user' })
    return exitCode
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    if (error.exitCode === 0) return EXIT_OK // --help and --version
    ports.error(usageLine(error, program, args))
    return EXIT_USAGE
  }
}

function describeProgram(
  { version, commands, out }: ProgramPorts,
  done: (exitCode: number) => void,
): Command {
  const program = new Command('headroom')
    .description('Watches the API quotas, stream slots and tokens of a brokerage key, live.')
    .version(version)
    .exitOverride()
    .showSuggestionAfterError(false)
    // Errors are written once, by `runProgram`, as one line.
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
  return program
}

const METRICS = [
  '--metrics-port <port>',
  "serve Prometheus' text on this port; 0 takes any free one",
] as const
const METRICS_TOKEN = `
  HEADROOM_METRICS_TOKEN  bearer token required to scrape --metrics-port`
const PASSPHRASE = `
  HEADROOM_PASSPHRASE     seals the keys in --data where no keyring does; without it they are in memory only`
const SECRET_FILES = `
  Each as a file as well: HEADROOM_PASSPHRASE_FILE and so on name it, or it lies in systemd's CREDENTIALS_DIRECTORY`

const DATA = [
  '--data <folder>',
  "where Headroom keeps its data (default: the platform's folder for it)",
] as const

const describeStart = (program: Command) =>
  program
    .command('start', { isDefault: true })
    .summary('open the app (the default)')
    .description('Opens Headroom in its own window, or in a browser where there is no desktop.')
    .option(
      '--host <host>',
      'auto, desktop or browser',
      argument(wordFlag(['auto', 'desktop', 'browser'])),
      'auto',
    )
    .option('--port <port>', 'port of the browser host; 0 takes any free one', argument(portFlag), 4780)
    .option('--no-open', 'do not open a browser')
    .option('--no-link', 'write no single-use code of the browser host on stdout, as for a journal')
    .option(...DATA, argument(textFlag))
    .option('--simulate', 'use the built-in simulator, ignoring stored keys')
    .option(...METRICS, argument(portFlag))
    .option(
      '--gateway-port <port>',
      'serve programs on this port in this run; 0 takes any free one',
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
    .option('--base-url <url>', 'host of the resources', argument(addressFlag))
    .option('--client-id <id>', 'the API key', argument(textFlag))
    .addHelpText('after', SECRETS)

const describeWatch = (program: Command) =>
  withWatched(
    program
      .command('watch')
      .summary('the monitor without a window')
      .description(
        'A live table in this terminal, or one JSON object per line. ' +
          'Without the three flags of a service it watches a built-in simulator.',
      ),
  ).addHelpText('after', `${PASSPHRASE}${METRICS_TOKEN}${SECRET_FILES}`.slice(1))

const withWatched = (command: Command) =>
  withService(command)
    .option(
      '--probe <list>',
      "seconds between checks, as in 'Accounts=30,Positions=60', or none",
      argument(probeFlag),
    )
    .option('--probe-symbol <symbol>', 'what checks of market data ask about (MSFT)', argument(symbolFlag))
    .option(
      '--trial-after-step',
      'after a 429 of a rolling quota, keep checking it, half as often, while other requests wait',
    )
    .option(
      '--stream <stream>',
      "open a stream, as in 'positions:SIM1001' or 'barcharts:MSFT?interval=5&unit=Minute'; repeatable",
      repeated(readStreamText),
    )
    .option(
      '--data <folder>',
      'keep the key there between runs, sealed under HEADROOM_PASSPHRASE',
      argument(textFlag),
    )
    .option('--for <seconds>', 'stop after this long', argument(secondsFlag))
    .option('--json', 'one JSON object per line on stdout, and nothing else there')
    .option('--every <seconds>', 'of --json: at most one snapshot in so long', argument(secondsFlag))
    .option('--events', 'of --json: events alone')
    .option('--changes', 'of --json: what changed, and a whole snapshot once a minute')
    .option(...METRICS, argument(portFlag))

const describeStatus = (program: Command) =>
  program
    .command('status')
    .summary('what the running Headroom knows now')
    .description('Asks the Headroom that is running for its latest numbers, and prints them.')
    .option('--json', 'one JSON object per key and line')
    .option(...DATA, argument(textFlag))

const describeExport = (program: Command) =>
  program
    .command('export')
    .summary('what the history has kept, for other programs')
    .description(
      'Writes what the history of the data folder has kept, on stdout or to a file, whether Headroom runs or not.',
    )
    .option('--series', 'request quotas by the minute, a row a key, category and minute')
    .option(
      '--from <time>',
      'from when, as in 2026-01-05T15:30Z (default: a day before --to)',
      argument(timeFlag),
    )
    .option('--to <time>', 'until when (default: now)', argument(timeFlag))
    .option('--profile <id>', 'of one key only, as status names it', argument(textFlag))
    .option(
      '--format <format>',
      'csv, json or parquet',
      argument(wordFlag(['csv', 'json', 'parquet'])),
      'csv',
    )
    .option('--output <path>', 'a file that is not there yet, or a folder to put one in', argument(textFlag))
    .option(...DATA, argument(textFlag))

const describePlan = (program: Command) =>
  program
    .command('plan')
    .summary('whether programs and streams fit a key, and who waits how long')
    .description(
      'Says whether the programs of a file, what the history has recorded, or both together, fit the quotas of a key ' +
        'through the gateway; who waits how long at worst; and what to give up first.',
    )
    .argument('[file]', 'JSON; see below')
    .option('--json', 'the verdict as one JSON object')
    .option('--replay', "also runs a day of it through the gateway's scheduler, in virtual time")
    .option('--from-history <time>', 'with what was recorded in the last 24h, 90m or 7d', argument(agoFlag))
    .option('--profile <id>', 'the key whose history it is, as status names it', argument(textFlag))
    .option(...DATA, argument(textFlag))
    .addHelpText('after', PLAN_HELP)

const PLAN_HELP = `
The file, rates and periods in seconds:
  {"programs": [{"name": "scanner", "class": "background", "weight": 1,
                 "requests": [{"category": "Positions", "perSecond": 0.5, "burst": 10}],
                 "streams": ["option-chains:MSFT"]}],
   "limits":  {"Positions": {"limit": 320, "period": 300}},
   "reserve": {"Positions": 20}}
class is critical, normal (unless said) or background; limits and reserve may be left out.`

const describeRevoke = (program: Command) =>
  withService(
    program
      .command('revoke')
      .summary('revoke every refresh token of an API key')
      .description(
        'Revokes every refresh token of the API key, after a typed confirmation. ' +
          'Without the three flags of a service it asks the running Headroom to do so; ' +
          'where none runs, it opens the keys of --data with HEADROOM_PASSPHRASE.',
      ),
  )
    .option('--yes', 'do not ask')
    .option('--profile <id>', 'which of several keys, as status names it', argument(textFlag))
    .option(...DATA, argument(textFlag))

const GATEWAY_KEYS = `
  HEADROOM_GATEWAY_KEYS   programs by keys of your own: 'bot:critical=KEY,notes=KEY', name[:class[:weight]]=key`

const describeGateway = (program: Command) =>
  withWatched(
    program
      .command('gateway')
      .summary('serve programs without a window, or turn the gateway of the running Headroom on or off')
      .description(
        'Programs on this machine call the service through the gateway, each with a key of its own: see program. ' +
          'With on, off or status, and --data, it asks the running Headroom; what is chosen holds at later starts too. ' +
          'Without a word it runs the monitor and the gateway without a window, with the flags of watch: ' +
          'without the three flags of a service, on a built-in simulator.',
      )
      .argument('[turn]', 'on, off or status', argument(wordFlag(['on', 'off', 'status']))),
  )
    .option(
      '--port <port>',
      `of on, and without a word: the port; 0 takes any free one (${DEFAULT_GATEWAY_PORT})`,
      argument(portFlag),
    )
    .option(
      '--reserve <list>',
      "requests kept back for the classes before, as in 'Positions=20' (6 % of each quota)",
      argument(reserveFlag),
    )
    .addHelpText('after', `${GATEWAY_KEYS}${PASSPHRASE}${METRICS_TOKEN}${SECRET_FILES}`.slice(1))

const weight = numberFlag({
  atLeast: PROGRAM_LIMITS.weight.least,
  atMost: PROGRAM_LIMITS.weight.most,
  unit: 'shares',
})

const describePrograms = (program: Command) =>
  program
    .command('program')
    .summary('the programs behind the gateway')
    .description(
      'program add NAME prints the key of a new program, once; program cut NAME ends one; program list shows them. ' +
        `program pause NAME answers one with 429 for ${PAUSE_MINUTES} minutes, program resume NAME ends that. ` +
        'It asks the Headroom that runs on the data folder; while none runs, it changes what the next one serves.',
    )
    .argument(
      '<action>',
      'add, list, cut, pause or resume',
      argument(wordFlag(['add', 'list', 'cut', 'pause', 'resume'])),
    )
    .argument('[name]', 'of the program', argument(programNameFlag))
    .option(
      '--class <class>',
      'of add: critical, normal or background; the last two leave a reserve to those before',
      argument(wordFlag(PROGRAM_CLASSES)),
      'normal',
    )
    .option('--weight <number>', 'of add: its share among the programs of its class', argument(weight), 1)
    .option('--profile <id>', 'of add: which of several keys it uses, as status names it', argument(textFlag))
    .option('--json', 'of add and list: one line of JSON')
    .option(...DATA, argument(textFlag))

const heartbeat = numberFlag({ atLeast: 0.05, atMost: 3600, unit: 'seconds' })
const streamRate = numberFlag({ atLeast: 0, atMost: 1000, unit: 'messages per second' })

const CONTROL_HELP = `HEADROOM_SIMULATOR_CONTROL=SECRET turns the control surface on (header X-Simulator-Control: SECRET;
also of the built-in simulator of start --host browser):
  POST /control/expire-access, end-sign-ins, cut-streams, traffic, slots-elsewhere, fault
  GET  /control/ledger, state`

function describeSimulate(program: Command): Command {
  const seconds = argument(secondsFlag)
  const width = Math.max(0, ...FAULTS.map((fault) => fault.name.length))
  const list = FAULTS.map((fault) => `  ${fault.name.padEnd(width)}  ${fault.what}`).join('\n')
  return program
    .command('simulate')
    .summary('a local stand-in for the service')
    .description('One server that plays both hosts of the service: sign-in and resources.')
    .option('--port <port>', '0 takes any free one', argument(portFlag), 4790)
    .option('--client-id <id>', 'the API key it knows', argument(textFlag), 'sim-key')
    .option('--client-secret <secret>', 'what the key needs (default: no secret)', argument(textFlag))
    .option('--refresh-token <token>', 'the first refresh token', argument(textFlag), 'sim-refresh')
    .option('--keys <kind>', 'default or rotating', argument(wordFlag(['default', 'rotating'])), 'default')
    .option('--refresh-expiry <seconds>', 'rotating keys: life of a refresh token', seconds, 1800)
    .option(
      '--rotation-overlap <seconds>',
      'how long a replaced token is honoured',
      argument(secondsOrZeroFlag),
      0,
    )
    .option('--absolute-lifetime <seconds>', 'rotating keys: life of a sign-in', seconds, 86_400)
    .option('--access-lifetime <seconds>', 'life of an access token', seconds, 1200)
    .option(
      '--table <table>',
      'current or earlier quotas',
      argument(wordFlag(['current', 'earlier'])),
      'current',
    )
    .option('--window <kind>', 'rolling or fixed', argument(wordFlag(['rolling', 'fixed'])), 'rolling')
    .option('--errors <kind>', 'current or legacy 429s', argument(wordFlag(['current', 'legacy'])), 'current')
    .option(
      '--revoke-field <field>',
      'token, refresh_token or either',
      argument(wordFlag(['token', 'refresh_token', 'either'])),
      'either',
    )
    .option('--heartbeat <seconds>', 'between heartbeats of a quiet stream', argument(heartbeat), 5)
    .option(
      '--traffic <list>',
      "requests per second of other programs: 'Positions=1.0,Accounts=2@120/300' (in 120 of every 300 s)",
      argument(trafficFlag),
    )
    .option('--stream-rate <number>', 'messages per second per stream', argument(streamRate), 2)
    .option('--fault <name>', 'inject a fault; repeatable', repeated(faultFlag))
    .addHelpText('after', `\nFaults, each as NAME, NAME:TIMES or NAME:always:\n${list}\n\n${CONTROL_HELP}`)
}
