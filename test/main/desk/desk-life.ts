import { ConditionTracker } from '../../../app/conditions/tracker.ts'
import { RecentHistory } from '../../../app/history/recent.ts'
import { MeteredLedger } from '../../../app/quota/metered-ledger.ts'
import { CURRENT_REQUEST_QUOTAS, PROBED_CATEGORIES, SLOT_QUOTAS } from '../../../app/service/categories.ts'
import { observe } from '../../../app/service/headers.ts'
import { SlotLedger } from '../../../app/streams/slots.ts'
import { Prober } from '../../../main/api/prober.ts'
import { QuotaTap } from '../../../main/api/quota-tap.ts'
import { DeskSession } from '../../../main/desk/desk-session.ts'
import { deskNames } from '../../../main/desk/envelope.ts'
import type { OwnProgram } from '../../../main/desk/own-report.ts'
import { Redactor } from '../../../main/ports/redactor.ts'
import { Timeline } from '../../../main/ports/timeline.ts'
import { ReferenceService, type Rule } from '../../app/quota/reference-service.ts'
import { VirtualClock } from '../../simulation/virtual-clock.ts'
import { VirtualRandom } from '../../simulation/virtual-random.ts'
import { quotaHeaders } from '../quota-headers.ts'
import { bytesFrom, SECRET } from './virtual-desk.ts'
import { type NetworkTraits, VirtualDeskServer } from './virtual-desk-server.ts'
import { type MachineTraits, VirtualMachine } from './virtual-machine.ts'

export const CATEGORY = 'Accounts'
const PATH = '/v3/brokerage/accounts'

export interface DeskWorldOptions {
  readonly seed: number
  readonly rule?: Rule
  readonly network?: Partial<NetworkTraits>
}

/** One key, its service, a desk's server and the machines that share the key, in virtual time. */
export class DeskWorld {
  readonly clock = new VirtualClock()
  readonly random: VirtualRandom
  readonly server: VirtualDeskServer
  readonly service: ReferenceService
  readonly machines: DeskMachine[] = []
  /** Requests that the service accepted from programs outside the desk. */
  elsewhere = 0

  constructor({
    seed,
    rule = { limit: 250, periodSeconds: 300, window: 'rolling' },
    network,
  }: DeskWorldOptions) {
    this.random = new VirtualRandom(seed)
    this.server = new VirtualDeskServer(this.clock, seed, network)
    this.service = new ReferenceService(rule, rule.limit, this.clock.worldMs())
  }

  machine(name: string, traits: MachineTraits = {}): DeskMachine {
    const machine = new DeskMachine(this, name, traits)
    this.machines.push(machine)
    return machine
  }

  advance(ms: number): Promise<void> {
    return this.clock.advance(ms)
  }

  /** Another program uses the key. */
  usedElsewhere(): void {
    if (this.service.spend(this.clock.worldMs())) this.elsewhere += 1
  }
}

interface Trip {
  /** How long a request takes there and back, in ms. */
  readonly tripMs?: readonly [number, number]
}

/** One machine with the parts of Headroom that a desk affects. */
export class DeskMachine {
  readonly name: string
  readonly machine: VirtualMachine
  readonly timeline: Timeline
  readonly ledger: MeteredLedger
  readonly slots = new SlotLedger(SLOT_QUOTAS, (category, reading) => this.desk?.slots(category, reading))
  readonly tap: QuotaTap
  readonly events: string[] = []
  /** Decides which of the desk's reports are events. */
  readonly #tracker = new ConditionTracker()
  /** Checks only the one category that the service counts; see `check`. */
  readonly prober: Prober
  /** When this machine sent a check, in ms of the world. */
  readonly checks: number[] = []
  /** Requests of this machine that the service accepted. */
  accepted = 0
  /** 429s that this machine got. */
  refused = 0
  desk: DeskSession | undefined
  snoozedUntilMs: number | undefined
  snoozeChosenMs: number | undefined
  revokedAtMs: number | undefined
  lookedAtMs: number | undefined
  /** How often a refusal ended the machine's part in the queue. */
  queueEnds = 0
  /** The programs behind this machine's gateway. */
  programs: readonly OwnProgram[]
  readonly #world: DeskWorld
  #cancelSamples: () => void = () => {}

  constructor(world: DeskWorld, name: string, traits: MachineTraits) {
    this.#world = world
    this.name = name
    const idle = { class: 'normal', weight: 1, waiting: 0, longestWaitMs: 0, use: [] } as const
    this.programs = [{ ...idle, name: `${name.toLowerCase()}-bot`, perSecond: 0.5 }]
    this.machine = new VirtualMachine(world.clock, traits)
    this.timeline = new Timeline(this.machine, (fromMs, toMs) => this.ledger.markClockUncertain(fromMs, toMs))
    this.ledger = new MeteredLedger(CURRENT_REQUEST_QUOTAS, this.timeline.now())
    this.tap = new QuotaTap({
      ledger: this.ledger,
      history: new RecentHistory(),
      timeline: this.timeline,
      random: world.random,
      secrets: new Redactor(),
      report: ({ kind }) => kind.startsWith('elsewhere') && void this.events.push(kind),
      changed: () => {},
      clock: this.machine,
      desk: () => this.desk,
    })
    this.prober = new Prober(
      {
        budgetFraction: 0.02,
        everySeconds: Object.fromEntries(
          PROBED_CATEGORIES.flatMap((name) => (name === CATEGORY ? [] : [[name, 0]])),
        ),
      },
      {
        clock: this.machine,
        timeline: this.timeline,
        random: world.random,
        quotas: this.ledger,
        mayProbe: () => true,
        desk: () => this.desk,
        request: async () => {
          this.checks.push(world.clock.worldMs())
          await this.#asked({ tripMs: [40, 80] })
          return { kind: 'answered', status: 200, body: '{"Accounts":[]}', hasQuota: true }
        },
      },
    )
  }

  /** Sends checks from now on. */
  check(): void {
    this.prober.start()
  }

  get id(): string {
    return Buffer.from(this.name.padEnd(8).slice(0, 8)).toString('hex')
  }

  /** Joins the world's desk, as a new run. */
  join(
    changes: { readonly secret?: string; readonly user?: string; readonly isFromStart?: boolean } = {},
  ): DeskSession {
    const { secret = SECRET, user, isFromStart = false } = changes
    const engine = this.#world.server.engines(this.machine).start({ servers: [], names: deskNames(secret) })
    const desk = new DeskSession({
      membership: {
        secret,
        memberId: this.id,
        name: this.name,
        marks: { ...(user !== undefined && { user }) },
      },
      engine,
      isFromStart,
      clock: this.machine,
      timeline: this.timeline,
      random: this.#world.random,
      randomBytes: bytesFrom(this.#world.random),
      ledger: this.ledger,
      slots: this.slots,
      tap: this.tap,
      prober: this.prober,
      programs: () => this.programs,
      copied: () => {},
      queueEnded: () => {
        this.queueEnds += 1
      },
      lookedAtMs: () => this.lookedAtMs,
      snooze: {
        read: () => ({ untilMs: this.snoozedUntilMs, chosenAtMs: this.snoozeChosenMs }),
        adopt: (untilMs, chosenAtMs) => {
          this.snoozedUntilMs = untilMs
          this.snoozeChosenMs = chosenAtMs
        },
      },
      revokedAtMs: () => this.revokedAtMs,
      revoked: () => {
        this.revokedAtMs = this.timeline.now()
      },
      report: (report) => {
        if (this.#tracker.eventOf(report, this.timeline.now()) === undefined) return
        this.events.push('name' in report ? `${report.kind} ${report.name}` : report.kind)
      },
      changed: () => {},
    })
    this.desk = desk
    desk.start()
    this.#cancelSamples()
    this.#sample()
    return desk
  }

  /** Evaluates the rows every three seconds, as `sampleModel` does. */
  #sample(): void {
    const now = this.timeline.now()
    this.tap.evaluate(this.ledger.view(now), now)
    this.#cancelSamples = this.machine.after(3_000, () => this.#sample())
  }

  /** The members of the desk as this machine shows them, without values that differ from run to run. */
  get members() {
    return this.desk?.summary().members.map(({ name, present, total }) => ({ name, present, total }))
  }

  /** Kills the process, so the others receive no message. */
  kill(): void {
    this.machine.kill()
  }

  get row() {
    return this.ledger.rowAt(CATEGORY, this.timeline.now())
  }

  /** What the row tells of requests since the start. */
  get used() {
    return this.ledger.view(this.timeline.now()).find(({ category }) => category === CATEGORY)?.used
  }

  /** Sends a request if this machine believes that one is left, and handles the response. */
  request({ tripMs = [10, 120] }: Trip = {}): void {
    this.machine.run(() => {
      const row = this.row
      if (row !== undefined && row.low >= 1 && row.blockedUntil === undefined) void this.#asked({ tripMs })
    })
  }

  #asked({ tripMs }: Required<Trip>): Promise<void> {
    const { clock, random, service } = this.#world
    return new Promise((resolve) => {
      const ticket = this.tap.sent('GET', PATH)
      clock.happen(random.between(...tripMs) / 2, () => {
        const isAccepted = service.spend(clock.worldMs())
        if (isAccepted) this.accepted += 1
        else this.refused += 1
        const { limit, periodSeconds, remaining, resetSeconds } = service.headers(clock.worldMs())
        const headers = quotaHeaders(remaining, resetSeconds, { limit, periodSeconds })
        clock.happen(random.between(...tripMs) / 2, () =>
          this.machine.run(() => {
            this.tap.answered(ticket, observe(isAccepted ? 200 : 429, headers), '')
            resolve()
          }),
        )
      })
    })
  }
}
