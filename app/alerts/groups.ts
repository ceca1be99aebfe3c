import type { Alert, Announcement } from '../contract/alerts.ts'
import { mostUrgent, urgencyOf } from '../contract/severity.ts'

/** Alerts of one profile and kind form a group if at least `GROUP_FROM` begin in this time. Milliseconds. */
const GROUP_WITHIN_MS = 5_000
const GROUP_FROM = 3

/**
 * Alerts that are announced together: three or more of the same kind in quick succession, or a single alert.
 */
export interface AlertGroup {
  /** Id of the group's first alert. */
  readonly id: string
  /** Oldest first. Never empty. */
  readonly alerts: readonly [Alert, ...Alert[]]
}

/** Groups open alerts, worst first, then latest first. */
export function groupsOf(alerts: readonly Alert[]): readonly AlertGroup[] {
  const lanes = new Map<string, [Alert, ...Alert[]][]>()
  for (const alert of alerts.toSorted((a, b) => a.at - b.at)) {
    const key = laneOf(alert)
    const bursts = lanes.get(key) ?? []
    lanes.set(key, bursts)
    const burst = bursts.at(-1)
    if (burst !== undefined && alert.at - burst[0].at <= GROUP_WITHIN_MS) burst.push(alert)
    else bursts.push([alert])
  }
  return [...lanes.values()]
    .flat()
    .flatMap((burst): readonly AlertGroup[] =>
      burst.length >= GROUP_FROM
        ? [{ id: burst[0].id, alerts: burst }]
        : burst.map((alert) => ({ id: alert.id, alerts: [alert] })),
    )
    .sort((a, b) => worstOf(b) - worstOf(a) || b.alerts[0].at - a.alerts[0].at)
}

const worstOf = ({ alerts }: AlertGroup): number =>
  Math.max(...alerts.map(({ severity }) => urgencyOf(severity)))

const laneOf = ({ profile, kind }: Alert): string => `${profile}\n${kind}`

/** Title of a group of alerts: `429 on Positions, and 2 more`. */
export const groupTitle = (title: string, count: number): string => `${title}, and ${count - 1} more`

export type AnnouncementEffect =
  | { readonly kind: 'announce'; readonly announcement: Announcement }
  | { readonly kind: 'withdraw'; readonly id: string }

interface Burst {
  readonly groupId: string
  readonly firstAtMs: number
  readonly open: Set<string>
  count: number
  isGrouped: boolean
}

/**
 * Turns alerts into announcements.
 *
 * The third alert of a kind within five seconds replaces the earlier announcements with one. Later alerts of
 * that burst are silent.
 */
export class Announcements {
  readonly #bursts = new Map<string, Burst>()
  readonly #burstOf = new Map<string, Burst>()

  raised(alerts: readonly Alert[]): readonly AnnouncementEffect[] {
    const lanes = new Map<string, Alert[]>()
    for (const alert of alerts) lanes.set(laneOf(alert), [...(lanes.get(laneOf(alert)) ?? []), alert])
    return [...lanes].flatMap(([lane, together]) => this.#raisedIn(lane, together))
  }

  /** Records the end of an alert, or its dismissal. */
  ended(id: string): readonly AnnouncementEffect[] {
    const burst = this.#burstOf.get(id)
    this.#burstOf.delete(id)
    burst?.open.delete(id)
    if (!burst?.isGrouped) return [{ kind: 'withdraw', id }]
    return burst.open.size === 0 ? [{ kind: 'withdraw', id: burst.groupId }] : []
  }

  #raisedIn(lane: string, alerts: readonly Alert[]): readonly AnnouncementEffect[] {
    const [first] = alerts
    if (first === undefined) return []
    const burst = this.#burstAt(lane, first)
    const before = [...burst.open]
    burst.count += alerts.length
    for (const { id } of alerts) {
      burst.open.add(id)
      this.#burstOf.set(id, burst)
    }
    if (burst.isGrouped) return []
    if (burst.count < GROUP_FROM) {
      return alerts.map(({ id, severity, title, body }) => ({
        kind: 'announce',
        announcement: { id, severity, title, body },
      }))
    }
    burst.isGrouped = true
    const announcement = {
      id: burst.groupId,
      severity: mostUrgent(alerts)?.severity ?? 'ok',
      title: groupTitle(first.title, burst.count),
      body: first.body,
    }
    return [...before.map((id) => ({ kind: 'withdraw', id }) as const), { kind: 'announce', announcement }]
  }

  #burstAt(lane: string, { id, at }: Alert): Burst {
    const known = this.#bursts.get(lane)
    if (known !== undefined && at - known.firstAtMs <= GROUP_WITHIN_MS) return known
    const burst = {
      groupId: `${id}/group`,
      firstAtMs: at,
      open: new Set<string>(),
      count: 0,
      isGrouped: false,
    }
    this.#bursts.set(lane, burst)
    return burst
  }
}
