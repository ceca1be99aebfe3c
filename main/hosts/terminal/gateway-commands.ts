import { DEFAULT_MAX_ORDERS } from '../../../app/contract/programs.ts'
import type { GatewaySummary } from '../../../app/contract/snapshot.ts'
import { minuteText } from '../../../app/status/moments.ts'
import type { RunningAnswer } from '../../control/ask-running.ts'
import type { ControlAnswer, ControlRequest } from '../../control/protocol.ts'
import type { Clock } from '../../ports/ports.ts'
import { NO_HOME } from '../../storage/data-folder.ts'
import type { GatewayFlags, ProgramFlags } from './flags.ts'
import { gatewayText, programLines } from './program-rows.ts'
import { FOLDER_BUSY, type ProgramRequest } from './stored-programs.ts'
import { EXIT_FAILURE, EXIT_OK, EXIT_USAGE, type OutputEnd, type Terminal } from './terminal.ts'

export type ProgramAction = 'add' | 'list' | 'cut' | 'pause' | 'resume'

export interface GatewayCommandDeps {
  readonly terminal: Terminal
  readonly defaultDataFolder: () => string | undefined
  /** Sends a request to the app that runs on this data folder. */
  askRunning(dataFolder: string, request: ControlRequest): Promise<RunningAnswer>
}

export interface ProgramCommandDeps extends GatewayCommandDeps {
  /** Handles requests about the programs of a data folder that no app is using. */
  answerStored(dataFolder: string, request: ProgramRequest): ControlAnswer
  readonly clock: Pick<Clock, 'after'>
  /**
   * Resolves once all output is written. If output could not be written or is discarded, resolves with the
   * reason.
   */
  written(): Promise<OutputEnd | undefined>
}

/**
 * Number and interval of attempts to reach an app that is starting. An app locks its folder before it opens
 * its socket.
 */
const START_TRIES = { most: 40, everyMs: 250 } as const

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
 * Adds, lists or revokes programs of the running app, or of a data folder that no app is using. Pausing needs
 * a running app.
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

/** Undoes an addition if the program's key could not be written to stdout. The name is then free again. */
async function withoutKey(name: string, end: OutputEnd, flags: ProgramFlags, deps: ProgramCommandDeps) {
  const cut = await askedOrStored({ do: 'cut-program', name }, flags.data, deps)
  if (cut !== undefined) deps.terminal.error(`${name} was not added, because its key could not be written`)
  if (end.kind === 'failed') deps.terminal.error(end.line)
  return EXIT_FAILURE
}

function listed(
  { gateway: state, programs, connected }: Extract<Answered, { programs: unknown }>,
  { json }: ProgramFlags,
  { terminal }: GatewayCommandDeps,
): number {
  if (json === true) {
    terminal.out(JSON.stringify({ v: 1, type: 'programs', gateway: state, programs }))
    return EXIT_OK
  }
  terminal.out(gatewayText(state))
  if (programs.length === 0) terminal.out('no programs; add one with headroom program add NAME')
  else for (const line of programLines(programs, connected)) terminal.out(line)
  return EXIT_OK
}

async function added(
  {
    key,
    program: name,
    gateway: state,
  }: { readonly key: string; readonly program: string; readonly gateway: GatewaySummary },
  flags: ProgramFlags,
  deps: ProgramCommandDeps,
): Promise<number> {
  const { terminal } = deps
  const { json } = flags
  const line = JSON.stringify({ v: 1, type: 'program-added', program: name, key, gateway: state })
  terminal.out(json === true ? line : key)
  const end = await deps.written()
  if (end !== undefined) return withoutKey(name, end, flags, deps)
  if (json === true) return EXIT_OK
  terminal.error(`key of ${name}; it won't be shown again`)
  if (state.state !== 'serving')
    terminal.error(`${gatewayText(state)}; to turn it on, run headroom gateway on`)
  return EXIT_OK
}

/**
 * Sends a request about programs to the app. If no app is running, applies the request to the data folder and
 * prints a line that says so.
 */
function askedOrStored(
  request: ProgramRequest,
  data: string | undefined,
  deps: ProgramCommandDeps,
): Promise<Answered | undefined> {
  const { terminal, clock, askRunning } = deps
  const storedOrStarted = async (folder: string): Promise<RunningAnswer> => {
    for (let tries = 1; ; tries += 1) {
      const answer = deps.answerStored(folder, request)
      if (answer.ok)
        terminal.error(
          `no Headroom is running on ${folder} (--data names another folder); this applies at its next start`,
        )
      if (answer.ok || answer.code !== FOLDER_BUSY || tries >= START_TRIES.most)
        return { kind: 'answered', answer }
      await new Promise<void>((resolve) => void clock.after(START_TRIES.everyMs, resolve))
      const running = await askRunning(folder, request)
      if (running.kind !== 'nobody') return running
    }
  }
  return asked(request, data, deps, storedOrStarted)
}

type Answered = Extract<ControlAnswer, { ok: true }>

/**
 * Returns the running app's answer. If no app is running, returns the answer of `stored`. If the request
 * fails, prints the reason and returns `undefined`.
 */
export async function asked(
  request: ControlRequest,
  data: string | undefined,
  { terminal, defaultDataFolder, askRunning }: GatewayCommandDeps,
  stored?: (folder: string) => Promise<RunningAnswer>,
): Promise<Answered | undefined> {
  const folder = data ?? defaultDataFolder()
  const fail = (line: string) => void terminal.error(line)
  if (folder === undefined) return fail(NO_HOME) as undefined
  const running = await askRunning(folder, request)
  const found = running.kind === 'nobody' && stored !== undefined ? await stored(folder) : running
  const answer = answerIn(found, folder)
  return answer.ok ? answer : (fail(answer.message) as undefined)
}

/** The app's answer. If there is no answer, an error with the reason. */
export function answerIn(found: RunningAnswer, folder: string): ControlAnswer {
  switch (found.kind) {
    case 'nobody':
      return { ok: false, code: 'nobody', message: `no Headroom is running on ${folder}; start it first` }
    case 'failed':
      return { ok: false, code: 'failed', message: `can't reach the running Headroom: ${found.why}` }
    case 'answered':
      return found.answer
  }
}

/** The flag of a name: `--probe-symbol` for `probeSymbol`. */
const flagOf = (name: string): string => `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`

export function misused(
  line: string,
  { terminal }: GatewayCommandDeps,
  exitCode: number = EXIT_USAGE,
): number {
  terminal.error(line)
  return exitCode
}

export function somethingElse({ terminal }: GatewayCommandDeps): number {
  terminal.error('unexpected response from the running Headroom; is it the same version?')
  return EXIT_FAILURE
}
