import type { ListedProgram } from '../../../app/contract/gateway.ts'
import { DEFAULT_MAX_ORDERS } from '../../../app/contract/programs.ts'
import type { GatewaySummary } from '../../../app/contract/snapshot.ts'
import { minuteText } from '../../../app/status/moments.ts'
import type { RunningAnswer } from '../../control/ask-running.ts'
import type { ControlAnswer, ControlRequest } from '../../control/protocol.ts'
import { NO_HOME } from '../../storage/data-folder.ts'
import type { GatewayFlags, ProgramFlags } from './flags.ts'
import { gatewayText, programHeading, programText } from './program-rows.ts'
import type { ProgramRequest } from './stored-programs.ts'
import { EXIT_FAILURE, EXIT_OK, EXIT_USAGE, type Terminal } from './terminal.ts'

export type ProgramAction = 'add' | 'list' | 'cut' | 'pause' | 'resume'

export interface GatewayCommandDeps {
  readonly terminal: Terminal
  readonly defaultDataFolder: () => string | undefined
  /** Sends a request to the app that runs on this data folder. */
  askRunning(dataFolder: string, request: ControlRequest): Promise<RunningAnswer>
}

export interface ProgramCommandDeps extends GatewayCommandDeps {
  /** Answers for the programs of a data folder while no app runs on it. */
  answerStored(dataFolder: string, request: ProgramRequest): ControlAnswer
}

/** Turns the running app's gateway on or off, or reports its state. */
export async function gateway(
  turn: 'on' | 'off' | 'status',
  { data, port, json, ...others }: GatewayFlags,
  deps: GatewayCommandDeps,
): Promise<number> {
  const { terminal } = deps
  const [flag] = Object.keys(others)
  if (flag !== undefined)
    return misused(`gateway ${turn} takes no ${flagOf(flag)}: it applies to the running Headroom`, deps)
  if (port !== undefined && turn !== 'on') return misused(`gateway ${turn} takes no --port`, deps)
  const turned = turn === 'status' ? {} : { turn }
  const request = { do: 'gateway', ...turned, ...(port !== undefined && { port }) } as const
  const answer = await asked(request, data, deps)
  if (answer === undefined) return EXIT_FAILURE
  if (!('programs' in answer)) return somethingElse(deps)
  if (json === true) terminal.out(JSON.stringify({ v: 1, type: 'gateway', ...answer.gateway }))
  else terminal.out(gatewayText(answer.gateway))
  return EXIT_OK
}

/**
 * Adds, lists or revokes programs of the running app, or of the data folder while none runs. Only a running
 * app can pause them.
 */
export async function program(
  { action, name }: { readonly action: ProgramAction; readonly name: string | undefined },
  flags: ProgramFlags,
  deps: ProgramCommandDeps,
): Promise<number> {
  if (action === 'list') {
    if (name !== undefined) return misused('`program list` takes no name', deps)
    const answer = await askedOrStored({ do: 'gateway' }, flags.data, deps)
    if (answer === undefined) return EXIT_FAILURE
    return 'programs' in answer ? listed(answer, flags, deps) : somethingElse(deps)
  }
  if (name === undefined) return misused(`name the program: headroom program ${action} NAME`, deps)
  if (action === 'cut') {
    const answer = await askedOrStored({ do: 'cut-program', name }, flags.data, deps)
    if (answer === undefined) return EXIT_FAILURE
    deps.terminal.out(`${name} was cut off`)
    return EXIT_OK
  }
  if (action !== 'add') {
    const answer = await asked({ do: `${action}-program`, name }, flags.data, deps)
    if (answer === undefined) return EXIT_FAILURE
    deps.terminal.out(
      'until' in answer ? `${name} is paused until ${minuteText(answer.until)}` : `${name} resumed`,
    )
    return EXIT_OK
  }
  const { class: own, weight, profile, orders: mayOrder, maxOrders } = flags
  if (maxOrders !== undefined && mayOrder === undefined) return misused('--max-orders needs --orders', deps)
  const request = {
    do: 'add-program',
    name,
    class: own,
    weight,
    ...(mayOrder && { maxOrders: maxOrders ?? DEFAULT_MAX_ORDERS }),
    ...(profile !== undefined && { profile }),
  } as const
  const answer = await askedOrStored(request, flags.data, deps)
  if (answer === undefined) return EXIT_FAILURE
  return 'key' in answer ? added(answer, flags, deps) : somethingElse(deps)
}

function listed(
  {
    gateway: state,
    programs,
  }: { readonly gateway: GatewaySummary; readonly programs: readonly ListedProgram[] },
  { json }: ProgramFlags,
  { terminal }: GatewayCommandDeps,
): number {
  if (json === true) {
    terminal.out(JSON.stringify({ v: 1, type: 'programs', gateway: state, programs }))
    return EXIT_OK
  }
  terminal.out(gatewayText(state))
  if (programs.length === 0) terminal.out('no programs; add one with headroom program add NAME')
  else for (const line of [programHeading(), ...programs.map(programText)]) terminal.out(line)
  return EXIT_OK
}

function added(
  {
    key,
    program: name,
    gateway: state,
  }: { readonly key: string; readonly program: string; readonly gateway: GatewaySummary },
  { json }: ProgramFlags,
  { terminal }: GatewayCommandDeps,
): number {
  if (json === true) {
    terminal.out(JSON.stringify({ v: 1, type: 'program-added', program: name, key, gateway: state }))
    return EXIT_OK
  }
  terminal.out(key)
  terminal.error(`key of ${name}; it won't be shown again`)
  if (state.state !== 'serving')
    terminal.error(`${gatewayText(state)}; to turn it on, run headroom gateway on`)
  return EXIT_OK
}

/** The app's answer about programs. While no app runs: the data folder's, and a line that says so. */
function askedOrStored(
  request: ProgramRequest,
  data: string | undefined,
  deps: ProgramCommandDeps,
): Promise<Answered | undefined> {
  return asked(request, data, deps, (folder) => {
    const answer = deps.answerStored(folder, request)
    if (answer.ok) deps.terminal.error(`no Headroom is running on ${folder}; this applies at its next start`)
    return answer
  })
}

type Answered = Extract<ControlAnswer, { ok: true }>

/**
 * The running app's answer, or the answer of `stored` if no app runs. If there is neither, prints the reason
 * and returns `undefined`.
 */
export async function asked(
  request: ControlRequest,
  data: string | undefined,
  { terminal, defaultDataFolder, askRunning }: GatewayCommandDeps,
  stored?: (folder: string) => ControlAnswer | Promise<ControlAnswer>,
): Promise<Answered | undefined> {
  const folder = data ?? defaultDataFolder()
  const fail = (line: string) => void terminal.error(line)
  if (folder === undefined) return fail(NO_HOME) as undefined
  const { kind, ...rest } = await askRunning(folder, request)
  if (kind === 'nobody') {
    const answer = await stored?.(folder)
    if (answer === undefined) return fail(`no Headroom is running on ${folder}; start it first`) as undefined
    return answer.ok ? answer : (fail(answer.message) as undefined)
  }
  if ('why' in rest) return fail(`can't reach the running Headroom: ${rest.why}`) as undefined
  if (!('answer' in rest)) return undefined
  if (!rest.answer.ok) return fail(rest.answer.message) as undefined
  return rest.answer
}

/** `probeSymbol` as typed on the command line: `--probe-symbol`. */
const flagOf = (name: string): string => `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`

/** Reports wrong usage. */
export function misused(line: string, { terminal }: GatewayCommandDeps): number {
  terminal.error(line)
  return EXIT_USAGE
}

export function somethingElse({ terminal }: GatewayCommandDeps): number {
  terminal.error('unexpected response from the running Headroom; is it the same version?')
  return EXIT_FAILURE
}
