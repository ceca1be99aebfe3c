import type { RequestQuota } from '../../../app/contract/snapshot.ts'
import type { Ledger } from '../../../app/quota/ledger.ts'
import { profileParts } from '../../../main/monitor/profile-parts.ts'
import { DEFAULT_PROBES, type Profile } from '../../../main/ports/profile.ts'
import { Redactor } from '../../../main/ports/redactor.ts'
import { Timeline } from '../../../main/ports/timeline.ts'
import { RequestQuotas } from '../../../main/simulator/rules/request-quotas.ts'
import type { TokenKeeper } from '../../../main/tokens/keeper.ts'
import { chanceFrom } from '../../app/quota/chance.ts'
import { VirtualClock } from '../../simulation/virtual-clock.ts'
import { otherClients } from '../accuracy-clients.ts'
import { CountingService, OWN } from './counting-service.ts'
import type { Kind } from './kinds.ts'
import { type Looks, noLooks } from './looks.ts'
import { Oracles } from './oracles.ts'
import { DrawnTraffic } from './process.ts'
import { chanceOf } from './row-state.ts'

export const CATEGORY = 'Accounts'
const PATH = '/v3/brokerage/accounts'
export const MINUTES = 30
/**
 * The truth continues for this long after the last look, so that the next ten minutes of each look are known.
 */
export const AHEAD_SECONDS = 600
const DRAWN_BEYOND_SECONDS = AHEAD_SECONDS + 120
const AFTER_A_REFUSAL_MS = 30_000

const ACCESS = { kind: 'token', value: 'bench' } as const
/** A key that stays signed in, because the bench does not measure tokens. */
const KEEPER = {
  access: () => Promise.resolve(ACCESS),
  usable: () => ACCESS,
  rejected: () => Promise.resolve(),
  accepted: () => {},
  canUseService: true,
} as unknown as TokenKeeper

/** Options that make a run differ from the default: half an hour of a key without anything learned. */
export interface Watching {
  /** Whether the oracle that does not know the kind of traffic runs, and whether the other one does. */
  readonly asksUntold?: boolean
  readonly asksOracle?: boolean
  readonly startMs?: number
  readonly minutes?: number
  /** Restarts Headroom after look `afterLook`, with or without what it learned. */
  readonly restart?: { readonly afterLook: number; readonly isForgetful: boolean }
  /** `before` and `after` are called before the first and after the last look, `each` at each look. */
  readonly before?: (ledger: Ledger) => void
  readonly each?: (row: RequestQuota, atMs: number) => void
  readonly after?: (ledger: Ledger) => void
}

/**
 * Runs the product's own parts on one kind of traffic for half an hour, or `minutes`, with one look per
 * second.
 */
export async function watchedKey(kind: Kind, seed: number, watching: Watching = {}): Promise<Looks> {
  const { asksUntold = false, asksOracle = true, minutes = MINUTES } = watching
  const lookCount = minutes * 60
  const clock = new VirtualClock(watching.startMs)
  const startMs = clock.worldMs()
  const { limit, periodSeconds } = kind
  const others = new DrawnTraffic(kind.others, startMs, lookCount + DRAWN_BEYOND_SECONDS, chanceFrom(seed))
  const service = new RequestQuotas(
    {
      ...{ table: 'current', window: 'rolling', alreadySpent: {}, traffic: {}, arrivals: 'poisson' },
      ...{ neighbours: [], seed, limits: { [CATEGORY]: { limit, periodSeconds } } },
    },
    startMs,
    { [CATEGORY]: [others] },
  )
  const oracles = new Oracles(kind, seed, AHEAD_SECONDS, asksUntold)
  const peers = otherClients()
  const seconds = (atMs: number) => (atMs - startMs) / 1000
  const looks = noLooks(
    kind,
    lookCount,
    AHEAD_SECONDS,
    peers.map(({ name }) => name),
  )
  let mayAskAtMs = 0
  const http = new CountingService(service, CATEGORY, clock, chanceFrom(seed + 1_000_000), {
    sent: (id, atMs) => {
      for (const peer of peers) peer.sent(id, atMs)
    },
    counted: (remaining, isRefused, isOwn, atMs) => {
      if (asksOracle) oracles.observed(seconds(atMs), remaining, isRefused)
      // A refused check uses nothing of the quota (service 3).
      if (!isRefused && !isOwn) looks.checks += 1
    },
    answered: (id, rate, isRefused, atMs) => {
      for (const peer of peers) peer.answered(id, rate, atMs, isRefused)
      if (isRefused) mayAskAtMs = atMs + AFTER_A_REFUSAL_MS
    },
  })
  const ownChance = chanceFrom(seed + 2_000_000)
  const timeline = new Timeline(clock)
  const ignored = () => {}
  const random = { next: chanceFrom(seed + 3_000_000) }
  const started = () =>
    profileParts(
      PROFILE,
      { clock, timeline, random, http, secrets: new Redactor(), changed: ignored, report: ignored },
      { profile: () => PROFILE, keeper: () => KEEPER },
    )
  let app = started()
  const ask = () => {
    if (clock.worldMs() < mayAskAtMs) return
    void app.client.request({ method: 'GET', path: `${PATH}${OWN}` })
  }
  /** Own requests are a Poisson process. Those that fall into the wait after a 429 are not sent later. */
  const askAfterGap = (): void => {
    clock.happen((-1000 * Math.log(1 - ownChance())) / kind.own, () => {
      ask()
      askAfterGap()
    })
  }
  if (kind.own > 0) askAfterGap()
  watching.before?.(app.ledger)
  app.prober.start()
  for (let look = 0; look < lookCount; look += 1) {
    await clock.advance(1000)
    const atMs = clock.worldMs()
    const truth = service.reading(CATEGORY, atMs)?.remaining ?? Number.NaN
    looks.truth[look] = truth
    const { accepted, refused } = service.elsewhere(CATEGORY, atMs)
    looks.accepted[look] = accepted
    looks.refused[look] = refused
    lookAt(app.ledger, look, atMs)
    if (asksOracle) oracles.tell(looks, look, seconds(atMs))
    for (const peer of peers) looks.peers[peer.name]![look] = peer.remaining(atMs)
    if (look === watching.restart?.afterLook) restart(watching.restart.isForgetful)
  }
  app.prober.stop()
  watching.after?.(app.ledger)
  // After the last look, own requests continue, but checks do not.
  for (let second = lookCount; second < lookCount + AHEAD_SECONDS; second += 1) {
    const atMs = startMs + (second + 1) * 1000
    if (kind.own > 0 && ownChance() < kind.own) service.spend(CATEGORY, atMs)
    looks.truth[second] = service.reading(CATEGORY, atMs)?.remaining ?? Number.NaN
  }
  looks.rate.set(others.rates.subarray(0, looks.rate.length))
  return looks

  function restart(isForgetful: boolean): void {
    const learned = app.ledger.learned()
    app.prober.stop()
    app = started()
    if (!isForgetful) app.ledger.restore(learned)
    app.prober.start()
  }

  function lookAt(from: Ledger, look: number, atMs: number): void {
    const row = from.rowAt(CATEGORY, atMs)
    if (!row) throw new Error('no row')
    watching.each?.(row, atMs)
    looks.state[look] = row.state
    looks.isSeen[look] = row.observedAt === undefined ? 0 : 1
    looks.chance[look] = chanceOf(row)
    looks.middle[look] = row.remaining
    looks.low[look] = row.low
    looks.high[look] = row.high
    looks.headerAgeSeconds[look] = row.observedAt === undefined ? Number.NaN : (atMs - row.observedAt) / 1000
    looks.othersLow[look] = row.use?.elsewhereLow ?? Number.NaN
    looks.othersHigh[look] = row.use?.elsewhereHigh ?? Number.NaN
  }
}

const PROFILE: Profile = {
  id: 'bench',
  name: 'Bench',
  environment: 'simulator',
  authUrl: 'http://127.0.0.1',
  baseUrl: 'http://127.0.0.1',
  clientId: 'bench',
  refreshToken: 'bench',
  probes: DEFAULT_PROBES,
  streams: [],
}
