import { jsonOf } from '../../app/service/json.ts'
import type { BrowserSession } from './browser-session.ts'
import type { TabPlace } from './tab-place.ts'
import type { Link, LinkSource, WindowApi } from './window-api.ts'
import type { WindowClock } from './window-clock.ts'

export interface BrowserApiPorts {
  readonly fetch: typeof globalThis.fetch
  readonly session: BrowserSession
  readonly place: TabPlace
  readonly clock: WindowClock
  /** A random number in [0, 1). */
  readonly random: () => number
}

/** Delays before reconnection attempts, in ms. The last one repeats. */
const BACKOFF_MS = [250, 500, 1000, 2000, 4000, 5000] as const
/** Interval of attempts while too many tabs are open, in ms. */
const TABS_MS = 2_000
/**
 * Time in ms without data after which the host counts as lost. The host sends a blank line every 5 s, so at
 * least two are then missing.
 */
const SILENCE_MS = 12_000

/** Thrown if the host responds that this page has no valid session. */
class NotKnown extends Error {
  readonly why: 'restarted' | 'no-code'

  constructor(why: 'restarted' | 'no-code') {
    super(why)
    this.why = why
  }
}

/**
 * The client of the browser host. Commands are POST requests. All pushes arrive in one response that does not
 * end.
 */
export class BrowserApi implements LinkSource {
  readonly #ports: BrowserApiPorts
  readonly #linkListeners = new Set<(link: Link) => void>()
  readonly #listeners = new Map<string, Set<(value: unknown) => void>>()
  #link: Link = { kind: 'connecting' }
  #failures = 0
  /** Number of the current attempt. Responses to older attempts are ignored. */
  #attempt = 0
  #cancelRetry: () => void = () => {}
  #abort: AbortController | undefined

  readonly api: WindowApi

  constructor(ports: BrowserApiPorts) {
    this.#ports = ports
    this.api = apiThrough(
      (name, arg) => this.#command(name, arg),
      (name, listener) => this.#listen(name, listener),
    )
  }

  current(): Link {
    return this.#link
  }

  subscribe(listener: (link: Link) => void): () => void {
    return listen(this.#linkListeners, listener)
  }

  tryNow(): void {
    if (this.#link.kind === 'lost' || this.#link.kind === 'too-many-tabs') this.start()
  }

  /** Connects immediately. Also called when a new code appears in the address bar. */
  start(): void {
    this.#cancelRetry()
    this.#abort?.abort()
    this.#attempt += 1
    const abort = new AbortController()
    this.#abort = abort
    void this.#connect(this.#attempt, abort)
  }

  async #connect(attempt: number, abort: AbortController): Promise<void> {
    try {
      const bearer = await this.#signIn(abort.signal)
      if (attempt !== this.#attempt) return
      if (bearer === undefined) {
        this.#say({ kind: 'no-session', why: 'no-code' })
        return
      }
      const hasPlace = await this.#ports.place.take()
      if (attempt !== this.#attempt) return
      if (!hasPlace) {
        this.#say({ kind: 'too-many-tabs' })
        this.#cancelRetry = this.#ports.clock.after(TABS_MS, () => this.start())
        return
      }
      await this.#readPushes(bearer, attempt, abort)
      if (attempt === this.#attempt) this.#lost()
    } catch (error) {
      abort.abort()
      if (attempt !== this.#attempt) return
      if (error instanceof NotKnown) this.#notKnown(error.why)
      else this.#lost()
    }
  }

  /**
   * Gets a bearer token. A code in the address bar is newer than a stored bearer token, so it is used first.
   */
  async #signIn(signal: AbortSignal): Promise<string | undefined> {
    const { session } = this.#ports
    const code = session.takeCode()
    if (code === undefined) return session.bearer()
    const answer = await this.#ports.fetch('/api/session', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ code }),
      signal,
    })
    if (answer.status === 401) {
      // The tab was reloaded or restored. The code is used up, but the stored bearer token is still valid.
      const kept = session.bearer()
      if (kept === undefined) throw new NotKnown('no-code')
      return kept
    }
    if (!answer.ok) throw new Error(`session: ${answer.status}`)
    const { bearer } = (await answer.json()) as { bearer: unknown }
    if (typeof bearer !== 'string') throw new Error('session: no bearer')
    session.keep(bearer)
    return bearer
  }

  async #readPushes(bearer: string, attempt: number, abort: AbortController): Promise<void> {
    const { clock } = this.#ports
    let cancelWatch = clock.after(SILENCE_MS, () => abort.abort())
    try {
      const answer = await this.#ports.fetch('/api/pushes', {
        headers: { authorization: `Bearer ${bearer}`, accept: 'application/x-ndjson' },
        cache: 'no-store',
        signal: abort.signal,
      })
      if (answer.status === 401) throw new NotKnown('restarted')
      if (!answer.ok || answer.body === null) throw new Error(`pushes: ${answer.status}`)
      const reader = answer.body.getReader()
      const split = lineSplitter()
      this.#failures = 0
      this.#say({ kind: 'live' })
      for (;;) {
        const { done, value } = await reader.read()
        if (done || attempt !== this.#attempt) return
        cancelWatch()
        cancelWatch = clock.after(SILENCE_MS, () => abort.abort())
        for (const line of split(value)) this.#hear(line)
      }
    } finally {
      cancelWatch()
    }
  }

  #hear(line: string): void {
    const push = parsePush(line)
    if (push === undefined) return
    for (const listener of this.#listeners.get(push.channel) ?? []) listener(push.value)
  }

  #listen(name: string, listener: (value: unknown) => void): () => void {
    let listeners = this.#listeners.get(name)
    if (listeners === undefined) {
      listeners = new Set()
      this.#listeners.set(name, listeners)
    }
    return listen(listeners, listener)
  }

  async #command(name: string, arg: unknown): Promise<unknown> {
    const bearer = this.#ports.session.bearer()
    if (bearer === undefined) throw new Error('Open the link that Headroom printed')
    const answer = await this.#ports.fetch(`/api/command/${name}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
      body: JSON.stringify(arg ?? null),
      cache: 'no-store',
    })
    if (answer.status === 401) {
      // A response to a request with an older bearer token is ignored.
      if (this.#ports.session.bearer() === bearer) this.#notKnown('restarted')
      throw new Error('Headroom was restarted')
    }
    const said = (await answer.json()) as { value?: unknown; error?: unknown }
    if (!answer.ok) {
      throw new Error(typeof said.error === 'string' ? said.error : `${name}: ${answer.status}`)
    }
    return said.value
  }

  #lost(): void {
    const { clock, random } = this.#ports
    const most = BACKOFF_MS[Math.min(this.#failures, BACKOFF_MS.length - 1)] ?? 5000
    this.#failures += 1
    const waitMs = Math.round(most * (0.5 + random() / 2))
    const nowMs = clock.wallMs()
    const sinceMs = this.#link.kind === 'lost' ? this.#link.sinceMs : nowMs
    this.#say({ kind: 'lost', sinceMs, retryAtMs: nowMs + waitMs })
    this.#cancelRetry = clock.after(waitMs, () => this.start())
  }

  #notKnown(why: 'restarted' | 'no-code'): void {
    this.#attempt += 1
    this.#cancelRetry()
    this.#abort?.abort()
    this.#ports.session.forget()
    this.#ports.place.leave()
    this.#say({ kind: 'no-session', why })
  }

  #say(link: Link): void {
    this.#link = link
    for (const listener of this.#linkListeners) listener(link)
  }
}

function listen<T>(listeners: Set<T>, listener: T): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/**
 * Implements the contract without its schemas, which would be a sixth of the script that a browser downloads.
 *
 * A function argument is the listener of a push. Any other argument belongs to a command.
 */
function apiThrough(
  ask: (name: string, arg: unknown) => Promise<unknown>,
  follow: (name: string, listener: (value: unknown) => void) => () => void,
): WindowApi {
  const entry = (name: string) => (arg?: unknown) =>
    typeof arg === 'function' ? follow(name, (value) => void arg(value)) : ask(name, arg)
  return new Proxy({} as WindowApi, {
    // Without this check, the proxy would have a `then` and would therefore count as a promise.
    get: (_target, name) => (typeof name === 'string' && name !== 'then' ? entry(name) : undefined),
  })
}

/**
 * Splits the chunks of a response into lines.
 *
 * A chunk may end anywhere, even within a UTF-8 character. Blank lines only keep the connection alive and are
 * left out. An incomplete last line waits for the next chunk.
 */
export function lineSplitter(): (chunk: Uint8Array) => readonly string[] {
  const decoder = new TextDecoder()
  let rest = ''
  return (chunk) => {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    return lines.filter((line) => line.trim() !== '')
  }
}

/** Parses one line of the push stream. `undefined` for a line that is not a push. */
export function parsePush(line: string): { readonly channel: string; readonly value: unknown } | undefined {
  const said = jsonOf(line)
  if (typeof said !== 'object' || said === null || !('channel' in said) || !('value' in said))
    return undefined
  return typeof said.channel === 'string' ? { channel: said.channel, value: said.value } : undefined
}
