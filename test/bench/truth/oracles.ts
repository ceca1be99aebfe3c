import { chanceFrom } from '../../app/quota/chance.ts'
import { type Kind, supposed } from './kinds.ts'
import type { Looks } from './looks.ts'
import { Oracle } from './oracle.ts'

/** Following the future costs most of all: it is done now and then. */
const LOOKS_AHEAD_EVERY = { oracle: 10, untold: 20 } as const
const UNTOLD_PARTICLES = 1200
/** Not that of the random kinds, so that none of them is among what is supposed. */
const SUPPOSED_SEED = 900_001

/**
 * The oracle of one quota and, if requested, the one without the kind. Both see the same
 * headers.
 */
export class Oracles {
  readonly #own: number
  readonly #aheadSeconds: number
  readonly #asked: readonly { readonly name: 'oracle' | 'untold'; readonly oracle: Oracle }[]

  /** `aheadSeconds`: how far ahead emptying is asked for. The untold one costs as much as all the rest. */
  constructor(kind: Kind, seed: number, aheadSeconds: number, asksUntold: boolean) {
    const { limit, periodSeconds, own, others } = kind
    this.#own = own
    this.#aheadSeconds = aheadSeconds
    const oracle = new Oracle({ process: others, limit, periodSeconds }, chanceFrom(seed + 500_000))
    this.#asked = [{ name: 'oracle', oracle }, ...(asksUntold ? [this.#untold(kind, seed)] : [])]
  }

  /** The service counted an own request, unless it refused it, and answered with this Remaining. */
  observed(atSeconds: number, remaining: number, isRefused: boolean): void {
    for (const { oracle } of this.#asked) oracle.observed(atSeconds, remaining, isRefused)
  }

  /** Writes what each of them would tell at that moment as look number `look`. */
  tell(looks: Looks, look: number, atSeconds: number): void {
    for (const { name, oracle } of this.#asked) {
      const told = looks[name]
      const { middle, low, high } = oracle.look(atSeconds)
      told.middle[look] = middle
      told.low[look] = low
      told.high[look] = high
      const before = told.chance[look - 1] ?? Number.NaN
      told.chance[look] =
        look % LOOKS_AHEAD_EVERY[name] === 0 || Number.isNaN(before)
          ? oracle.emptyWithin(this.#aheadSeconds, this.#own)
          : before
    }
  }

  #untold({ limit, periodSeconds }: Kind, seed: number) {
    const process = supposed(limit / periodSeconds, chanceFrom(SUPPOSED_SEED))
    const of = { limit, periodSeconds, particles: UNTOLD_PARTICLES, process }
    return { name: 'untold', oracle: new Oracle(of, chanceFrom(seed + 600_000)) } as const
  }
}
