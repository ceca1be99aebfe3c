import { randomBytes } from 'node:crypto'
import { SAVED_KEYS } from '../../app/contract/key-health.ts'
import type { Outcome } from '../../app/contract/outcome.ts'
import type { NewKey } from '../../app/contract/sign-in.ts'
import type { Hello, KeptSecrets } from '../../app/contract/windows.ts'
import { alertCommands } from '../alerts/alerts.ts'
import { type Announcer, SILENT } from '../alerts/announcer.ts'
import { startControlServer } from '../control/control-server.ts'
import { socketOf } from '../control/socket-path.ts'
import type { Gateway } from '../gateway/gateway.ts'
import { gatewayCommands } from '../gateway/gateway-commands.ts'
import type { GivenProgram } from '../gateway/given-programs.ts'
import { HistoryService, historyCommands } from '../history/history-service.ts'
import { keyCommands } from '../monitor/commands/keys.ts'
import { orderCommands } from '../monitor/commands/orders.ts'
import { quotaCommands } from '../monitor/commands/quotas.ts'
import { settingsCommands } from '../monitor/commands/settings.ts'
import { streamCommands } from '../monitor/commands/streams.ts'
import { Learning } from '../monitor/learning.ts'
import { Monitor, type MonitorPorts } from '../monitor/monitor.ts'
import type { MonitorSurface } from '../monitor/monitor-surface.ts'
import { settled } from '../network/deadline.ts'
import { type ForwardHttp, nodeForwardHttp } from '../network/forward-http.ts'
import { listenOnLoopback } from '../network/loopback-servers.ts'
import type { Keystore } from '../ports/keystore.ts'
import type { OpenUrl } from '../ports/ports.ts'
import { Redactor } from '../ports/redactor.ts'
import { connectKey } from '../sign-in/connect-key.ts'
import { OrderSwitches } from '../sign-in/order-switches.ts'
import { VaultProfileStore } from '../sign-in/profile-store.ts'
import { signInCommands } from '../sign-in/sign-in-commands.ts'
import { SignIns } from '../sign-in/sign-ins.ts'
import { ShownTimes } from '../storage/shown-times.ts'
import { PinnedStreams } from '../streams/pinned-streams.ts'
import { SimulatorSettings } from '../vault/simulator-settings.ts'
import { allowUnprotected, type KeepConsent, unlockKeys, VaultHandle } from '../vault/vault-handle.ts'
import { AdmittedWindows } from './admitted-windows.ts'
import { Demonstration } from './demonstration.ts'
import { hostedGateway } from './hosted-gateway.ts'
import { LazyDesks, snoozeOf } from './lazy-desks.ts'
import { Attention, openWindows, type Windows } from './window-session.ts'

export interface AppDeps {
  /** A folder that the caller has locked (main/storage/lock.ts). */
  readonly dataFolder: string
  readonly ports: MonitorPorts
  /** The description of the host, which each window receives. */
  readonly hello: Hello
  /** The host's notifications. Absent if only the windows show alerts. */
  readonly announcer?: Announcer
  /** Absent if keys are only in memory. The window then says so. */
  readonly keystore?: Keystore
  /**
   * Whether new keys may be sealed under a new data key if the stored keys can't be opened. False for a
   * passphrase, because it might be mistyped.
   */
  readonly startsOver?: boolean
  /** Stores a person's consent to unprotected keys. Absent if the keystore never needs consent. */
  readonly keepConsent?: KeepConsent
  /** Starts with the built-in simulator and ignores stored keys. */
  readonly simulate?: boolean
  /** The secret of the built-in simulator's control surface. Absent without a control surface. */
  readonly simulatorControl?: string
  /** Opens a browser. If absent, the window shows the link of a sign-in. */
  readonly openUrl?: OpenUrl
  /** The HTTP client of the gateway. The default uses the proxies of the environment. */
  readonly forward?: ForwardHttp
  /** The gateway's port for this run of the app. Default: the gateway stays on or off, as it last was. */
  readonly gatewayPort?: number
  /** Time in ms that sent requests may still take when the app stops. Default: the gateway's `DRAIN_MS`. */
  readonly drainMs?: number
  /** Opens a folder in the system's file manager. Absent on systems without one. */
  readonly showFolder?: (folder: string) => Promise<Outcome> | Outcome
  /** Programs for this run of the app only, with keys that a person chose. */
  readonly givenPrograms?: readonly GivenProgram[]
}

/** The running app behind the windows of a host. */
export interface RunningApp {
  readonly monitor: MonitorSurface
  readonly history: HistoryService
  readonly windows: Windows
  readonly admitted: AdmittedWindows
  readonly gateway: Gateway
  readonly switches: Pick<OrderSwitches, 'stop'>
  /** Lines that tell a person which keys and settings could not be read. */
  readonly notices: readonly string[]
  /** Where the secrets of newly connected keys were stored when the app started. */
  readonly keeps: KeptSecrets
  stop(): Promise<void>
}

/** Starts the app behind any host with a window. */
export async function startApp({
  dataFolder,
  ports,
  hello,
  announcer,
  openUrl,
  keystore,
  keepConsent,
  startsOver = false,
  simulate = false,
  simulatorControl,
  forward = nodeForwardHttp(process.env),
  gatewayPort,
  drainMs,
  givenPrograms = [],
  showFolder = noFileManager,
}: AppDeps): Promise<RunningApp> {
  const handle = await VaultHandle.open({
    folder: dataFolder,
    ...(keystore && { keystore }),
    wallMs: () => ports.clock.wallMs(),
  })
  const simulatorSettings = new SimulatorSettings(dataFolder, ports.clock.wallMs())
  const notices: string[] = []
  const times = new ShownTimes(dataFolder, ports.clock.wallMs(), (what) => void notices.push(what))
  const storage: VaultProfileStore = new VaultProfileStore(handle, {
    startsOver,
    simulator: simulatorSettings,
    changed: () => monitor.storageChanged(),
  })
  const secrets = ports.secrets ?? new Redactor()
  const attention = new Attention()
  const attended = () => attention.attended
  const startedMs = ports.clock.wallMs()
  const learning = new Learning(dataFolder, startedMs, (what) => void notices.push(what))
  const pins = new PinnedStreams(dataFolder, startedMs)
  const monitor = new Monitor({ ...ports, secrets, attended, pins, learning }, storage)
  const history = new HistoryService({
    monitor,
    clock: ports.clock,
    log: ports.log,
    announcer: announcer ?? SILENT,
    version: hello.version,
    dataFolder,
    problem: (what) => monitor.happenedToAll({ kind: 'storage-problem', what }),
  })
  const demonstration = new Demonstration({
    monitor,
    asChosen: (profile) => simulatorSettings.chosenFor(profile),
    mayTrade: () => simulatorSettings.mayTrade,
    // The demonstration does not run together with stored keys, because its numbers could be mistaken for
    // those of a real key.
    isWanted: () => simulate || storage.ids().length === 0,
    ...(simulatorControl !== undefined && { controlSecret: simulatorControl }),
  })
  const problem = (what: string) => monitor.happenedToAll({ kind: 'storage-problem', what })
  const desks = new LazyDesks({
    ...{ ...ports, monitor, store: storage, secrets, problem },
    person: {
      lookedAtMs: () => (attention.attended ? ports.clock.wallMs() : undefined),
      snooze: snoozeOf(() => history.alerts),
    },
  })
  const restore = () => {
    if (simulate) return
    for (const { profile, tokens } of storage.restore()) monitor.restore(profile, tokens)
    desks.follow()
  }
  restore()
  await demonstration.start()
  const { notice } = simulatorSettings
  if (notice !== undefined) notices.push(notice)
  notices.unshift(...storageNotices(handle), ...storage.notices())
  for (const what of notices) monitor.happenedToAll({ kind: 'storage-problem', what })
  const forgetHandle = handle.onSettled(() => {
    restore()
    if (monitor.profiles().length > 1) demonstration.end()
    monitor.storageChanged()
  })
  const unsubscribe = monitor.subscribe({
    changed: () => {},
    event: ({ kind, profile }) => {
      // After a long sleep, the demonstration's sign-in has expired and can't be renewed. Disconnecting its
      // profile starts a new demonstration.
      if (kind !== 'sign-in-required' || !demonstration.isShown(profile)) return
      ports.clock.after(0, () => monitor.disconnect(profile))
    },
    removed: () => {
      demonstration.start().catch((error: unknown) => {
        ports.log.note('starting the built-in simulator failed', { cause: error })
      })
    },
  })
  const signIns = new SignIns({
    http: ports.http,
    clock: ports.clock,
    log: ports.log,
    randomBytes,
    listen: listenOnLoopback,
    secrets,
    ...(openUrl && { openUrl }),
  })
  const switches = new OrderSwitches(monitor, {
    signIns,
    keys: monitor,
    scopesOf: (profile) => monitor.snapshot(profile)?.access.scopes ?? [],
  })
  const admitted = new AdmittedWindows({
    clock: ports.clock,
    admitted: (window, open) => monitor.happenedToAll({ kind: 'window-admitted', window, open }),
  })
  const connect = (key: NewKey) => {
    const outcome = connectKey(monitor, key, storage.ids())
    if (!outcome.ok) return outcome
    demonstration.end()
    if (monitor.profiles().includes(SAVED_KEYS)) monitor.disconnect(SAVED_KEYS)
    return outcome
  }
  const { gateway, orders } = hostedGateway({
    ...{ monitor, given: givenPrograms, forward, secrets, dataFolder, randomBytes, problem },
    isGone: (profile) => handle.isGone(profile),
    keysFor: (purpose) => handle.vault?.keysFor(purpose) ?? [],
    clock: ports.clock,
    log: ports.log,
  })
  const windows = openWindows({
    admitted,
    monitor,
    attention,
    clock: ports.clock,
    hello: () => ({ ...hello, keeps: storage.newKeys }),
    features: {
      quotas: quotaCommands(monitor),
      streams: streamCommands(monitor),
      keys: keyCommands(monitor, {
        allowUnprotected: () => allowUnprotected(handle, keepConsent),
        unlockKeys: () => unlockKeys(handle),
        showDataFolder: () => showFolder(dataFolder),
        readAgain: restore,
      }),
      signIn: signInCommands({ keys: monitor, signIns, connect, readAgain: restore }),
      settings: settingsCommands(monitor, storage, times),
      history: historyCommands(history),
      alerts: alertCommands(history.alerts),
      gateway: gatewayCommands(gateway),
      orders: orderCommands(switches, orders),
      desk: { handlers: desks.handlers },
    },
  })
  await gateway.start(gatewayPort, { retries: true })
  const control = await startControlServer({
    monitor,
    gateway,
    switches,
    orders,
    desk: desks.handlers,
    windows: () => admitted.list(),
    path: socketOf(dataFolder, process.env),
    clock: ports.clock,
    log: ports.log,
    userId: process.getuid?.(),
  })
  return {
    monitor,
    history,
    windows,
    admitted,
    gateway,
    switches,
    notices,
    keeps: storage.newKeys,
    stop: async () => {
      await control.close()
      await gateway.stop(drainMs)
      orders.stop()
      unsubscribe()
      await signIns.stop()
      forgetHandle()
      await desks.stop()
      monitor.stop()
      await settled(monitor.idle(), ports.clock)
      handle.close()
      await demonstration.stop()
      history.close()
    },
  }
}

const noFileManager = (folder: string): Outcome => ({
  ok: false,
  code: 'no-desktop',
  message: `The data folder is ${folder}.`,
})

/** The window's messages about problems of the key storage. Empty if there are none. */
function storageNotices({ notices, status }: VaultHandle): readonly string[] {
  return status.state === 'ok' || status.line === undefined ? notices : [...notices, status.line]
}
