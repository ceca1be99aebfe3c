import type { LoggedEvent } from '../../app/contract/events.ts'
import type { RequestQuota, Snapshot } from '../../app/contract/snapshot.ts'
import { categoryOf } from '../../app/service/endpoints.ts'
import type { Monitor } from '../../main/monitor.ts'
import type { HttpHeaders, HttpOutcome, HttpRequest } from '../../main/ports/ports.ts'
import { SimulatedService } from '../../main/simulator/simulated-service.ts'
import { AlertLaws } from './alert-laws.ts'
import { breach } from './breach.ts'
import { faultOf } from './fault-of.ts'
import { Laws } from './laws.ts'
import { Machine } from './machine.ts'
import { RevocationLaws } from './revocation-laws.ts'
import type { Happening, PersonDoes, Story } from './story.ts'
import { TokenLaws } from './token-laws.ts'
import { VirtualClock } from './virtual-clock.ts'
import { VirtualHttp } from './virtual-http.ts'
import { VirtualRandom } from './virtual-random.ts'
import { FAIR } from './weather.ts'

const PROFILE = 'key'
const ORIGIN = 'https://service.test'
const SCOPE = 'openid offline_access MarketData ReadAccount Matrix OptionSpreads'
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
  readonly told: LoggedEvent[] = []
  readonly #machine: Machine
  readonly #story: Story
  readonly #laws = new Laws([CREDENTIALS.clientSecret, CREDENTIALS.refreshToken])
  readonly #tokenLaws = new TokenLaws()
  readonly #revocationLaws = new RevocationLaws()
  readonly #alertLaws = new AlertLaws()
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
      done: (request, path, outcome) => this.#watched(() => this.#done(request, path, outcome)),
      opened: (path, status, headers) =>
        this.#watched(() => this.#headersCame(categoryOf('GET', path), status, headers)),
    })
    this.http.weather = story.weather
    this.#machine = new Machine({
      clock: this.clock,
      random: random.fork(),
      http: this.http,
      profile: PROFILE,
      noted: (line, fields) => this.#watched(() => this.#noted(line, fields)),
      told: (event) => this.#watched(() => this.#toldOf(event)),
      announcer: {
        announce: ({ id }) =>
          this.#watched(() => this.#alertLaws.announced(id, this.snapshot.requests, this.clock.worldMs())),
        withdraw: (id) => this.#watched(() => this.#alertLaws.withdrawn(id)),
      },
      crashed: (step) => this.#count(this.#faults, `crash ${step}`),
      gone: (disk) => {
        const nowMs = this.clock.monotonicMs()
        this.#laws.restarted()
        this.#alertLaws.restarted()
        this.#tokenLaws.restarted(disk)
        this.#revocationLaws.restarted(disk.isRevocationPending, nowMs)
        this.#inFlight.clear()
        this.#sentAtMs.clear()
      },
      broke: (problem) => this.#watched(() => breach(String(problem))),
    })
  }

  get monitor(): Monitor {
    return this.#machine.process.monitor
  }

  get snapshot(): Snapshot {
    const snapshot = this.monitor.snapshot(PROFILE)
    if (!snapshot) throw new Error('the profile is gone')
    return snapshot
  }

  /** From here on tokens are sealed on a disk, and processes may die. */
  async takeDisk(): Promise<void> {
    await this.#machine.takeDisk()
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
    this.#machine.putRight()
    for (let step = 0; step < SETTLING_MS / STEP_MS; step += 1) {
      await this.clock.advance(STEP_MS)
      this.#look(false)
    }
    await this.#quiet()
    this.#laws.slotsAgree(this.snapshot, this.service)
    this.#tokenLaws.settled(this.snapshot)
  }

  report(virtualMs: number): Report {
    const events: Record<string, number> = {}
    for (const { kind } of this.told) this.#count(events, kind)
    const checks = [this.#laws, this.#tokenLaws, this.#revocationLaws, this.#alertLaws]
    return {
      virtualMs,
      clockEvents: this.clock.events,
      looks: this.#looks,
      lawsChecked: checks.reduce((sum, { checked }) => sum + checked, 0),
      faults: { ...this.http.fates, ...this.#faults },
      events,
      requests: this.#requests,
      last: this.snapshot,
    }
  }

  stop(): void {
    this.monitor.stop()
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
    if (!this.#machine.isUp) return
    const { snapshot } = this
    const { alerts } = this.#machine.process
    const monotonicMs = this.clock.monotonicMs()
    this.#looks += 1
    this.#laws.seen(snapshot)
    this.#laws.silence(this.http.longestSilenceMs())
    this.#tokenLaws.seen(snapshot, monotonicMs)
    this.#revocationLaws.seen(snapshot, this.http.openLines, monotonicMs)
    alerts.observe(snapshot)
    if (scan) {
      this.#laws.scanned(snapshot)
      this.#alertLaws.shown(alerts.open())
    }
    if (this.#isAlone) this.#laws.bounded(snapshot, this.service, this.#busy)
    if (this.#problem) throw this.#problem
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

  #toldOf(event: LoggedEvent): void {
    this.told.push(event)
    this.#laws.told(event)
    if (this.#isAlone) this.#laws.nobodyElse(event)
    if (event.profile !== PROFILE) return
    this.#tokenLaws.told(event)
    this.#revocationLaws.told(event, () => this.service.tokens.livingAt(this.clock.worldMs()))
  }

  #asked(request: HttpRequest, path: string): void {
    if (path === '/oauth/token') {
      this.#count(this.#requests, 'token')
      this.#tokenLaws.asked(this.clock.monotonicMs())
      this.#revocationLaws.refreshAsked(this.#tokenLaws.isAnswerLost)
      this.#machine.passes('refresh-sent')
      return
    }
    if (path === '/oauth/revoke') {
      this.#revocationLaws.revokeAsked()
      this.#machine.passes('revoke-sent')
      return
    }
    const category = categoryOf(request.method, path)
    this.#count(this.#requests, category ?? path)
    this.#revocationLaws.resourceAsked(path)
    this.#tokenLaws.used(bearerOf(request), this.snapshot, () => this.#machine.durableToken())
    if (category !== undefined) {
      this.#laws.requestAsked(category, this.#rowBefore(category), this.clock.worldMs())
      if (!path.includes('/stream/')) {
        this.#inFlight.set(category, (this.#inFlight.get(category) ?? 0) + 1)
        this.#sentAtMs.set(request, this.clock.worldMs())
      }
    }
    this.#machine.passes('handed-out')
  }

  #done(request: HttpRequest, path: string, outcome: HttpOutcome): void {
    if (path === '/oauth/token') {
      if (outcome.kind === 'answer') this.#laws.learnFrom(outcome.body)
      this.#tokenLaws.done(outcome, this.clock.monotonicMs())
      this.#machine.passes('refresh-received')
      return
    }
    if (path === '/oauth/revoke') {
      this.#revocationLaws.revokeDone(outcome)
      this.#machine.passes('revoke-received')
      return
    }
    const category = categoryOf(request.method, path)
    const sentAtMs = this.#sentAtMs.get(request)
    if (category === undefined || sentAtMs === undefined) return
    this.#sentAtMs.delete(request)
    this.#inFlight.set(category, Math.max(0, (this.#inFlight.get(category) ?? 0) - 1))
    if (outcome.kind === 'answer') {
      this.#headersCame(category, outcome.status, outcome.headers)
      if (outcome.status === 401) {
        this.#tokenLaws.rejected(bearerOf(request), this.clock.monotonicMs())
        return
      }
    }
    if (outcome.kind === 'not-sent') return
    const row = this.snapshot.requests.find((one) => one.category === category)
    this.#laws.probeCounted(row, this.#story.budgetFraction, sentAtMs)
  }

  #headersCame(category: string | undefined, status: number, headers: HttpHeaders): void {
    if (category === undefined) return
    const hasQuota = 'x-ratelimit-remaining' in headers
    // A refusal says what is left too: nothing.
    if (hasQuota || status === 429) this.#alertLaws.evidence(category, this.clock.worldMs())
    if (status !== 429) return
    this.#laws.refused(category, !hasQuota, this.clock.worldMs())
    this.#alertLaws.refused(category)
  }

  /** The row as it was before the request about to go out was charged to it. */
  #rowBefore(category: string): RequestQuota | undefined {
    const row = this.snapshot.requests.find((one) => one.category === category)
    return row && { ...row, low: Math.min(row.limit, row.low + 1) }
  }

  #count(counts: Record<string, number>, name: string): void {
    counts[name] = (counts[name] ?? 0) + 1
  }

  #noted(line: string, fields: unknown): void {
    const text = `${line} ${JSON.stringify(fields)}`
    if (text.includes(CREDENTIALS.clientSecret) || /sim\.[a-z0-9]{12}/.test(text)) {
      throw new Error(`the log line ${line} holds a secret`)
    }
  }

  #happens(what: Happening): void {
    const name = faultOf(what)
    if (name !== undefined) this.#count(this.#faults, name)
    switch (what.kind) {
      case 'weather':
        this.http.setWeather(what.weather)
        return
      case 'fault':
        this.service.faults.set(what.name, what.on)
        return
      case 'sleep':
        this.clock.sleep(what.ms)
        this.monitor.wake()
        return
      case 'wall-jump':
        this.jumpWall(what.ms)
        return
      case 'traffic':
        this.service.setTraffic(what.traffic)
        return
      case 'cut-streams':
        this.service.cutStreams('reset')
        return
      case 'expire-access':
        this.service.tokens.expireAccess(this.clock.worldMs())
        return
      case 'disk':
        this.#machine.diskIs(what.health)
        return
      case 'crash':
        this.#machine.crashAt(what.step, what.downMs)
        return
      case 'quit':
        this.#machine.quit(what.downMs)
        return
      case 'open-stream':
      case 'close-stream':
      case 'try-now':
      case 'revoke':
      case 'sign-in':
      case 'dismiss-alert':
        if (this.#machine.isUp) this.#personDoes(what)
    }
  }

  #personDoes(what: PersonDoes): void {
    switch (what.kind) {
      case 'open-stream':
        this.monitor.openStream(PROFILE, what.request)
        break
      case 'close-stream': {
        const open = this.snapshot.streams.filter(({ state }) => state !== 'closed')
        if (open.length > 1) this.monitor.closeStream(PROFILE, open.at(-1)!.id)
        break
      }
      case 'try-now':
        this.#tokenLaws.triedNow()
        this.monitor.tryNow(PROFILE)
        break
      case 'revoke':
        // A session that ended is not revoked: it says so, and goes on as it was.
        if (this.snapshot.refresh.state !== 'sign-in-required') {
          this.#revocationLaws.asked(this.clock.monotonicMs())
        }
        void this.monitor.revoke(PROFILE)
        break
      case 'sign-in':
        void this.#signIn()
        break
      case 'dismiss-alert': {
        const alert = this.#machine.process.alerts.open().find(({ dismissed }) => !dismissed)
        if (alert) this.#alertLaws.dismissing(alert.id, () => this.#machine.process.alerts.dismiss(alert.id))
      }
    }
  }

  /** As the dialog has it: a revocation that waits is stood down first, and nobody signs in without need. */
  async #signIn(): Promise<void> {
    const { process } = this.#machine
    const { state } = this.snapshot.refresh
    if (state !== 'sign-in-required' && state !== 'revoked' && state !== 'revoke-unconfirmed') return
    const profile = this.monitor.profile(PROFILE)
    if (profile === undefined) return
    await this.monitor.standDown(profile)
    if (process.isOver) return
    const { refreshToken } = this.service.tokens.signIn(SCOPE, false, this.clock.worldMs())
    if (refreshToken === undefined) throw new Error('the sign-in gave no refresh token')
    this.#laws.learnFrom(`"refresh_token":"${refreshToken}"`)
    this.#tokenLaws.signedIn()
    this.#revocationLaws.signedIn()
    this.#disturbed = true
    this.monitor.signedInAgain({ ...profile, refreshToken })
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

const bearerOf = ({ headers }: HttpRequest): string => headers['authorization']?.slice('Bearer '.length) ?? ''

/** Runs one story, with its tokens on a disk; a failure says how to see it again. */
export async function simulate(seed: number, hours: number, story: Story): Promise<Report> {
  const world = new World(seed, story)
  const ms = hours * 3_600_000
  try {
    await world.takeDisk()
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
    world.stop()
  }
}
