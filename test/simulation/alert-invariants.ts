import { freshForMs } from '../../app/alerts/conditions.ts'
import { outlivesStart } from '../../app/alerts/engine.ts'
import type { Alert } from '../../app/contract/alerts.ts'
import type { RequestQuota } from '../../app/contract/snapshot.ts'
import { violation } from './violation.ts'

/** Looks are a second apart, and a sleep this short is not noticed. */
const SLACK_MS = 5_000

/** Alerts are episodes: one at a time for each subject, said once, from fresh evidence, and not forgotten. */
export class AlertInvariants {
  checked = 0
  readonly #said = new Set<string>()
  /** By id; what a user has seen is true. */
  readonly #open = new Map<string, boolean>()
  readonly #evidenceAtMs = new Map<string, number>()
  readonly #refused = new Set<string>()
  #dismissing: string | undefined
  #isClockBehind = false

  /** A quota header of a category came in, or a refusal. */
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
    const condition = conditionOf(id)
    for (const other of this.#open.keys()) {
      if (conditionOf(other) === condition) violation(`${condition} was said while ${other} is open`)
    }
    this.#open.set(id, false)
    this.#isFresh(condition, rows, worldMs)
  }

  withdrawn(id: string): void {
    this.checked += 1
    if (this.#dismissing === id) return
    if (!this.#open.delete(id)) violation(`the alert ${id} was withdrawn and is not open`)
  }

  /** What a user has seen is taken back from where it was said, and goes on until it is over. */
  dismissing(id: string, dismiss: () => void): void {
    this.#dismissing = id
    dismiss()
    this.#dismissing = undefined
    this.#open.set(id, true)
  }

  restarted(): void {
    for (const id of this.#open.keys()) {
      if (!outlivesStart({ kind: (conditionOf(id).split('/')[1] ?? '') as Alert['kind'] }))
        this.#open.delete(id)
    }
    this.#refused.clear()
    // It lives by the wall clock as it is now, and an id names a moment: those of a day that comes again are no news.
    if (this.#isClockBehind) this.#said.clear()
    this.#isClockBehind = false
  }

  /** Who is running does not follow a clock that is set back; the next one starts by it. */
  clockSetBack(): void {
    this.#isClockBehind = true
  }

  shown(alerts: readonly Alert[]): void {
    this.checked += 1
    const shown = new Map(alerts.map(({ id, dismissed }) => [id, dismissed]))
    for (const [id, isDismissed] of this.#open) {
      if (!shown.has(id)) violation(`the alert ${id} was lost`)
      if (shown.get(id) !== isDismissed) violation(`the alert ${id} forgot that it was dismissed`)
    }
    if (shown.size !== this.#open.size) violation('an alert is shown that was never said')
  }

  #isFresh(condition: string, rows: readonly RequestQuota[], worldMs: number): void {
    const [, kind, category = ''] = condition.split('/')
    if (kind === 'blocked' && !this.#refused.has(category)) violation(`${category} is blocked without a 429`)
    if (kind !== 'runs-out' && kind !== 'empty' && kind !== 'below-threshold') return
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
