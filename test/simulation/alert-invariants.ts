import { freshForMs } from '../../app/alerts/engine.ts'
import type { Alert } from '../../app/contract/alerts.ts'
import type { RequestQuota } from '../../app/contract/snapshot.ts'
import { violation } from './violation.ts'

/** Tolerance: checks are a second apart, and a shorter sleep is not noticed. */
const SLACK_MS = 5_000

/** Alerts of a kind raised within this time are announced as one, from the third on. */
const GROUP_WITHIN_MS = 5_000
const GROUP = '/group'

/**
 * Alerts are episodes. Each subject has at most one at a time. It is announced once, alone or in a group,
 * from fresh evidence, and it is not forgotten.
 */
export class AlertInvariants {
  checked = 0
  readonly #said = new Set<string>()
  /** Announcements that were not withdrawn. */
  readonly #told = new Set<string>()
  /** Open alerts by id. The value is true if a user has seen the alert. */
  readonly #open = new Map<string, boolean>()
  /**
   * Alerts withdrawn since the last check. Each must have ended or become part of a group by the next check.
   */
  readonly #takenBack = new Set<string>()
  readonly #groups: { readonly lane: string; readonly sinceMs: number }[] = []
  readonly #evidenceAtMs = new Map<string, number>()
  readonly #refused = new Set<string>()
  #dismissing: string | undefined
  #isClockBehind = false

  /** A quota header of a category arrived, or a 429. */
  evidence(category: string, worldMs: number): void {
    this.#evidenceAtMs.set(category, worldMs)
  }

  refused(category: string): void {
    this.#refused.add(category)
  }

  announced(id: string, rows: readonly RequestQuota[], worldMs: number): void {
    this.checked += 1
    if (this.#said.has(id)) violation(`the alert ${id} was said twice`)
    this.#said.add(id)
    this.#told.add(id)
    if (id.endsWith(GROUP)) {
      this.#groups.push(laneOf(id.slice(0, -GROUP.length)))
      return
    }
    const condition = conditionOf(id)
    for (const other of this.#open.keys()) {
      if (conditionOf(other) !== condition) continue
      // An alert in a group ends without its own message. The next check shows whether it ended.
      if (!this.#takenBack.has(other) && !this.#isGrouped(other))
        violation(`${condition} was said while ${other} is open`)
    }
    this.#open.set(id, false)
    this.#isFresh(condition, rows, worldMs)
  }

  withdrawn(id: string): void {
    this.checked += 1
    const wasTold = this.#told.delete(id)
    if (this.#dismissing === id) return
    if (id.endsWith(GROUP)) {
      if (!wasTold) violation(`the group ${id} was withdrawn and is not told`)
      return
    }
    if (!this.#open.has(id) && !this.#isGrouped(id))
      violation(`the alert ${id} was withdrawn and is not open`)
    this.#takenBack.add(id)
  }

  /** A dismissed alert is withdrawn where it was announced, but stays open until it ends. */
  dismissing(id: string, dismiss: () => void): void {
    this.#dismissing = id
    dismiss()
    this.#dismissing = undefined
    this.#open.set(id, true)
  }

  restarted(): void {
    for (const id of this.#takenBack) this.#open.delete(id)
    this.#told.clear()
    this.#takenBack.clear()
    this.#refused.clear()
    // The new process uses the present wall clock, and an id contains a time. So ids may occur again for a
    // day that is repeated.
    if (this.#isClockBehind) this.#said.clear()
    this.#isClockBehind = false
  }

  /** A running process does not follow a clock that is set back. The next process uses it. */
  clockSetBack(): void {
    this.#isClockBehind = true
  }

  shown(alerts: readonly Alert[]): void {
    this.checked += 1
    const shown = new Map(alerts.map(({ id, dismissed }) => [id, dismissed]))
    for (const [id, isDismissed] of this.#open) {
      const isTakenBack = this.#takenBack.has(id)
      if (shown.has(id)) {
        if (isTakenBack && !this.#isGrouped(id)) violation(`the alert ${id} is open and was taken back`)
        if (shown.get(id) !== isDismissed) violation(`the alert ${id} forgot that it was dismissed`)
      } else {
        if (!isTakenBack && !this.#isGrouped(id)) violation(`the alert ${id} was lost`)
        this.#open.delete(id)
      }
    }
    const conditions = new Set([...shown.keys()].map(conditionOf))
    if (conditions.size < shown.size) violation('one condition has two open alerts')
    for (const [id, isDismissed] of shown) {
      if (this.#open.has(id)) continue
      if (!this.#isGrouped(id)) violation(`the alert ${id} is shown and was never said`)
      this.#open.set(id, isDismissed)
    }
    this.#takenBack.clear()
    for (const id of this.#told) {
      if (!id.endsWith(GROUP)) continue
      const group = laneOf(id.slice(0, -GROUP.length))
      if (![...shown.keys()].some((one) => isIn(one, group))) violation(`the group ${id} is told of nothing`)
    }
  }

  #isGrouped(id: string): boolean {
    return this.#groups.some((group) => isIn(id, group))
  }

  #isFresh(condition: string, rows: readonly RequestQuota[], worldMs: number): void {
    const [, kind, category = ''] = condition.split('/')
    if (kind === 'rate-limited' && !this.#refused.has(category))
      violation(`${category} is blocked without a 429`)
    if (kind !== 'running-out' && kind !== 'empty' && kind !== 'low' && kind !== 'own-use') return
    const row = rows.find((one) => one.category === category)
    const evidenceAtMs = this.#evidenceAtMs.get(category)
    if (row === undefined || evidenceAtMs === undefined) violation(`${condition} was said without evidence`)
    if (worldMs - evidenceAtMs > freshForMs(row.period) + SLACK_MS) {
      violation(`${condition} was said from evidence that is ${Math.round(worldMs - evidenceAtMs)} ms old`)
    }
  }
}

/** An id is `profile/kind/subject@time`. */
const conditionOf = (id: string): string => id.slice(0, id.lastIndexOf('@'))

/** The profile and kind of an alert, and the time at which it began. */
function laneOf(id: string): { readonly lane: string; readonly sinceMs: number } {
  const lane = conditionOf(id).split('/').slice(0, 2).join('/')
  return { lane, sinceMs: Number(id.slice(id.lastIndexOf('@') + 1)) }
}

function isIn(id: string, group: { readonly lane: string; readonly sinceMs: number }): boolean {
  const { lane, sinceMs } = laneOf(id)
  return lane === group.lane && sinceMs >= group.sinceMs && sinceMs - group.sinceMs <= GROUP_WITHIN_MS
}
