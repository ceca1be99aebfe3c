import { Alerts } from '../../main/alerts/alerts.ts'
import type { Announcer } from '../../main/alerts/announcer.ts'
import { ThresholdFile } from '../../main/alerts/threshold-file.ts'
import { Monitor } from '../../main/monitor/monitor.ts'
import type { MonitorListener } from '../../main/monitor/monitor-surface.ts'
import type { Keystore } from '../../main/ports/keystore.ts'
import type { Clock, Http, Log, Random } from '../../main/ports/ports.ts'
import { VaultProfileStore } from '../../main/sign-in/profile-store.ts'
import { VaultHandle } from '../../main/vault/vault-handle.ts'
import type { OpenDisk } from './virtual-disk.ts'

export interface ProcessDeps {
  readonly clock: Clock
  readonly random: Random
  readonly http: Http
  readonly log: Log
  readonly listener: MonitorListener
  readonly announcer: Announcer
  /** Open alerts, which outlive the process. */
  readonly keptAlerts: Map<string, string>
}

/** The system's keychain on a machine where it works. */
const KEYSTORE: Keystore = {
  wrap: async (key) => ({ kind: 'wrapped', backend: 'virtual', bytes: Uint8Array.of(1, ...key) }),
  unwrap: async (wrapped) => ({ kind: 'unwrapped', key: wrapped.slice(1), renew: false }),
}

/**
 * One run of the app on a machine. Once the process is dead, its code has no effect: its timers do not fire,
 * its requests are not sent, and its writes do not reach the disk.
 */
export class VirtualProcess {
  readonly monitor: Monitor
  readonly alerts: Alerts
  readonly #disk: OpenDisk | undefined
  readonly #handle: VaultHandle | undefined
  readonly #storage: VaultProfileStore | undefined
  readonly #life: { isOver: boolean }

  private constructor(deps: ProcessDeps, disk?: OpenDisk, handle?: VaultHandle) {
    const life = { isOver: false }
    const storage = handle && new VaultProfileStore(handle, { startsOver: true, changed: () => {} })
    this.#life = life
    this.#disk = disk
    this.#handle = handle
    this.#storage = storage
    const { clock, random, http, log, listener, announcer, keptAlerts } = deps
    const alive = (run: () => void) => {
      if (!life.isOver) run()
    }
    this.monitor = new Monitor(
      {
        clock: {
          wallMs: () => clock.wallMs(),
          monotonicMs: () => clock.monotonicMs(),
          after: (ms, run) => (life.isOver ? () => {} : clock.after(ms, () => alive(run))),
        },
        random,
        http: {
          send: (request) => (life.isOver ? new Promise(() => {}) : http.send(request)),
          reach: async () => undefined,
          open: (request, heard) => (life.isOver ? () => {} : http.open(request, heard)),
        },
        log: { note: (line, fields) => alive(() => log.note(line, fields)) },
      },
      storage,
    )
    this.monitor.subscribe({
      changed: (profile) => alive(() => listener.changed(profile)),
      event: (event) => alive(() => listener.event(event)),
      removed: (profile) => alive(() => listener.removed(profile)),
    })
    this.alerts = new Alerts({
      announcer,
      thresholds: new ThresholdFile(undefined, clock.wallMs(), () => {}),
      kept: [...keptAlerts.values()],
      keep: (id, body) => (body === undefined ? keptAlerts.delete(id) : keptAlerts.set(id, body)),
      thresholdsSet: () => {},
    })
  }

  /** A process whose tokens are lost when it ends. */
  static inMemory(deps: ProcessDeps): VirtualProcess {
    return new VirtualProcess(deps)
  }

  /** Its tokens are sealed on `disk`. If the disk already contains tokens, they are restored. */
  static async onDisk(deps: ProcessDeps, disk: OpenDisk): Promise<VirtualProcess> {
    const handle = await VaultHandle.open({
      folder: '',
      keystore: KEYSTORE,
      wallMs: () => deps.clock.wallMs(),
      openFile: disk.openFile,
    })
    return new VirtualProcess(deps, disk, handle)
  }

  /** Connects the stored keys. Returns their number. */
  restore(): number {
    const restored = this.#storage?.restore() ?? []
    for (const { profile, tokens } of restored) this.monitor.restore(profile, tokens)
    return restored.length
  }

  storedToken(profile: string): string | undefined {
    const reading = this.#handle?.vault?.tokens(profile).read()
    return reading?.kind === 'found' ? reading.stored.token.refreshToken : undefined
  }

  get isOver(): boolean {
    return this.#life.isOver
  }

  /** Ends the process as kill -9 does. */
  die(): void {
    this.#life.isOver = true
    this.#disk?.die()
  }

  /** Ends the process as a user does, and waits for a response that is in flight. */
  async quit(): Promise<void> {
    this.monitor.stop()
    await this.monitor.idle()
    this.die()
  }
}
