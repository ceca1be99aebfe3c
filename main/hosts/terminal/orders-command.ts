import { ENDING_LENGTH, NO_ORDERS, type UnknownOrder } from '../../../app/contract/orders.ts'
import type { ProgramSummary, Snapshot } from '../../../app/contract/snapshot.ts'
import { isLive } from '../../../app/sign-in/provider-hosts.ts'
import { dayAndClockText } from '../../../app/status/moments.ts'
import { lookupText, ordersStatus, STOPPING_LEAVES } from '../../../app/status/orders-status.ts'
import type { RunningAnswer } from '../../control/ask-running.ts'
import type { ControlAnswer } from '../../control/protocol.ts'
import { printable } from './cells.ts'
import { isConfirmed } from './confirmation.ts'
import { foreignFlag } from './flag-values.ts'
import { ORDERS, type OrdersAction, type OrdersFlags } from './program-flags.ts'
import { asked, pickRunningKey, type RunningAppDeps } from './running-app.ts'
import { EXIT_FAILURE, EXIT_OK, EXIT_USAGE, failWith } from './terminal.ts'

export interface OrdersCommandDeps extends RunningAppDeps {
  /** Stops the orders of one key or of all keys, in a data folder that no app is using. */
  stopStored(folder: string, profile: string | undefined): Promise<ControlAnswer>
  /** See `StatusDeps.showTimesOf`. */
  showTimesOf(dataFolder: string): void
}

/** Allows, stops and shows orders of the running app, and dismisses unknown outcomes. */
export async function orders(
  { action, id }: { readonly action: OrdersAction; readonly id: string | undefined },
  flags: OrdersFlags,
  deps: OrdersCommandDeps,
): Promise<number> {
  const misused = (line: string) => failWith(deps.terminal, line, EXIT_USAGE)
  const foreign = foreignFlag(action, flags, ORDERS)
  if (foreign !== undefined) return misused(`orders ${action} takes no ${foreign}`)
  if (action === 'dismiss')
    return id === undefined
      ? misused('give the ID of the order, or “all”: headroom orders dismiss ID|all')
      : dismiss(id, flags, deps)
  if (id !== undefined) return misused(`orders ${action} takes no ID`)
  switch (action) {
    case 'status':
      return status(flags, deps)
    case 'allow':
      return allow(flags, deps)
    case 'stop':
      return stop(flags, deps)
  }
}

async function status({ data, json, profile }: OrdersFlags, deps: OrdersCommandDeps): Promise<number> {
  const { terminal } = deps
  const answer = await asked(['snapshots'], { request: { do: 'status' }, data }, deps)
  if (answer === undefined) return EXIT_FAILURE
  deps.showTimesOf(data ?? deps.defaultDataFolder() ?? '')
  const chosen = pickRunningKey(answer.snapshots, profile)
  if (profile !== undefined && chosen.kind === 'none') return failWith(terminal, chosen.line)
  const shown = answer.snapshots.filter((one) => profile === undefined || one.profile.id === profile)
  for (const { profile: key, orders: found = NO_ORDERS, programs = [], at } of shown) {
    const granted = programs.filter(({ maxOrders }) => maxOrders !== undefined)
    if (json === true) {
      const limits = Object.fromEntries(granted.map(({ name, maxOrders }) => [name, maxOrders]))
      const line = { v: 1, type: 'orders', profile: key.id, ...found, programs: limits }
      terminal.out(printable(JSON.stringify(line)))
      continue
    }
    terminal.out(printable(`${key.name}: ${ordersStatus(found).text}`))
    if (found.state !== 'off') terminal.out(printable(`  ${programsText(granted)}`))
    // The text may quote what a program sent, so control characters are removed.
    for (const one of found.unknown) terminal.out(printable(`  ${unknownText(one, at)}`))
  }
  if (shown.length === 0 && json !== true) terminal.out('no key is connected')
  return EXIT_OK
}

const programsText = (granted: readonly ProgramSummary[]): string =>
  granted.length === 0
    ? 'no program may send orders; add one with headroom program add NAME --orders'
    : `programs: ${granted.map(({ name, maxOrders }) => `${name} (${maxOrders}/min)`).join(', ')}`

const unknownText = (one: UnknownOrder, nowMs: number): string =>
  `${one.id}  ${dayAndClockText(one.at, nowMs)}  ${one.program}  ${one.kind}  …${one.accountEnding}  ${lookupText(one)}`

async function allow({ data, profile, yes }: OrdersFlags, deps: RunningAppDeps): Promise<number> {
  const { terminal } = deps
  const known = await asked(['snapshots'], { request: { do: 'status' }, data }, deps)
  if (known === undefined) return EXIT_FAILURE
  const chosen = pickRunningKey(known.snapshots, profile)
  if (chosen.kind === 'none') return failWith(terminal, chosen.line, chosen.exitCode)
  const snapshot = known.snapshots.find((one) => one.profile.id === chosen.key.profile)
  if (snapshot === undefined) return EXIT_FAILURE
  const confirmed = await confirmation(snapshot, yes === true, deps)
  if (confirmed === undefined) return EXIT_FAILURE
  const request = { do: 'allow-orders', profile: chosen.key.profile, ...confirmed } as const
  const answer = await asked(['allowed', 'signIn'], { request, data }, deps)
  if (answer === undefined) return EXIT_FAILURE
  if ('allowed' in answer) return allowed(chosen.key.name, deps)
  terminal.error(answer.opened ? 'sign in with the browser, or at this address:' : 'sign in at this address:')
  terminal.out(answer.url)
  const waiting = { do: 'await-orders', signIn: answer.signIn } as const
  const ended = await asked(['allowed'], { request: waiting, data }, deps)
  return ended === undefined ? EXIT_FAILURE : allowed(chosen.key.name, deps)
}

function allowed(name: string, { terminal }: RunningAppDeps): number {
  terminal.error(`orders of ${name} are allowed, for programs with --orders`)
  return EXIT_OK
}

/**
 * Asks a person to confirm. For LIVE, the person must type the last characters of the API key. Without a
 * confirmation, prints a line and returns `undefined`.
 */
async function confirmation(
  { profile, service }: Snapshot,
  yes: boolean,
  { terminal }: RunningAppDeps,
): Promise<{ readonly ending?: string } | undefined> {
  const nothing = (line: string): undefined => {
    terminal.error(`nothing was changed: ${line}`)
  }
  const question = `Programs that may send orders can then use ${profile.name} (${profile.id}).`
  if (isLive(profile.environment, service.host)) {
    if (!terminal.interactive) return nothing('a LIVE key must be confirmed in a terminal')
    const typed = await terminal.ask(
      `${question}\nTheir orders reach real accounts. Type the last four characters of the API key: `,
    )
    const ending = typed?.trim() ?? ''
    if (ending.length === ENDING_LENGTH) return { ending }
    return nothing('type exactly four characters')
  }
  const otherwise = 'nothing was changed'
  return (await isConfirmed(terminal, yes, { question, word: 'allow', otherwise })) ? {} : undefined
}

async function stop({ data, profile }: OrdersFlags, deps: OrdersCommandDeps): Promise<number> {
  const request = { do: 'stop-orders', ...(profile !== undefined && { profile }) } as const
  const stored = async (folder: string): Promise<RunningAnswer> => {
    const stopped = await deps.stopStored(folder, profile)
    if (stopped.ok) deps.terminal.error(`no Headroom is running on ${folder}; this applies at its next start`)
    return { kind: 'answered', answer: stopped }
  }
  const answer = await asked(['stopped'], { request, data, stored }, deps)
  if (answer === undefined) return EXIT_FAILURE
  deps.terminal.out('no orders are sent until you run headroom orders allow')
  deps.terminal.error(STOPPING_LEAVES)
  return EXIT_OK
}

async function dismiss(id: string, { data }: OrdersFlags, deps: RunningAppDeps): Promise<number> {
  const answer = await asked(['dismissed'], { request: { do: 'dismiss-order', id }, data }, deps)
  if (answer === undefined) return EXIT_FAILURE
  deps.terminal.out(id === 'all' ? 'all orders were dismissed' : `order ${id} was dismissed`)
  return EXIT_OK
}
