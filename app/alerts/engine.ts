import {
  type Condition,
  conditionsOf,
  hasRecovered,
  isCauseOf,
  type KeyConditions,
} from '../conditions/evaluate.ts'
import { type AlertKind, CONDITION_KINDS, CONDITIONS, isOfRow, kindRow } from '../conditions/kinds.ts'
import { Lifetime } from '../conditions/lifetime.ts'
import { alertText, recoveredText } from '../conditions/messages/conditions.ts'
import type { Alert, AlertSeverity } from '../contract/alerts.ts'
import { urgencyOf } from '../contract/severity.ts'
import type { RequestQuota, Snapshot } from '../contract/snapshot.ts'
import { isSlotCountCurrent, waitsForSlot } from '../status/stream-status.ts'

/** Raises or withdraws an alert. Each effect is returned once. */
export type AlertEffect =
  | { readonly kind: 'raised'; readonly alert: Alert }
  | { readonly kind: 'withdrawn'; readonly alert: Alert }

/** Alert kinds about 429s. When the last such alert of a quota ends, a `capacity-back` alert follows. */
const REFUSING: readonly AlertKind[] = ['rate-limited', 'others-use-refill']
/** How long a `capacity-back` alert stays open. Milliseconds. */
const CAPACITY_BACK_MS = 2 * 60_000

/**
 * One occurrence of a root condition in one profile, from its first observation to its end. May raise an
 * alert.
 */
interface Episode {
  readonly profile: string
  readonly kind: AlertKind
  readonly subject: string
  readonly lifetime: Lifetime
  /** Time of the latest evidence for the condition, epoch ms. Only newer data can show that it ended. */
  badAsOfMs: number
  /** Absent until the condition has lasted for its hold time. */
  alert: Alert | undefined
}

/**
 * Raises alerts for root conditions that last, in all profiles. Needs one snapshot of each profile per
 * second.
 *
 * An episode raises one alert, and another when it becomes critical. Two events withdraw the alert: newer
 * evidence that the condition has ended, and an alert about the condition's cause.
 *
 * While a condition's cause lasts, or the last header of its row is too old, the condition's state is
 * unknown. Meanwhile, no alert about it is raised, and an open alert stays.
 */
export class AlertEngine {
  readonly #episodes = new Map<string, Episode>()
  /** Alerts that were open when the last run of the app ended. Kept until their profile's next snapshot. */
  #restored: readonly Alert[]

  constructor(restored: readonly Alert[] = []) {
    this.#restored = restored
  }

  observe(snapshot: Snapshot): readonly AlertEffect[] {
    const { at } = snapshot
    const profile = snapshot.profile.id
    this.#restore(profile)
    const conditions = conditionsOf(snapshot, at)
    const lasting = new Set<Episode>()
    const effects = conditions.roots.flatMap((condition) => {
      const badAsOfMs = evidenceOf(condition, snapshot)
      if (badAsOfMs === undefined || !alerts(condition, snapshot)) return []
      const { kind, subject = '', since = at } = condition
      const episode = this.#episode({ profile, kind, subject }, Math.min(since, at))
      episode.badAsOfMs = Math.max(episode.badAsOfMs, badAsOfMs)
      episode.lifetime.seen()
      lasting.add(episode)
      return this.#lasts(episode, condition, snapshot)
    })
    const others = this.#of(profile).filter((episode) => !lasting.has(episode))
    return [...effects, ...others.flatMap((episode) => this.#isOver(episode, conditions, snapshot))]
  }

  /** Withdraws every alert of a profile that was disconnected. */
  removed(profile: string): readonly AlertEffect[] {
    return this.#of(profile).flatMap((episode) => this.#end(episode))
  }

  /** Open alerts, worst first, then latest first. */
  alerts(): readonly Alert[] {
    return [...this.#episodes.values()]
      .flatMap(({ alert }) => alert ?? [])
      .sort(
        (a, b) => urgencyOf(b.severity) - urgencyOf(a.severity) || b.at - a.at || a.id.localeCompare(b.id),
      )
  }

  /** Marks an alert as seen. Returns the updated alert, or `undefined` if its episode has ended. */
  dismiss(id: string): Alert | undefined {
    const episode = [...this.#episodes.values()].find(({ alert }) => alert?.id === id)
    if (episode?.alert) episode.alert = { ...episode.alert, dismissed: true }
    return episode?.alert
  }

  /** Withdraws the `low` alerts of a profile, because they refer to the former threshold. */
  thresholdsChanged(profile: string): readonly AlertEffect[] {
    return this.#of(profile).flatMap((episode) => (episode.kind === 'low' ? this.#end(episode) : []))
  }

  #lasts(episode: Episode, condition: Condition, snapshot: Snapshot): readonly AlertEffect[] {
    const { lifetime, alert } = episode
    const severity = condition.severity === 'critical' ? 'critical' : 'warning'
    const isNews =
      alert === undefined
        ? snapshot.at - lifetime.sinceMs >= (kindRow(condition.kind)?.alert?.holdMs ?? 0)
        : urgencyOf(severity) > urgencyOf(alert.severity)
    if (!isNews) return []
    // The new alert replaces two kinds of alerts: alerts about its consequences, and a `capacity-back` alert
    // about the same subject.
    const replaced = this.#of(episode.profile).filter(
      (one) => isCauseOf(condition, one) || (one.kind === 'capacity-back' && one.subject === episode.subject),
    )
    return [
      ...replaced.flatMap((one) => this.#end(one)),
      ...withdrawn(episode),
      raised(episode, { severity, at: snapshot.at, ...alertText(condition, snapshot, snapshot.at) }),
    ]
  }

  #isOver(episode: Episode, conditions: KeyConditions, snapshot: Snapshot): readonly AlertEffect[] {
    const { kind, alert, lifetime } = episode
    const { at } = snapshot
    if (alert === undefined) return this.#end(episode)
    if (kind === 'capacity-back') return at - alert.at >= CAPACITY_BACK_MS ? this.#end(episode) : []
    const goodAsOfMs = goodAsOf({ ...episode, kind }, conditions, snapshot)
    if (goodAsOfMs === 'gone') return this.#end(episode)
    if (goodAsOfMs === undefined || goodAsOfMs <= episode.badAsOfMs) {
      lifetime.seen()
      return []
    }
    if (!lifetime.missed(at)) return []
    const isNews = kind === 'rate-limited' || (kind === 'others-use-refill' && alert.severity === 'critical')
    return [...this.#end(episode), ...(isNews ? this.#capacityBack(episode, snapshot) : [])]
  }

  #capacityBack({ profile, subject }: Episode, snapshot: Snapshot): readonly AlertEffect[] {
    const episode = this.#episode({ profile, kind: 'capacity-back', subject }, snapshot.at)
    // A 429 and its cause may end at different times. Only the later end is reported.
    const isRefused = this.#of(profile).some(
      (one) => one.subject === subject && one.alert !== undefined && REFUSING.includes(one.kind),
    )
    if (isRefused || episode.alert !== undefined) return []
    const { title, body } = recoveredText('capacity-back', subject, snapshot, snapshot.at)
    return [raised(episode, { severity: 'ok', at: snapshot.at, title, body })]
  }

  #end(episode: Episode): readonly AlertEffect[] {
    this.#episodes.delete(keyOf(episode))
    return withdrawn(episode)
  }

  #restore(profile: string): void {
    for (const alert of this.#restored) {
      const kind = kindOf(alert)
      if (alert.profile !== profile || kind === undefined) continue
      const episode = this.#episode({ ...alert, kind }, alert.since)
      episode.alert = { ...alert, kind }
      episode.badAsOfMs = alert.at
    }
    this.#restored = this.#restored.filter((alert) => alert.profile !== profile)
  }

  #episode(of: Pick<Episode, 'profile' | 'kind' | 'subject'>, sinceMs: number): Episode {
    const key = keyOf(of)
    const known = this.#episodes.get(key)
    if (known !== undefined) return known
    const { profile, kind, subject } = of
    const lifetime = new Lifetime(kind, sinceMs)
    const episode: Episode = { profile, kind, subject, lifetime, badAsOfMs: 0, alert: undefined }
    this.#episodes.set(key, episode)
    return episode
  }

  #of(profile: string): readonly Episode[] {
    return [...this.#episodes.values()].filter((episode) => episode.profile === profile)
  }
}

/** Kinds stored by earlier versions, mapped to their present names. */
const FORMER_KINDS: Readonly<Record<string, AlertKind>> = {
  'runs-out': 'running-out',
  'below-threshold': 'low',
  blocked: 'rate-limited',
  refused: 'token-rejected',
  'slots-low': 'slots-full',
  'stream-stale': 'streams-silent',
  'stream-restarts': 'streams-restarting',
  'sign-in-1h': 'sign-in-ends',
  'sign-in-15min': 'sign-in-ends',
  'sign-in-required': 'signed-out',
  'revoke-unconfirmed': 'revocation-unconfirmed',
}

/** The kind of a stored alert. `undefined` if this version does not know it. */
export const kindOf = ({ kind }: Pick<Alert, 'kind'>): AlertKind | undefined =>
  FORMER_KINDS[kind] ?? [...CONDITION_KINDS, 'capacity-back' as const].find((one) => one === kind)

const keyOf = ({ profile, kind, subject }: Pick<Episode, 'profile' | 'kind' | 'subject'>): string =>
  `${profile}/${kind}/${subject}`

function withdrawn(episode: Episode): readonly AlertEffect[] {
  const { alert } = episode
  episode.alert = undefined
  return alert ? [{ kind: 'withdrawn', alert }] : []
}

function raised(
  episode: Episode,
  announced: Pick<Alert, 'at' | 'title' | 'body'> & { readonly severity: AlertSeverity },
): AlertEffect {
  const { profile, kind, subject, lifetime } = episode
  const id = `${keyOf(episode)}@${announced.at}`
  episode.alert = { id, profile, kind, subject, since: lifetime.sinceMs, ...announced, dismissed: false }
  return { kind: 'raised', alert: episode.alert }
}

function alerts({ kind, subject, severity }: Condition, { streams }: Snapshot): boolean {
  if (severity !== 'critical' && severity !== 'warning') return false
  if (kind !== 'slots-full') return kindRow(kind)?.alert !== undefined
  return streams.some((stream) => stream.category === subject && waitsForSlot(stream))
}

/**
 * Maximum age of a header for an alert about its row, in milliseconds: half of the row's period, but at least
 * 60 s and at most 150 s.
 */
export const freshForMs = (periodSeconds: number): number =>
  Math.min(150_000, Math.max(60_000, (periodSeconds * 1000) / 2))

/** Time of the header that shows a row's level, epoch ms. `undefined` if there is no recent header. */
function headerOf({ source, observedAt, period }: RequestQuota, nowMs: number): number | undefined {
  if (source === 'default' || observedAt === undefined) return undefined
  return nowMs - observedAt <= freshForMs(period) ? observedAt : undefined
}

/** Time of a condition's evidence, epoch ms. `undefined` if too old for an alert. */
function evidenceOf({ row }: Condition, { at }: Snapshot): number | undefined {
  // A 429 is evidence by itself. It needs no header.
  const isRefused = row?.blockedUntil !== undefined || row?.nextTryAt !== undefined
  return row === undefined || isRefused ? at : headerOf(row, at)
}

/**
 * Time of the evidence that a condition ended, epoch ms. `undefined` if unknown, `gone` if its subject no
 * longer exists.
 */
function goodAsOf(
  { kind, subject }: { readonly kind: Condition['kind']; readonly subject: string },
  { roots, consequences }: KeyConditions,
  { at, service, refresh, requests, slots }: Snapshot,
): number | 'gone' | undefined {
  if ([...roots, ...consequences].some((cause) => isCauseOf(cause, { kind, subject }))) return undefined
  const isUnasked =
    CONDITIONS[kind].aspect === 'sign-in' ? refresh.state === 'unconfirmed' : service.pending === true
  if (isUnasked) return undefined
  if (subject === '') return at
  const row = requests.find(({ category }) => category === subject)
  if (row !== undefined && isOfRow(kind)) {
    if (!hasRecovered(kind, row, at)) return undefined
    return headerOf(row, at)
  }
  const group = slots.find(({ category }) => category === subject)
  if (kind === 'slots-full' && group !== undefined) return isSlotCountCurrent(group, at) ? at : undefined
  return row === undefined && group === undefined ? 'gone' : at
}
