import type { LoggedEvent } from '../../app/contract/events.ts'
import type { Snapshot } from '../../app/contract/snapshot.ts'
import type { Monitor } from '../../main/monitor/monitor.ts'
import { SimulatedService } from '../../main/simulator/simulated-service.ts'
import { AllInvariants } from './all-invariants.ts'
import { applyEvent } from './apply-event.ts'
import { count } from './count.ts'
import { faultOf } from './fault-of.ts'
import { FAIR } from './fault-profile.ts'
import { Machine } from './machine.ts'
import type { Story, StoryEvent } from './story.ts'
import type { TruthCounts } from './truth-invariants.ts'
import { User } from './user.ts'
import { violation } from './violation.ts'
import { VirtualClock } from './virtual-clock.ts'
import { VirtualHttp } from './virtual-http.ts'
import { CREDENTIALS, KEY, PROFILE } from './virtual-key.ts'
import { VirtualRandom } from './virtual-random.ts'
import { WireWatch } from './wire-watch.ts'

const STEP_MS = 1_000
const SCAN_EVERY_STEPS = 60
/** Time in which half-open connections are noticed on both sides and every stream opens again. */
const SETTLING_MS = 180_000
/** Time within which each quota gets a header from the service itself again, or is full. */
const DECEIVED_MS = 300_000

export interface Report {
  readonly virtualMs: number
  readonly clockEvents: number
  /** How often the whole world was checked, and how often an invariant was checked. */
  readonly looks: number
  readonly invariantsChecked: number
  readonly truth: TruthCounts
  /** How often each fault was caused on purpose. */
  readonly faults: Readonly<Record<string, number>>
  readonly events: Readonly<Record<string, number>>
  readonly requests: Readonly<Record<string, number>>
  readonly last: Snapshot
}

/** The whole monitor, the service's rules and the network between them, with one clock and one seed. */
export class World {
  readonly clock = new VirtualClock()
  readonly service: SimulatedService
  readonly http: VirtualHttp
  readonly told: LoggedEvent[] = []
  readonly #machine: Machine
  readonly #story: Story
  readonly #invariants = new AllInvariants([KEY.clientSecret, KEY.refreshToken])
  readonly #wire: WireWatch
  readonly #user: User
  readonly #faults: Record<string, number> = {}
  #looks = 0
  #problem: Error | undefined
  /** Another program uses the quota, or the time was set, so the bounds may no longer hold. */
  #disturbed = false
  #lies = 0
  #deceivedAtMs = Number.NEGATIVE_INFINITY

  constructor(seed: number, story: Story) {
    const random = new VirtualRandom(seed)
    this.#story = story
    this.#disturbed = [
      story.faultProfile,
      ...story.events.flatMap(({ what }) => (what.kind === 'fault-profile' ? [what.faultProfile] : [])),
    ].some(({ duplicated, throttled }) => duplicated > 0 || throttled > 0)
    const serviceRandom = random.fork()
    this.service = new SimulatedService(
      { ...story.service, ...CREDENTIALS },
      { nowMs: () => this.clock.worldMs(), random: () => serviceRandom.next() },
    )
    this.#wire = new WireWatch({
      clock: this.clock,
      invariants: this.#invariants,
      machine: () => this.#machine,
      snapshot: () => this.snapshot,
      budgetFraction: story.budgetFraction,
    })
    this.http = new VirtualHttp(this.service, this.clock, random.fork(), {
      asked: (...asked) => this.#watched(() => this.#wire.asked(...asked)),
      done: (...done) => this.#watched(() => this.#wire.done(...done)),
      opened: (...opened) => this.#watched(() => this.#wire.opened(...opened)),
    })
    this.http.faultProfile = story.faultProfile
    const { alerts } = this.#invariants
    this.#machine = new Machine({
      clock: this.clock,
      random: random.fork(),
      http: this.http,
      profile: PROFILE,
      noted: (line, fields) => this.#watched(() => this.#noted(line, fields)),
      told: (event) => this.#watched(() => this.#toldOf(event)),
      announcer: {
        announce: ({ id }) =>
          this.#watched(() => alerts.announced(id, this.snapshot.requests, this.clock.worldMs())),
        withdraw: (id) => this.#watched(() => alerts.withdrawn(id)),
      },
      crashed: (step) => count(this.#faults, `crash ${step}`),
      gone: (disk) => {
        this.#invariants.restarted(disk, this.clock.monotonicMs())
        this.#wire.restarted()
      },
      broke: (problem) => this.#watched(() => violation(String(problem))),
    })
    this.#user = new User({
      clock: this.clock,
      machine: this.#machine,
      service: this.service,
      invariants: this.#invariants,
      profile: PROFILE,
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

  /** From now on, tokens are stored encrypted on a disk, and processes may die. */
  async takeDisk(): Promise<void> {
    await this.#machine.takeDisk()
  }

  connect(): void {
    this.#connect(PROFILE, KEY.refreshToken, this.#story.budgetFraction)
  }

  /** A new sign-in with the same API key, as another profile that makes no requests. */
  connectAgain(id: string): void {
    const nowMs = this.clock.worldMs()
    const grant = this.service.tokens.signIn('openid offline_access MarketData', false, nowMs)
    if (grant.refreshToken === undefined) throw new Error('the sign-in gave no refresh token')
    this.#disturbed = true
    this.#connect(id, grant.refreshToken, 0)
  }

  jumpWall(ms: number): void {
    this.clock.jumpWall(ms)
    this.#invariants.quotas.wallJumped(ms)
    if (ms < 0) this.#invariants.alerts.clockSetBack()
    this.#disturbed ||= ms > 0
    this.#deceivedAtMs = this.clock.worldMs()
  }

  #connect(id: string, refreshToken: string, budgetFraction: number): void {
    const { streams } = this.#story
    this.monitor.connect({ ...KEY, id, refreshToken, probes: { budgetFraction, everySeconds: {} }, streams })
  }

  /** Runs for `ms`, and checks the whole world at every step. */
  async live(ms: number): Promise<void> {
    const pending = this.#story.events.filter(({ atMs }) => atMs <= ms)
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

  /** All faults are repaired. After that, both sides must agree on the slots. */
  async settle(): Promise<void> {
    this.http.setFaultProfile(FAIR)
    for (const name of this.service.faults.names()) this.service.faults.set(name, false)
    this.#machine.putRight()
    for (let step = 0; step < SETTLING_MS / STEP_MS; step += 1) {
      await this.clock.advance(STEP_MS)
      this.#look(false)
    }
    await this.#quiet()
    this.#invariants.quotas.slotsAgree(this.snapshot, this.service)
    this.#invariants.tokens.settled(this.snapshot)
  }

  report(virtualMs: number): Report {
    const events: Record<string, number> = {}
    for (const { kind } of this.told) count(events, kind)
    return {
      virtualMs,
      clockEvents: this.clock.events,
      looks: this.#looks,
      invariantsChecked: this.#invariants.checked,
      truth: this.#invariants.truth.counts,
      faults: { ...this.http.requestFaults, ...this.#faults },
      events,
      requests: this.#wire.requests,
      last: this.snapshot,
    }
  }

  stop(): void {
    this.monitor.stop()
  }

  /**
   * Streams that wait after a rejection open and close all the time. Waits for a time at which none is being
   * opened.
   */
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
    this.#invariants.quotas.seen(snapshot)
    this.#invariants.quotas.silence(this.http.longestSilenceMs())
    this.#invariants.tokens.seen(snapshot, monotonicMs)
    this.#invariants.revocation.seen(snapshot, this.http.openLines, monotonicMs)
    alerts.observe(snapshot)
    if (scan) {
      this.#invariants.quotas.scanned(snapshot)
      this.#invariants.alerts.shown(alerts.open())
    }
    if (!this.#isDeceived) this.#invariants.truth.seen(snapshot, this.service, this.#wire.busy)
    if (this.#isAlone) this.#invariants.quotas.bounded(snapshot, this.service, this.#wire.busy)
    if (this.#problem) throw this.#problem
  }

  /**
   * Whether the app may still rely on false data: the clock was set, or a proxy in front of the service
   * reported an empty quota.
   */
  get #isDeceived(): boolean {
    const lies = this.http.requestFaults['throttled'] ?? 0
    if (lies !== this.#lies) this.#deceivedAtMs = this.clock.worldMs()
    this.#lies = lies
    return this.clock.worldMs() - this.#deceivedAtMs < DECEIVED_MS
  }

  /** No other program uses the quota and the current rule applies, so the arithmetic must be exact. */
  get #isAlone(): boolean {
    const { traffic = {}, window = 'rolling', table = 'current' } = this.#story.service
    return (
      Object.keys(traffic).length === 0 && window === 'rolling' && table === 'current' && !this.#disturbed
    )
  }

  #toldOf(event: LoggedEvent): void {
    this.told.push(event)
    this.#invariants.quotas.told(event)
    if (this.#isAlone) this.#invariants.quotas.nobodyElse(event)
    if (event.profile !== PROFILE) return
    this.#invariants.tokens.told(event, (token) => this.service.tokens.honours(token, this.clock.worldMs()))
    this.#invariants.revocation.told(event, () => this.service.tokens.livingAt(this.clock.worldMs()))
  }

  #noted(line: string, fields: unknown): void {
    const text = `${line} ${JSON.stringify(fields)}`
    if (text.includes(KEY.clientSecret) || /sim\.[a-z0-9]{12}/.test(text)) {
      throw new Error(`the log line ${line} holds a secret`)
    }
  }

  #happens(what: StoryEvent): void {
    const name = faultOf(what)
    if (name !== undefined) count(this.#faults, name)
    applyEvent(what, {
      clock: this.clock,
      http: this.http,
      service: this.service,
      machine: this.#machine,
      user: this.#user,
      jumpWall: (ms) => this.jumpWall(ms),
    })
  }

  /**
   * Stores an error of an invariant that is checked in a callback of the monitor. The step throws it later,
   * because the monitor must not catch it.
   */
  #watched(look: () => void): void {
    try {
      look()
    } catch (problem) {
      this.#problem ??= problem instanceof Error ? problem : new Error(String(problem))
    }
  }
}
