import type { Alert, Announcement } from '../contract/alerts.ts'
import { mostUrgent, type Severity, urgencyOf } from '../contract/severity.ts'

/** Time within which `GROUP_FROM` or more alerts of one profile and kind form a group. Milliseconds. */
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

/** Groups of the open alerts, the worst first, then the latest. */
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

/** Alerts of one profile and kind that began within `GROUP_WITHIN_MS`. */
interface Burst {
  readonly groupId: string
  readonly firstAtMs: number
  /** The open alerts by id. */
  readonly open: Map<string, Alert>
  /** Severity of the group's announcement. Absent while each alert is announced by itself. */
  announced?: Severity
}

/**
 * Turns alerts into announcements.
 *
 * The third open alert of a burst replaces the earlier announcements with a single one. A later alert of that
 * burst is silent. But if it is more urgent, it replaces the announcement.
 */
export class Announcements {
  readonly #bursts = new Map<string, Burst>()
  readonly #burstOf = new Map<string, Burst>()

  raised(alerts: readonly Alert[]): readonly AnnouncementEffect[] {
    return [...Map.groupBy(alerts, laneOf)].flatMap(([lane, together]) => this.#raisedIn(lane, together))
  }

  /** Records the end of an alert, or its dismissal. */
  ended(id: string): readonly AnnouncementEffect[] {
    const burst = this.#burstOf.get(id)
    this.#burstOf.delete(id)
    burst?.open.delete(id)
    if (burst?.announced === undefined) return [{ kind: 'withdraw', id }]
    return burst.open.size === 0 ? [{ kind: 'withdraw', id: burst.groupId }] : []
  }

  #raisedIn(lane: string, alerts: readonly Alert[]): readonly AnnouncementEffect[] {
    const [first] = alerts
    if (first === undefined) return []
    const burst = this.#burstAt(lane, first)
    const before = [...burst.open.values()]
    for (const alert of alerts) {
      burst.open.set(alert.id, alert)
      this.#burstOf.set(alert.id, burst)
    }
    if (burst.announced === undefined && burst.open.size < GROUP_FROM) {
      return alerts.map(({ id, severity, title, body }) => ({
        kind: 'announce',
        announcement: { id, severity, title, body },
      }))
    }
    const worst = mostUrgent([...alerts, ...before]) ?? first
    const { announced, groupId } = burst
    if (announced !== undefined && urgencyOf(worst.severity) <= urgencyOf(announced)) return []
    burst.announced = worst.severity
    const replaced = announced === undefined ? before.map(({ id }) => id) : [groupId]
    const title = groupTitle(worst.title, burst.open.size)
    const announcement = { id: groupId, severity: worst.severity, title, body: worst.body }
    return [...replaced.map((id) => ({ kind: 'withdraw', id }) as const), { kind: 'announce', announcement }]
  }

  #burstAt(lane: string, { id, at }: Alert): Burst {
    const known = this.#bursts.get(lane)
    const isOver = known?.announced !== undefined && known.open.size === 0
    if (known !== undefined && !isOver && at - known.firstAtMs <= GROUP_WITHIN_MS) return known
    const burst: Burst = { groupId: `${id}/group`, firstAtMs: at, open: new Map() }
    this.#bursts.set(lane, burst)
    return burst
  }
}
