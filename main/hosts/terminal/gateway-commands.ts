import { DEFAULT_MAX_ORDERS } from '../../../app/contract/programs.ts'
import { minuteText } from '../../../app/status/moments.ts'
import type { RunningAnswer } from '../../control/ask-running.ts'
import type { ControlAnswer } from '../../control/protocol.ts'
import type { Clock } from '../../ports/ports.ts'
import { foreignFlag } from './flag-values.ts'
import { GATEWAY, type GatewayFlags } from './flags.ts'
import { PROGRAM, type ProgramAction, type ProgramFlags } from './program-flags.ts'
import { gatewayText, programLines } from './program-rows.ts'
import { type AnswerWith, type Asking, asked, type RunningAppDeps } from './running-app.ts'
import { FOLDER_BUSY, type ProgramRequest } from './stored-programs.ts'
import { EXIT_FAILURE, EXIT_OK, EXIT_USAGE, failWith, type OutputEnd } from './terminal.ts'

export interface ProgramCommandDeps extends RunningAppDeps {
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
  deps: RunningAppDeps,
): Promise<number> {
  const { terminal } = deps
  const misused = (line: string) => failWith(terminal, `gateway ${turn} takes no ${line}`, EXIT_USAGE)
  const [foreign] = Object.keys(others) as (keyof typeof others)[]
  if (foreign !== undefined)
    return misused(`${GATEWAY[foreign].option.long}: it applies to the running Headroom`)
  if (port !== undefined && turn !== 'on') return misused('--port')
  const turned = turn === 'status' ? {} : { turn }
  const request = { do: 'gateway', ...turned, ...(port !== undefined && { port }) } as const
  const answer = await asked(['programs'], { request, data }, deps)
  if (answer === undefined) return EXIT_FAILURE
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
  const { data, class: own = 'normal', weight = 1, profile, orders: mayOrder, maxOrders } = flags
  const { terminal } = deps
  const misused = (line: string) => failWith(terminal, line, EXIT_USAGE)
  const foreign = foreignFlag(action, flags, PROGRAM)
  if (foreign !== undefined) return misused(`program ${action} takes no ${foreign}`)
  if (action === 'list') {
    if (name !== undefined) return misused('program list takes no name')
    const answer = await askedOrStored(['programs'], { request: { do: 'gateway' }, data }, deps)
    return answer === undefined ? EXIT_FAILURE : listed(answer, flags, deps)
  }
  if (name === undefined) return misused(`name the program: headroom program ${action} NAME`)
  if (action === 'cut') {
    const answer = await askedOrStored(['cut'], { request: { do: 'cut-program', name }, data }, deps)
    if (answer === undefined) return EXIT_FAILURE
    terminal.out(`${name} was cut off`)
    return EXIT_OK
  }
  if (action !== 'add') {
    const request = { do: `${action}-program`, name } as const
    const answer = await asked(['until', 'resumed'], { request, data }, deps)
    if (answer === undefined) return EXIT_FAILURE
    terminal.out(
      'until' in answer ? `${name} is paused until ${minuteText(answer.until)}` : `${name} resumed`,
    )
    return EXIT_OK
  }
  if (maxOrders !== undefined && mayOrder === undefined) return misused('--max-orders needs --orders')
  const request = {
    do: 'add-program',
    name,
    class: own,
    weight,
    ...(mayOrder && { maxOrders: maxOrders ?? DEFAULT_MAX_ORDERS }),
    ...(profile !== undefined && { profile }),
  } as const
  const answer = await askedOrStored(['key'], { request, data }, deps)
  return answer === undefined ? EXIT_FAILURE : added(answer, flags, deps)
}

/** Undoes an addition if the program's key could not be written to stdout. The name is then free again. */
async function withoutKey(name: string, end: OutputEnd, flags: ProgramFlags, deps: ProgramCommandDeps) {
  const request = { do: 'cut-program', name } as const
  const cut = await askedOrStored(['cut'], { request, data: flags.data }, deps)
  if (cut !== undefined) deps.terminal.error(`${name} was not added, because its key could not be written`)
  if (end.kind === 'failed') deps.terminal.error(end.line)
  return EXIT_FAILURE
}

function listed(
  { gateway: state, programs, connected }: AnswerWith<'programs'>,
  { json }: ProgramFlags,
  { terminal }: RunningAppDeps,
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
  { key, program: name, gateway: state }: AnswerWith<'key'>,
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
function askedOrStored<Field extends string>(
  fields: readonly Field[],
  { request, data }: Asking<ProgramRequest>,
  deps: ProgramCommandDeps,
): Promise<AnswerWith<Field> | undefined> {
  const { terminal, clock, askRunning } = deps
  const stored = async (folder: string): Promise<RunningAnswer> => {
    for (let tries = 1; ; tries += 1) {
      const answer = deps.answerStored(folder, request)
      if (answer.ok)
        terminal.error(
          `no Headroom is running on ${folder} (--data names another folder)` +
            (request.do === 'gateway' ? '' : '; this applies at its next start'),
        )
      if (answer.ok || answer.code !== FOLDER_BUSY || tries >= START_TRIES.most)
        return { kind: 'answered', answer }
      await new Promise<void>((resolve) => void clock.after(START_TRIES.everyMs, resolve))
      const running = await askRunning(folder, request)
      if (running.kind !== 'not-running') return running
    }
  }
  return asked(fields, { request, data, stored }, deps)
}
