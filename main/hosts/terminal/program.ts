import { Command, CommanderError } from 'commander'
import { INVITATION } from '../../../app/contract/desk.ts'
import { GATEWAY_KEYS } from '../../../app/contract/programs.ts'
import { FAULTS } from '../../simulator/fault-names.ts'
import { argument, withFlags, wordFlag } from './flag-values.ts'
import {
  EXPORT,
  type ExportFlags,
  GATEWAY,
  type GatewayFlags,
  PLAN,
  type PlanFlags,
  REVOKE,
  type RevokeFlags,
  SIMULATE,
  type SimulateFlags,
  START,
  STATUS,
  type StartFlags,
  type StatusFlags,
  WATCH,
  type WatchFlags,
} from './flags.ts'
import {
  type DeskAction,
  type DeskFlags,
  describeDesk,
  describeOrders,
  describePrograms,
  type OrdersAction,
  type OrdersFlags,
  type ProgramAction,
  type ProgramFlags,
} from './program-flags.ts'
import { EXIT_OK, EXIT_USAGE } from './terminal.ts'
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

  /** Runs a command with its arguments and flags. commander also passes its own object, which is unused. */
  const running =
    <Args extends readonly unknown[]>(command: (...args: Args) => Promise<number>) =>
    async (...args: Args) =>
      done(await command(...args))
  describeStart(program).action(running(commands.start))
  describeWatch(program).action(running(commands.watch))
  describeStatus(program).action(running(commands.status))
  describeExport(program).action(running(commands.export))
  describePlan(program).action(running(commands.plan))
  describeSimulate(program).action(running(commands.simulate))
  describeRevoke(program).action(running(commands.revoke))
  describeGateway(program).action(running(commands.gateway))
  describePrograms(program).action(running(commands.program))
  describeOrders(program).action(running(commands.orders))
  describeDesk(program).action(running(commands.desk))
  return program
}

const METRICS_TOKEN = `
  HEADROOM_METRICS_TOKEN  bearer token for scraping --metrics-port`
const PASSPHRASE = `
  HEADROOM_PASSPHRASE     encrypts the keys in --data; without it or a keyring, keys stay in memory`
const SECRET_FILES = `
  Or in files: HEADROOM_PASSPHRASE_FILE and so on, or systemd's CREDENTIALS_DIRECTORY`

const describeStart = (program: Command) =>
  withFlags(program.command('start', { isDefault: true }), START)
    .summary('open the app (the default)')
    .description('Opens Headroom in its own window, or in a browser on a machine without a desktop.')
    .addHelpText('after', `\nFrom the environment:${PASSPHRASE}${METRICS_TOKEN}${SECRET_FILES}`)

const SECRETS = `
Secrets come from the environment, never from a flag:
  HEADROOM_REFRESH_TOKEN  the refresh token
  HEADROOM_CLIENT_SECRET  the secret of the API key, if it has one`

const describeWatch = (program: Command) =>
  withFlags(program.command('watch'), WATCH)
    .summary('show the monitor in this terminal')
    .description(
      'Shows a live table, or one JSON object per line. ' +
        'Without --auth-url, --base-url and --client-id, it watches the built-in simulator.',
    )
    .addHelpText('after', `${SECRETS}${PASSPHRASE}${METRICS_TOKEN}${SECRET_FILES}`)

const describeStatus = (program: Command) =>
  withFlags(program.command('status'), STATUS)
    .summary('print the latest numbers of the running Headroom')
    .description('Prints the latest numbers of the running Headroom.')

const describeExport = (program: Command) =>
  withFlags(program.command('export'), EXPORT)
    .summary('export the recorded history')
    .description('Writes the recorded history to stdout or a file, whether Headroom runs or not.')

const describePlan = (program: Command) =>
  withFlags(program.command('plan'), PLAN)
    .summary('check whether programs and streams fit a key')
    .description(
      'Checks whether programs behind the gateway fit the quotas of a key. The programs come from a file, from the history, or both. ' +
        'Shows each program’s longest possible wait, and what to reduce first.',
    )
    .argument('[file]', 'a JSON file; see below')
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
  withFlags(program.command('revoke'), REVOKE)
    .summary('revoke every refresh token of an API key')
    .description(
      'Revokes every refresh token of the API key, after a typed confirmation. ' +
        'Without --auth-url, --base-url and --client-id, the running Headroom revokes the tokens of its own key. ' +
        'If no Headroom is running, HEADROOM_PASSPHRASE opens the keys in --data.',
    )
    .addHelpText('after', SECRETS)

const KEYS_OF_PROGRAMS = `
  ${GATEWAY_KEYS}   programs with keys that you choose: 'bot:critical=KEY,notes=KEY', name[:class[:weight]][:orders]=key`

const describeGateway = (program: Command) =>
  withFlags(program.command('gateway'), GATEWAY)
    .summary('run the gateway without a window, or turn it on or off')
    .description(
      "Programs on this computer call the service through the gateway, each with a key of its own: see 'headroom program'. " +
        'The words on, off and status apply to the running Headroom; on and off also apply to later starts. ' +
        'Without them, the command runs the monitor and the gateway without a window, and takes the flags of watch. ' +
        'Without --auth-url, --base-url and --client-id, it uses the built-in simulator.',
    )
    .argument('[turn]', 'on, off or status', argument(wordFlag(['on', 'off', 'status'])))
    .addHelpText('after', `${SECRETS}${KEYS_OF_PROGRAMS}${PASSPHRASE}${METRICS_TOKEN}${SECRET_FILES}`)

const CONTROL_HELP = `HEADROOM_SIMULATOR_CONTROL=SECRET turns the control surface on, also for start --host browser.
Send the header X-Simulator-Control: SECRET.
  POST /control/expire-access, end-sign-ins, cut-streams, traffic, slots-elsewhere, fault
  GET  /control/ledger, orders, state`

function describeSimulate(program: Command): Command {
  const width = Math.max(0, ...FAULTS.map((fault) => fault.name.length))
  const list = FAULTS.map((fault) => `  ${fault.name.padEnd(width)}  ${fault.what}`).join('\n')
  return withFlags(program.command('simulate'), SIMULATE)
    .summary('run a simulated service on this computer')
    .description('Runs one server that plays both hosts of the service: sign-in and API.')
    .addHelpText('after', `\nFaults, each as NAME, NAME:TIMES or NAME:always:\n${list}\n\n${CONTROL_HELP}`)
}
