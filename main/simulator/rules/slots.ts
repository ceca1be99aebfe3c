import { SLOT_QUOTAS } from '../../../app/service/categories.ts'

export interface SlotReading {
  readonly limit: number
  readonly remaining: number
}

/**
 * The stream slots of one key and user (service 3, 8.2), taken when a stream opens and freed when it closes.
 */
export class Slots {
  readonly #limits: ReadonlyMap<string, number>
  readonly #own = new Map<string, number>()
  readonly #elsewhere: Map<string, number>

  constructor(limits: Readonly<Record<string, number>>, elsewhere: Readonly<Record<string, number>>) {
    this.#limits = new Map([
      ...SLOT_QUOTAS.map(({ category, limit }) => [category, limit] as const),
      ...Object.entries(limits),
    ])
    this.#elsewhere = new Map(Object.entries(elsewhere))
  }

  /** The limit and use of a category's slots. `undefined` for a category without slots. */
  reading(category: string): SlotReading | undefined {
    const limit = this.#limits.get(category)
    if (limit === undefined) return undefined
    const taken = this.own(category) + (this.#elsewhere.get(category) ?? 0)
    return { limit, remaining: Math.max(0, limit - taken) }
  }

  categories(): readonly string[] {
    return [...this.#limits.keys()]
  }

  own(category: string): number {
    return this.#own.get(category) ?? 0
  }

  take(category: string): void {
    this.#own.set(category, this.own(category) + 1)
  }

  free(category: string): void {
    this.#own.set(category, Math.max(0, this.own(category) - 1))
  }

  setElsewhere(category: string, slots: number): void {
    if (!this.#limits.has(category)) throw new RangeError(`${category} is not a category with stream slots`)
    this.#elsewhere.set(category, slots)
  }
}
