import type { LeaseStore } from '../../../app/desk/queue-ports.ts'
import type { Engine, EngineOptions, EngineRefusal, EngineState, Engines } from '../../../main/desk/engine.ts'

/** An engine on a server that exists only in this process. */
export class FakeEngine implements Engine {
  readonly options: EngineOptions
  isClosed = false
  state: EngineState
  /** Whether the store accepts values. */
  canStore = true
  readonly #store: Map<string, Uint8Array>
  readonly #listeners = new Set<() => void>()

  constructor(options: EngineOptions, store: Map<string, Uint8Array>) {
    this.options = options
    this.state = { server: options.servers[0] ?? '', reachable: true }
    this.#store = store
  }

  /** A store that never answers. */
  readonly lease: LeaseStore = {
    create: async () => 'unknown',
    renew: async () => 'unknown',
    release: async () => {},
  }

  publish(): void {}

  subscribe(): () => void {
    return () => {}
  }

  async read(key: string) {
    if (!this.state.reachable) return { known: false as const }
    return { known: true as const, bytes: this.#store.get(key) }
  }

  async write(key: string, bytes: Uint8Array) {
    if (!this.canStore || !this.state.reachable) return false
    this.#store.set(key, bytes)
    return true
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Number of calls of `tryNow`. */
  tried = 0

  tryNow(): void {
    this.tried += 1
  }

  /** Sets whether the server can be reached. */
  turn(reachable: boolean): void {
    this.state = { ...this.state, reachable }
    for (const listener of this.#listeners) listener()
  }

  async close(): Promise<void> {
    this.isClosed = true
    this.#listeners.clear()
  }
}

/** A server in this process. Its stores are kept by bucket. */
export class FakeEngines implements Engines {
  readonly engines: FakeEngine[] = []
  /** If set, the next engines can't be opened for this reason. */
  refusal: EngineRefusal | undefined
  /** Whether the stores of the next engines accept values. */
  canStore = true
  readonly #stores = new Map<string, Map<string, Uint8Array>>()

  start(options: EngineOptions): FakeEngine {
    const { bucket } = options.names
    const store = this.#stores.get(bucket) ?? new Map<string, Uint8Array>()
    this.#stores.set(bucket, store)
    const engine = new FakeEngine(options, store)
    engine.canStore = this.canStore
    this.engines.push(engine)
    return engine
  }

  async open(options: EngineOptions) {
    if (this.refusal !== undefined) return { ok: false as const, ...this.refusal }
    return { ok: true as const, engine: this.start(options) }
  }

  /** The engines that were not closed. */
  get connected(): readonly FakeEngine[] {
    return this.engines.filter(({ isClosed }) => !isClosed)
  }
}
