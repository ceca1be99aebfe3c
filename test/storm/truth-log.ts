import type { SimulatorServer } from '../../main/simulator/server.ts'
import type { Truth } from './state.ts'

const EVERY_MS = 50
const KEPT_MS = 20_000
/** A snapshot is compared with the service's counts up to this long before and after it. */
const AROUND_MS = 300

interface Count {
  readonly atMs: number
  readonly remaining: Readonly<Record<string, number>>
}

/** The service's own count of its quotas, over the last seconds. */
export class TruthLog {
  readonly #counts: Count[] = []
  readonly #timer: NodeJS.Timeout
  readonly #count: () => Count

  constructor(service: SimulatorServer['service'], categories: readonly string[]) {
    this.#count = () => {
      const atMs = service.nowMs()
      const remaining = categories.map(
        (category) => [category, service.quotas.reading(category, atMs)?.remaining ?? 0] as const,
      )
      return { atMs: Date.now(), remaining: Object.fromEntries(remaining) }
    }
    this.#timer = setInterval(() => this.#keep(), EVERY_MS)
  }

  around(category: string, atMs: number): Truth | undefined {
    this.#keep()
    const near = this.#counts.filter((count) => Math.abs(count.atMs - atMs) <= AROUND_MS)
    // If this process was too busy to count, the counts before and after enclose the values between them.
    const before = this.#counts.findLast((count) => count.atMs < atMs)
    const after = this.#counts.find((count) => count.atMs >= atMs)
    const counted = [...near, before, after].flatMap((count) => count?.remaining[category] ?? [])
    return counted.length === 0 ? undefined : { least: Math.min(...counted), most: Math.max(...counted) }
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  #keep(): void {
    const count = this.#count()
    this.#counts.push(count)
    while ((this.#counts[0]?.atMs ?? count.atMs) < count.atMs - KEPT_MS) this.#counts.shift()
  }
}
