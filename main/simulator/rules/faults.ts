import { FAULTS } from '../fault-names.ts'

/** The armed faults. A fault with a count occurs that many times and is then disarmed. */
export class Faults {
  readonly #armed = new Map<string, number>()

  constructor(faults: readonly string[]) {
    for (const fault of faults) {
      const [name = '', times] = fault.split(':')
      if (times === undefined) this.set(name, true)
      else this.set(name, times === 'always' ? Number.POSITIVE_INFINITY : Number(times))
    }
  }

  /**
   * Arms or disarms a fault. `true` arms it for its default number of times. A number arms it for that many
   * times. `false` or 0 disarms it. Throws a RangeError for an unknown name.
   */
  set(name: string, on: boolean | number): void {
    const known = FAULTS.find((fault) => fault.name === name)
    if (known === undefined) throw new RangeError(`no fault is called ${name}`)
    const strikes = typeof on === 'number' ? on : on ? (known.times ?? Number.POSITIVE_INFINITY) : 0
    if (strikes > 0) this.#armed.set(name, strikes)
    else this.#armed.delete(name)
  }

  armed(name: string): boolean {
    return this.#armed.has(name)
  }

  /** Whether the fault is armed without a count. Such a fault also affects open streams. */
  standing(name: string): boolean {
    return this.#armed.get(name) === Number.POSITIVE_INFINITY
  }

  /** Whether the fault occurs now. If so, its count decreases by one. */
  strike(name: string): boolean {
    const left = this.#armed.get(name)
    if (left === undefined) return false
    this.set(name, left - 1)
    return true
  }

  names(): readonly string[] {
    return [...this.#armed.keys()]
  }
}
