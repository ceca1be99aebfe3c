import type { LoggedEvent } from '../../app/contract/events.ts'
import type { RequestQuota, Snapshot } from '../../app/contract/snapshot.ts'
import { categoryOf } from '../../app/service/endpoints.ts'
import { Monitor } from '../../main/monitor.ts'
import type { HttpOutcome, HttpRequest } from '../../main/ports/ports.ts'
import { SimulatedService } from '../../main/simulator/simulated-service.ts'
import { Laws } from './laws.ts'
import type { Happening, Story } from './story.ts'
import { VirtualClock } from './virtual-clock.ts'
import { VirtualHttp } from './virtual-http.ts'
import { VirtualRandom } from './virtual-random.ts'
import { FAIR, ROUGH } from './weather.ts'

const PROFILE = 'key'
const ORIGIN = 'https://service.test'
const CREDENTIALS = {
  clientId: 'virtual-key',
  clientSecret: 'Vd7qX2-secret-of-the-key',
  refreshToken: 'Rq9-first-refresh-token',
}
const STEP_MS = 1_000
const SCAN_EVERY_STEPS = 60
/** Long enough for half-open connections to be noticed on both sides and every stream to be back. */
const SETTLING_MS = 180_000

export interface Report {
  readonly virtualMs: number
  readonly clockEvents: number
  /** How often the whole was looked at, and how often a law was held against something. */
  readonly looks: number
  readonly lawsChecked: number
  /** What went wrong on purpose, and how often. */
  readonly faults: Readonly<Record<string, number>>
  readonly events: Readonly<Record<string, number>>
  readonly requests: Readonly<Record<string, number>>
  readonly last: Snapshot
}

/** The whole monitor, the service's rules and the network between them, on one clock and one seed. */
export class World {
  readonly clock = new VirtualClock()
  readonly service: SimulatedService
  readonly http: VirtualHttp
  readonly monitor: Monitor
  readonly told: LoggedEvent[] = []
  readonly #story: Story
  readonly #laws = new Laws([CREDENTIALS.clientSecret, CREDENTIALS.refreshToken])
  readonly #requests: Record<string, number> = {}
  readonly #faults: Record<string, number> = {}
  readonly #inFlight = new Map<string, number>()
  readonly #sentAtMs = new Map<HttpRequest, number>()
  #looks = 0
  #problem: Error | undefined
  /** Somebody else spends, or time was set: the bounds cannot hold any more. */
  #disturbed = false

  constructor(seed: number, story: Story) {
    const random = new VirtualRandom(seed)
    this.#story = story
    this.#disturbed = [story.weather, ...story.happenings.map(({ what }) => what)].some((what) =>
      'duplicated' in what ? what.duplicated > 0 : what.kind === 'weather' && what.weather.duplicated > 0,
    )
    const serviceRandom = random.fork()
    this.service = new SimulatedService(
      { ...story.service, ...CREDENTIALS },
      { nowMs: () => this.clock.worldMs(), random: () => serviceRandom.next() },
    )
    this.http = new VirtualHttp(this.service, this.clock, random.fork(), {
      asked: (request, path) => this.#watched(() => this.#asked(request, path)),
      done: (request, path, outcome) =>
        this.#watched(() => {
          if (path === '/oauth/token') this.#laws.refreshDone(outcome)
          else this.#done(request, path, outcome)
        }),
    })
    this.http.weather = story.weather
    this.monitor = new Monitor({
      clock: this.clock,
      random: random.fork(),
      http: this.http,
      log: { note: (line, fields) => this.#watched(() => this.#noted(line, fields)) },
    })
    this.monitor.subscribe({
      changed: () => {},
      event: (event) =>
        this.#watched(() => {
          this.told.push(event)
          this.#laws.told(event)
        }),
      removed: () => {},
    })
  }

  get snapshot(): Snapshot {
    const snapshot = this.monitor.snapshot(PROFILE)
    if (!snapshot) throw new Error('the profile is gone')
    return snapshot
  }

  connect(): void {
    this.#connect(PROFILE, CREDENTIALS.refreshToken, this.#story.budgetFraction)
  }

  /** A new sign-in on the same API key, as another profile, which spends nothing. */
  connectAgain(id: string): void {
    const nowMs = this.clock.worldMs()
    const grant = this.service.tokens.signIn('openid offline_access MarketData', false, nowMs)
    if (grant.refreshToken === undefined) throw new Error('the sign-in gave no refresh token')
    this.#disturbed = true
    this.#connect(id, grant.refreshToken, 0)
  }

  jumpWall(ms: number): void {
    this.clock.jumpWall(ms)
    this.#laws.wallJumped(ms)
    this.#disturbed ||= ms > 0
  }

  #connect(id: string, refreshToken: string, budgetFraction: number): void {
    this.monitor.connect({
      id,
      name: 'Virtual key',
      environment: 'custom',
      authUrl: ORIGIN,
      baseUrl: ORIGIN,
      ...CREDENTIALS,
      refreshToken,
      probes: { budgetFraction, everySeconds: {} },
      streams: this.#story.streams,
    })
  }

  /** Lives through `ms`, looking at the whole at every step. */
  async live(ms: number): Promise<void> {
    const pending = this.#story.happenings.filter(({ atMs }) => atMs <= ms)
    const startMs = this.clock.worldMs()
    let next = 0
    for (let step = 0; this.clock.worldMs() - startMs < ms; step += 1) {
      const nowMs = this.clock.worldMs() - startMs
      while (pending[next] && pending[next]!.atMs <= nowMs) this.#happens(pending[next++]!.what)
      if (step % 60 === 0) this.http.strikeStreams()
      await this.clock.advance(STEP_MS)
      this.#look(step % SCAN_EVERY_STEPS === 0)
    }
  }

  /** Everything that was wrong is put right; then both sides have to agree on the slots. */
  async settle(): Promise<void> {
    this.http.setWeather(FAIR)
    for (const name of this.service.faults.names()) this.service.faults.set(name, false)
    for (let step = 0; step < SETTLING_MS / STEP_MS; step += 1) {
      await this.clock.advance(STEP_MS)
      this.#look(false)
    }
    await this.#quiet()
    this.#laws.slotsAgree(this.snapshot, this.service)
  }

  report(virtualMs: number): Report {
    const events: Record<string, number> = {}
    for (const { kind } of this.told) events[kind] = (events[kind] ?? 0) + 1
    return {
      virtualMs,
      clockEvents: this.clock.events,
      looks: this.#looks,
      lawsChecked: this.#laws.checked,
      faults: { ...this.http.fates, ...this.#faults },
      events,
      requests: this.#requests,
      last: this.snapshot,
    }
  }

  /** Streams that a refusal made wait open and close all the time: look where none is on its way. */
  async #quiet(): Promise<void> {
    for (let tries = 0; tries < 600; tries += 1) {
      const opening = this.snapshot.streams.some(({ state }) => state === 'opening')
      const settled = this.snapshot.slots.every(
        ({ category, own }) => this.service.slots.own(category) === own,
      )
      if (!opening && settled) return
      await this.clock.advance(500)
    }
  }

  #look(scan: boolean): void {
    if (this.#problem) throw this.#problem
    const { snapshot } = this
    this.#looks += 1
    this.#laws.seen(snapshot)
    if (scan) this.#laws.scanned(snapshot)
    if (this.#isAlone) this.#laws.bounded(snapshot, this.service, this.#busy)
  }

  /** Nobody else spends, and the rule is the one that is current: the arithmetic has to be exact. */
  get #isAlone(): boolean {
    const { traffic = {}, window = 'rolling', table = 'current' } = this.#story.service
    return (
      Object.keys(traffic).length === 0 && window === 'rolling' && table === 'current' && !this.#disturbed
    )
  }

  get #busy(): ReadonlySet<string> {
    const busy = new Set<string>()
    for (const [category, count] of this.#inFlight) if (count > 0) busy.add(category)
    return busy
  }

  #asked(request: HttpRequest, path: string): void {
    if (path === '/oauth/token') {
      this.#requests['token'] = (this.#requests['token'] ?? 0) + 1
      this.#laws.refreshAsked()
      return
    }
    const category = categoryOf(request.method, path)
    this.#requests[category ?? path] = (this.#requests[category ?? path] ?? 0) + 1
    if (category === undefined) return
    const row = this.#rowBefore(category)
    this.#laws.requestAsked(row)
    if (path.includes('/stream/')) return
    this.#count(this.#inFlight, category, 1)
    this.#sentAtMs.set(request, this.clock.worldMs())
  }

  #done(request: HttpRequest, path: string, outcome: HttpOutcome): void {
    const category = categoryOf(request.method, path)
    const sentAtMs = this.#sentAtMs.get(request)
    if (category === undefined || sentAtMs === undefined) return
    this.#sentAtMs.delete(request)
    this.#count(this.#inFlight, category, -1)
    if (outcome.kind === 'not-sent' || (outcome.kind === 'answer' && outcome.status === 401)) return
    const row = this.snapshot.requests.find((one) => one.category === category)
    this.#laws.probeCounted(row, this.#story.budgetFraction, sentAtMs)
  }

  /** The row as it was before the request about to go out was charged to it. */
  #rowBefore(category: string): RequestQuota | undefined {
    const row = this.snapshot.requests.find((one) => one.category === category)
    return row && { ...row, low: Math.min(row.limit, row.low + 1) }
  }

  #count(counts: Map<string, number>, name: string, change: number): void {
    counts.set(name, Math.max(0, (counts.get(name) ?? 0) + change))
  }

  #noted(line: string, fields: unknown): void {
    const text = `${line} ${JSON.stringify(fields)}`
    if (text.includes(CREDENTIALS.clientSecret) || /sim\.[a-z0-9]{12}/.test(text)) {
      throw new Error(`the log line ${line} holds a secret`)
    }
  }

  #happens(what: Happening): void {
    const name = faultOf(what)
    if (name !== undefined) this.#faults[name] = (this.#faults[name] ?? 0) + 1
    switch (what.kind) {
      case 'weather':
        this.http.setWeather(what.weather)
        break
      case 'fault':
        this.service.faults.set(what.name, what.on)
        break
      case 'sleep':
        this.clock.sleep(what.ms)
        this.monitor.wake()
        break
      case 'wall-jump':
        this.jumpWall(what.ms)
        break
      case 'traffic':
        this.service.setTraffic(what.traffic)
        break
      case 'cut-streams':
        this.service.cutStreams('reset')
        break
      case 'open-stream':
        this.monitor.openStream(PROFILE, what.request)
        break
      case 'close-stream': {
        const open = this.snapshot.streams.filter(({ state }) => state !== 'closed')
        if (open.length > 1) this.monitor.closeStream(PROFILE, open.at(-1)!.id)
        break
      }
      case 'expire-access':
        this.service.tokens.expireAccess(this.clock.worldMs())
        break
      case 'try-now':
        this.monitor.tryNow(PROFILE)
        break
    }
  }

  /** A law broken inside a callback of the monitor is kept for the step: the monitor must not catch it. */
  #watched(look: () => void): void {
    try {
      look()
    } catch (problem) {
      this.#problem ??= problem instanceof Error ? problem : new Error(String(problem))
    }
  }
}

/** What a happening breaks; `undefined` for what a person does, and for what is put right. */
function faultOf(what: Happening): string | undefined {
  switch (what.kind) {
    case 'weather':
      if (what.weather.offline) return 'offline'
      return what.weather === ROUGH ? 'rough-weather' : undefined
    case 'fault':
      return what.on === false ? undefined : what.name
    case 'sleep':
    case 'wall-jump':
    case 'traffic':
    case 'cut-streams':
    case 'expire-access':
      return what.kind
    case 'open-stream':
    case 'close-stream':
    case 'try-now':
      return undefined
  }
}

/** Runs one story; a failure says how to see it again. */
export async function simulate(seed: number, hours: number, story: Story): Promise<Report> {
  const world = new World(seed, story)
  const ms = hours * 3_600_000
  try {
    world.connect()
    await world.live(ms)
    await world.settle()
    return world.report(ms)
  } catch (problem) {
    const at = (world.clock.monotonicMs() / 60_000).toFixed(2)
    const replay = `npm run simulate -- --seed ${seed} --hours ${hours}`
    throw new Error(`${String(problem)} (seed ${seed}, minute ${at}). See it again: ${replay}`, {
      cause: problem,
    })
  } finally {
    world.monitor.stop()
  }
}
