import type { LoggedEvent } from '../../../app/contract/events.ts'
import { GATEWAY_KEYS } from '../../../app/contract/programs.ts'
import { type Announcer, bellAnnouncer } from '../../alerts/announcer.ts'
import type { ControlServerDeps } from '../../control/control-server.ts'
import {
  type MetricsExports,
  type MetricsOptions,
  metricsExports,
  type OtlpOptions,
} from '../../metrics/metrics-options.ts'
import type { MetricsPush } from '../../metrics/metrics-push.ts'
import type { MetricsServing } from '../../metrics/metrics-server.ts'
import type { MonitorSurface } from '../../monitor/monitor-surface.ts'
import type { Clock } from '../../ports/ports.ts'
import { DEFAULT_PROBES, type ProbeSettings, type Profile } from '../../ports/profile.ts'
import type { DeskStore } from '../../sign-in/profile-store.ts'
import type { BuiltIn } from '../demonstration.ts'
import type { CreateGateway, GatewayRun } from '../hosted-gateway.ts'
import type { LazyDesks } from '../lazy-desks.ts'
import { Publisher } from '../snapshot-publisher.ts'
import type { WatchFlags } from './flags.ts'
import {
  EXIT_FAILURE,
  EXIT_OK,
  EXIT_PERSON_NEEDED,
  EXIT_USAGE,
  exitCodeOf,
  failWith,
  type Terminal,
} from './terminal.ts'
import type { WatchHistory } from './watch-history.ts'
import type { WatchVault, WatchVaultOpening } from './watch-vault.ts'
import { watchView } from './watch-view.ts'
import { type ServiceKey, TOKEN_MISSING, TOKEN_REVOKED, watchedService } from './watched-service.ts'

export interface WatchDeps {
  readonly terminal: Terminal
  readonly clock: Clock
  createMonitor(): MonitorSurface
  mayHoldKeys(folder: string): boolean
  openVault(folder: string, passphrase: string): Promise<WatchVaultOpening>
  startBuiltIn(): Promise<BuiltIn>
  /** From now on, shows times of day in the time zone that is set for this data folder. */
  showTimesOf(dataFolder: string): void
  /** Starts the history and alerts of a monitor, in the data folder if there is one. */
  recordHistory(
    monitor: MonitorSurface,
    announcer: Announcer,
    dataFolder: string | undefined,
    served: Pick<ControlServerDeps, 'gateway' | 'orders' | 'desk'>,
  ): WatchHistory
  readonly createGateway: CreateGateway
  /**
   * Creates the desks of a monitor's stored keys without starting them. `alerts` is called only after the
   * desks have started.
   */
  createDesks(
    monitor: MonitorSurface,
    store: DeskStore,
    alerts: () => WatchHistory['alerts'],
  ): Pick<LazyDesks, 'handlers' | 'follow' | 'stop'>
  serveMetrics(monitor: MonitorSurface, options: MetricsOptions): Promise<MetricsServing>
  /** Sends metrics by OTLP to the endpoint in the environment. */
  pushMetrics(monitor: MonitorSurface, options: OtlpOptions): Promise<MetricsPush>
}

type RunFlags = WatchFlags & { readonly gateway?: GatewayRun }
type Run = RunFlags & Omit<Extract<MetricsExports, { kind: 'usable' }>, 'kind'>

/**
 * Runs the monitor without a window. Ends if no key is signed in, but not if the service is unreachable.
 *
 * With a gateway, it also serves programs and continues without a sign-in. Programs get 503 until a key is
 * signed in.
 */
export async function watch(flags: RunFlags, deps: WatchDeps): Promise<number> {
  const { terminal } = deps
  const misused = thinningProblem(flags)
  if (misused !== undefined) return failWith(terminal, misused, EXIT_USAGE)
  const exports = metricsExports(flags.metricsPort, terminal.environment)
  if (exports.kind === 'unusable') return failWith(terminal, exports.line, EXIT_PERSON_NEEDED)
  const run: Run = { ...flags, ...exports }
  if (flags.data !== undefined) deps.showTimesOf(flags.data)
  const { HEADROOM_PASSPHRASE: passphrase = '' } = terminal.environment
  const stored = flags.data === undefined ? 'nowhere' : passphrase === '' ? 'without-passphrase' : 'sealed'
  const service = watchedService(flags, terminal.environment, stored)
  switch (service.kind) {
    case 'unusable':
      return failWith(terminal, service.line, service.exitCode)
    case 'key':
      if (flags.data !== undefined && passphrase !== '')
        return followAtHome(profileOf(service.key), { ...run, data: flags.data }, passphrase, deps)
      if (flags.data !== undefined) terminal.error(NOTHING_SAVED)
      return follow(profileOf(service.key), run, deps)
    case 'built-in': {
      if (flags.data !== undefined && deps.mayHoldKeys(flags.data))
        return failWith(terminal, KEY_NOT_NAMED, EXIT_USAGE)
      const builtIn = await deps.startBuiltIn()
      try {
        return await follow(builtIn.profile, run, deps)
      } finally {
        await builtIn.close()
      }
    }
  }
}

const NOTHING_SAVED =
  'nothing is saved without HEADROOM_PASSPHRASE: new tokens stay in memory, ' +
  `and programs come only from ${GATEWAY_KEYS}`
const KEY_NOT_NAMED =
  'name the saved key to watch: add --auth-url, --base-url and --client-id, and set HEADROOM_PASSPHRASE; ' +
  'for the simulator, leave out --data'

function thinningProblem({ json, every, events, changes }: WatchFlags): string | undefined {
  const given = Object.entries({ '--every': every, '--events': events, '--changes': changes })
  const flags = given.filter(([, value]) => value !== undefined).map(([flag]) => flag)
  if (json === undefined && flags.length > 0)
    return `${flags.join(' and ')} ${flags.length === 1 ? 'needs' : 'need'} --json`
  if (events !== undefined && flags.length > 1)
    return `--events writes no snapshots: leave out ${flags.filter((flag) => flag !== '--events').join(' and ')}`
  return undefined
}

function profileOf(key: ServiceKey): Profile {
  const host = new URL(key.baseUrl).host
  return {
    id: 'watched',
    name: host,
    environment: 'custom',
    ...key,
    isGiven: true,
    probes: DEFAULT_PROBES,
    streams: [],
  }
}

async function followAtHome(
  profile: Profile,
  flags: Run & { readonly data: string },
  passphrase: string,
  deps: WatchDeps,
): Promise<number> {
  const opening = await deps.openVault(flags.data, passphrase)
  if (opening.kind === 'failed') return failWith(deps.terminal, opening.line, exitCodeOf(opening))
  const { vault } = opening
  try {
    for (const notice of vault.notices) deps.terminal.error(notice)
    return await follow(profile, flags, deps, vault)
  } finally {
    await vault.close()
  }
}

async function follow(asked: Profile, flags: Run, deps: WatchDeps, vault?: WatchVault): Promise<number> {
  const { terminal, clock } = deps
  const monitor = vault?.monitor ?? deps.createMonitor()
  const served = flags.gateway && deps.createGateway(flags.gateway, monitor, vault)
  const gateway = served?.gateway
  const desks = vault && deps.createDesks(monitor, vault.desks, () => history.alerts)
  const view = watchView(terminal, flags)
  const metrics = flags.metrics && (await deps.serveMetrics(monitor, flags.metrics))
  if (metrics?.kind === 'failed') return failWith(terminal, metrics.line)
  if (metrics !== undefined) terminal.error(`metrics ready: ${metrics.url}`)
  const pushed = flags.otlp && (await deps.pushMetrics(monitor, flags.otlp))
  const history = deps.recordHistory(
    monitor,
    bellAnnouncer(() => terminal.bell?.(), view.alert),
    vault && flags.data,
    { ...served, ...(desks && { desk: desks.handlers }) },
  )
  // The gateway starts before the key is connected. If the gateway can't serve, the command ends before a
  // rotating token is used up.
  const started = gateway && (await gateway.start(flags.gateway?.port))
  if (started?.ok === false) {
    terminal.error(`the gateway can't serve: ${started.why}`)
    served?.orders.stop()
    await history.close()
    await metrics?.close()
    await pushed?.close()
    monitor.stop()
    return EXIT_FAILURE
  }
  if (gateway?.summary.url !== undefined) view.serves(gateway.summary.url)
  const publisher = new Publisher(clock, monitor.snapshot.bind(monitor), view.snapshot)
  let id = asked.id
  publisher.keepFresh([id])
  const cancels: (() => void)[] = [() => publisher.stop()]
  let warned = asked.environment === 'simulator'
  const warnOfRotation = (event: LoggedEvent) => {
    if (warned || event.kind !== 'token-refreshed' || !event.rotated) return
    warned = true
    if (monitor.snapshot(id)?.refresh.stored === 'sealed') return
    terminal.error(
      'this key rotates refresh tokens: the one you gave no longer works, and the new one is in memory only',
    )
  }

  const failure = await new Promise<Failure | undefined>((resolve) => {
    const end = () => resolve(undefined)
    const personNeeded = (line: string) => {
      if (gateway === undefined) resolve({ line, exitCode: EXIT_PERSON_NEEDED })
      else terminal.error(`${line}; until then programs get 503`)
    }
    const outputEnded = terminal.onOutputEnd((output) =>
      output.kind === 'closed' ? end() : resolve({ line: output.line, exitCode: EXIT_FAILURE }),
    )
    cancels.push(terminal.onStop(end), outputEnded)
    const { key: typed } = view
    if (typed !== undefined && terminal.onKey !== undefined) {
      cancels.push(
        terminal.onKey((key) => {
          if (key === 'q' || key === 'Q') end()
          else typed(key)
        }),
      )
    }
    if (flags.for !== undefined) cancels.push(clock.after(flags.for * 1000, end))
    const unsubscribe = monitor.subscribe({
      changed: (changed) => publisher.changed(changed),
      event: (event) => {
        view.event(event)
        warnOfRotation(event)
        const reason = reasonToGiveUp(event)
        if (reason !== undefined) personNeeded(reason)
      },
      removed: end,
    })
    cancels.push(unsubscribe)
    const connected = vault ? vault.connect(asked, (key) => asWatched(key, flags)) : asked.id
    if (connected === undefined) return resolve({ line: TOKEN_MISSING, exitCode: EXIT_PERSON_NEEDED })
    id = connected
    if (!vault) monitor.connect(asWatched(asked, flags))
    desks?.follow()
    publisher.changed(id)
    // A sign-in that ended in an earlier run of the app causes no event now, so the state is checked.
    const refresh = monitor.snapshot(id)?.refresh
    if (refresh?.state === 'sign-in-required') personNeeded(`sign in again: ${refresh.reason}`)
    // A new token would have replaced the revoked one, so the environment has none, or still the revoked one.
    if (refresh?.state === 'revoked') personNeeded(TOKEN_REVOKED)
  })
  // After a failure, the final state is shown. Otherwise the output would end with "valid" although a sign-in
  // is needed.
  const latest = failure === undefined ? undefined : monitor.snapshot(id)
  if (latest) view.last(latest)
  // The last push starts now, because `monitor.stop` removes the final state.
  const lastPush = pushed?.close()
  // The listeners are removed only after the gateway, orders, desks and monitor have stopped, so that the
  // events of closing streams are shown.
  if (gateway !== undefined) await gateway.stop()
  served?.orders.stop()
  await desks?.stop()
  monitor.stop()
  for (const cancel of cancels) cancel()
  await history.close()
  await metrics?.close()
  await lastPush
  view.end()
  return failure === undefined ? EXIT_OK : failWith(terminal, failure.line, failure.exitCode)
}

/** Why the command ended on its own. */
interface Failure {
  readonly line: string
  readonly exitCode: number
}

/** The reason to end after an event that requires a person's action. `undefined` for any other event. */
function reasonToGiveUp(event: LoggedEvent): string | undefined {
  if (event.kind === 'sign-in-required') return `sign in again: ${event.reason}`
  if (event.kind === 'token-refresh-failed' && event.outcome === 'misconfigured') {
    return 'the service rejected this key: check --client-id and HEADROOM_CLIENT_SECRET'
  }
  return undefined
}

/**
 * The profile for this run of the app: its stored settings with the flags applied. The stored settings do not
 * change.
 */
export function asWatched(
  profile: Profile,
  { probe, probeSymbol, trialAfterStep, stream }: WatchFlags,
): Profile {
  const probes: ProbeSettings = {
    ...profile.probes,
    ...probe,
    ...(probeSymbol !== undefined && { symbol: probeSymbol }),
    ...(trialAfterStep && { trialAfterStep }),
  }
  return { ...profile, probes, streams: stream ?? profile.streams }
}
