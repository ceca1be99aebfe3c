import type { ProgramClass } from '../../app/contract/programs.ts'
import { chanceFrom } from '../app/quota/chance.ts'
import { ReferenceService, type Rule } from '../app/quota/reference-service.ts'
import { VirtualClock } from '../simulation/virtual-clock.ts'
import {
  type Answered,
  type Contestant,
  OWN_CONTESTANTS,
  peerContestants,
  type Ring,
} from './limiter-contestants.ts'
import { benchFlags, quantile, round, tell } from './result.ts'

/**
 * Five programs on one key, with the gateway and with npm packages that limit rates: `node
 * test/bench/gateway-limiters.ts [--hours 6.5] [--seed 1] [--own] [--json]`. `--own` leaves out the packages.
 *
 * All contestants get the same day and the same service in virtual time. `setTimeout`, `setInterval` and
 * `Date.now` of this process follow the virtual clock, so that the packages see the same time as the gateway.
 * Exit 1 if an aim is missed.
 */
const { hours, seed, own } = benchFlags({ hours: 6.5, seed: 1, own: false })

const RULE: Rule = { limit: 320, periodSeconds: 300, window: 'rolling' }
const ONE_WAY_MS = 20
const REFILL_MS = (RULE.periodSeconds * 1000) / RULE.limit
/** The number of connections of two programs that send the next request as soon as they get an answer. */
const GREEDY = { scanner: 16, crawler: 8 } as const
const PROGRAMS = ['bot', 'notebook', 'sheet', ...Object.keys(GREEDY)]
/**
 * Time in milliseconds that is not measured: after the start, when the bucket is full, and after a process
 * was killed.
 */
const SETTLING_MS = 400_000
const AIMS = { share: 0.999, criticalP99Ms: 5, lead: 2 } as const

interface Case {
  readonly name: string
  readonly hasUnseen: boolean
  readonly isKilled: boolean
}
const CASES: readonly Case[] = [
  { name: 'alone on the key', hasUnseen: false, isKilled: false },
  { name: 'with others', hasUnseen: true, isKilled: false },
  { name: 'alone, killed at half time', hasUnseen: false, isKilled: true },
  { name: 'with others, killed at half time', hasUnseen: true, isKilled: true },
]

interface Figures {
  /** Share of the quota's capacity, without the part that others used. */
  readonly share: number
  /** Requests of the programs that the service refused. */
  readonly refused: number
  readonly othersRefused: number
  /** Wait without the round trip, in milliseconds. */
  readonly criticalP99Ms: number
  readonly criticalMaxMs: number
  readonly lightP99Ms: number
  /**
   * Maximum by which one greedy program exceeded half of what both greedy programs got, in requests, over any
   * time.
   */
  readonly lead: number
}

/** The events of a day, the same in each case and for each contestant. */
function dayOf(durationMs: number) {
  const chance = chanceFrom(seed)
  const asks: { readonly atMs: number; readonly program: string; readonly class: ProgramClass }[] = []
  const flow = (gapMs: number, one: (atMs: number) => void) => {
    for (let atMs = -Math.log(1 - chance()) * gapMs; atMs < durationMs; ) {
      one(Math.ceil(atMs))
      atMs += -Math.log(1 - chance()) * gapMs
    }
  }
  const burst = (program: string, own: ProgramClass, size: number) => (atMs: number) => {
    for (let i = 0; i < size; i += 1) asks.push({ atMs, program, class: own })
  }
  flow(8_000, burst('bot', 'critical', 1))
  flow(120_000, burst('bot', 'critical', 5))
  flow(20_000, burst('notebook', 'normal', 1))
  flow(240_000, burst('sheet', 'normal', 15))
  const others: { readonly atMs: number; readonly size: number }[] = []
  // Others use a tenth of the quota, sometimes several requests at once. That is less than half of the
  // reserve and less than half of the refill.
  flow(REFILL_MS * 12, (atMs) => others.push({ atMs, size: 1 }))
  flow(REFILL_MS * 150, (atMs) => others.push({ atMs, size: 6 }))
  return { asks, others }
}

/** Runs one contestant for one day. */
async function live(make: (ring: Ring) => Contestant, { hasUnseen, isKilled }: Case): Promise<Figures> {
  const durationMs = hours * 3_600_000
  const clock = new VirtualClock(0)
  const restore = virtualTime(clock)
  try {
    const service = new ReferenceService(RULE, RULE.limit, clock.worldMs())
    const { asks, others } = dayOf(durationMs)
    const count = { accepted: 0, refused: 0, others: 0, othersRefused: 0 }
    const waitsMs: Record<string, number[]> = Object.fromEntries(PROGRAMS.map((name) => [name, []]))
    const lead = { now: 0, least: 0, most: 0, widest: 0 }
    let settledAtMs = SETTLING_MS
    let life = 0
    const served = (program: string) => {
      if (!(program in GREEDY) || clock.worldMs() < settledAtMs) return
      lead.now += program === 'scanner' ? 0.5 : -0.5
      lead.least = Math.min(lead.least, lead.now)
      lead.most = Math.max(lead.most, lead.now)
      lead.widest = Math.max(lead.widest, lead.now - lead.least, lead.most - lead.now)
    }
    const chance = chanceFrom(seed + 1)
    const start = () => make({ clock, rule: RULE, programs: PROGRAMS, chance })
    let contestant = start()
    const trip = (): Promise<void> => new Promise((resolve) => void clock.happen(ONE_WAY_MS, resolve))
    const ask = async (program: string, own: ProgramClass): Promise<boolean> => {
      const ownLife = life
      const fromMs = clock.worldMs()
      const isAnswered = await contestant({
        program,
        class: own,
        send: async (): Promise<Answered> => {
          // Requests that a killed process had planned are not sent.
          if (ownLife !== life) return new Promise(() => {})
          await trip()
          const isAccepted = service.spend(clock.worldMs())
          if (clock.worldMs() <= durationMs) {
            if (isAccepted) count.accepted += 1
            else count.refused += 1
          }
          if (isAccepted) served(program)
          const rate = service.headers(clock.worldMs())
          await trip()
          return { isAccepted, rate }
        },
      })
      if (ownLife === life) waitsMs[program]?.push(clock.worldMs() - fromMs - 2 * ONE_WAY_MS)
      return isAnswered
    }
    const greedy = () => {
      const ownLife = life
      for (const [program, workers] of Object.entries(GREEDY)) {
        for (let i = 0; i < workers; i += 1) {
          void (async () => {
            while (ownLife === life && clock.worldMs() < durationMs) {
              if (!(await ask(program, 'normal'))) await trip()
            }
          })()
        }
      }
    }
    for (const { atMs, program, class: own } of asks) clock.happen(atMs, () => void ask(program, own))
    for (const { atMs, size } of hasUnseen ? others : []) {
      clock.happen(atMs, () => {
        for (let i = 0; i < size; i += 1) {
          if (service.spend(clock.worldMs())) count.others += 1
          else count.othersRefused += 1
        }
      })
    }
    greedy()
    if (isKilled) {
      clock.happen(durationMs / 2, () => {
        life += 1
        settledAtMs = clock.worldMs() + SETTLING_MS
        Object.assign(lead, { now: 0, least: 0, most: 0 })
        contestant = start()
        greedy()
      })
    }
    await clock.advance(durationMs)
    const gives = RULE.limit + durationMs / REFILL_MS - count.others
    return {
      share: count.accepted / gives,
      refused: count.refused,
      othersRefused: count.othersRefused,
      criticalP99Ms: quantile(waitsMs['bot'] ?? [], 0.99),
      criticalMaxMs: Math.max(0, ...(waitsMs['bot'] ?? [])),
      lightP99Ms: quantile(waitsMs['notebook'] ?? [], 0.99),
      lead: lead.widest,
    }
  } finally {
    restore()
  }
}

/**
 * Replaces the timers and the clock of this process by those of `clock`. Returns a function that restores
 * them.
 */
function virtualTime(clock: VirtualClock): () => void {
  const { setTimeout, clearTimeout, setInterval, clearInterval } = globalThis
  const { now } = Date
  const handle = (cancel: () => void) => {
    const timer = { cancel, ref: () => timer, unref: () => timer, hasRef: () => false }
    return timer
  }
  const after = (run: (...args: unknown[]) => void, ms = 0, ...args: unknown[]) =>
    handle(clock.after(Math.max(1, ms), () => run(...args)))
  const every = (run: () => void, ms: number) => {
    const arm = (): (() => void) =>
      clock.after(Math.max(1, ms), () => {
        cancel = arm()
        run()
      })
    let cancel = arm()
    return handle(() => cancel())
  }
  const clear = (timer: { readonly cancel?: () => void } | undefined) => timer?.cancel?.()
  Object.assign(globalThis, {
    ...{ setTimeout: after, clearTimeout: clear, setInterval: every, clearInterval: clear },
  })
  Date.now = () => clock.wallMs()
  return () => {
    Object.assign(globalThis, { setTimeout, clearTimeout, setInterval, clearInterval })
    Date.now = now
  }
}

const contestants = { ...OWN_CONTESTANTS, ...(!own && peerContestants()) }
const results = new Map<string, readonly Figures[]>()
for (const [name, make] of Object.entries(contestants)) {
  const figures: Figures[] = []
  for (const one of CASES) figures.push(await live(make, one))
  results.set(name, figures)
}

const percent = (share: number): number => Number((100 * share).toFixed(2))
const worst = (name: string, of: (figures: Figures) => number): number =>
  Math.max(...(results.get(name) ?? []).map(of))
const OURS = 'Headroom'
const leastShare = (name: string): number => -worst(name, ({ share }) => -share)
const refusedInAll = worst(OURS, ({ refused }) => refused)
const inflicted = worst(OURS, ({ othersRefused }) => othersRefused)
const criticalMs = worst(OURS, ({ criticalP99Ms }) => criticalP99Ms)
const lead = worst(OURS, (figures) => figures.lead)
const seconds = (ms: number): string => (ms < 1000 ? `${Math.round(ms)} ms` : `${round(ms / 1000)} s`)
const why = (isMet: boolean, reason: string): string => (isMet ? '' : `: ${reason}`)
const sharesMet = leastShare(OURS) >= AIMS.share

tell({
  what: 'Share of the quota that the programs used, at least',
  unit: '%',
  better: 'more',
  ours: percent(leastShare(OURS)),
  peers: Object.fromEntries(
    [...results.keys()].filter((name) => name !== OURS).map((name) => [name, percent(leastShare(name))]),
  ),
  details: {},
  table: {
    columns: [
      ...['', 'of what it can give', 'refused', 'others refused'],
      ...['critical waits, p99', 'max', 'light waits, p99', 'unfair lead'],
    ],
    rows: CASES.flatMap((one, i) =>
      [...results].map(([name, figures]) => {
        const of = figures[i]
        if (of === undefined) return [name]
        return [
          ...[`${name}, ${one.name}`, `${percent(of.share)} %`, `${of.refused}`],
          ...[
            one.hasUnseen ? `${of.othersRefused}` : '',
            seconds(of.criticalP99Ms),
            seconds(of.criticalMaxMs),
          ],
          ...[seconds(of.lightP99Ms), `${round(of.lead)}`],
        ]
      }),
    ),
  },
  aims: [
    {
      what: `at least ${100 * AIMS.share} % of the quota, in each case${why(sharesMet, `the reserve of ${Math.ceil(0.06 * RULE.limit)} requests is kept back once, and what is kept back weighs more in a shorter day; a request is on its way for ${ONE_WAY_MS} ms`)}`,
      isMet: sharesMet,
    },
    {
      what: `no 429 for the programs${why(refusedInAll === 0, 'a process that was killed does not know what it had sent, nor the quota, until its first header')}`,
      isMet: refusedInAll === 0,
    },
    {
      what: `no 429 for others${why(inflicted === 0, 'they asked while the bucket was below what they need, which the reserve did not cover')}`,
      isMet: inflicted === 0,
    },
    {
      what: `critical requests wait ${AIMS.criticalP99Ms} ms at most beyond the round trip, p99${why(criticalMs <= AIMS.criticalP99Ms, 'others or bursts had taken the reserve at that moment')}`,
      isMet: criticalMs <= AIMS.criticalP99Ms,
    },
    { what: `unfair lead at most ${AIMS.lead} requests`, isMet: lead <= AIMS.lead },
  ],
  how: `${hours} hours in virtual time, the same day for each: ${RULE.limit} requests in ${RULE.periodSeconds} s, ${2 * ONE_WAY_MS} ms there and back, two programs that always ask for more (over ${GREEDY.scanner} and ${GREEDY.crawler} connections), a notebook, a sheet with bursts of 15, and a critical program with bursts of 5. “Others” share the key unseen, by a tenth of the quota. “Killed” forgets all that it knew at half time. Headroom is the gateway's scheduler, without its sockets. The others are set up as for a bucket that refills: bottleneck (2.19.5, of 2019, the most used) with a reservoir and priorities, p-throttle strict, rate-limiter-flexible with its queue, each with a backoff after a 429; the quota divided gives each program its part by p-throttle. Greedy programs are of the class normal: those of the class background would leave twice the reserve.`,
})
