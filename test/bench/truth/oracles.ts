import { chanceFrom } from '../../app/quota/chance.ts'
import { type Kind, supposed } from './kinds.ts'
import type { Looks } from './looks.ts'
import { Oracle } from './oracle.ts'

/** Interval between forecasts, in looks. A forecast costs more than everything else. */
const LOOKS_AHEAD_EVERY = { oracle: 10, untold: 20 } as const
const UNTOLD_PARTICLES = 1200
/** Differs from the seed of the random kinds, so that the oracle assumes none of them. */
const SUPPOSED_SEED = 900_001

/**
 * The oracle of one quota and, if requested, a second one that does not know the kind of traffic. Both see
 * the same headers.
 */
export class Oracles {
  readonly #own: number
  readonly #aheadSeconds: number
  readonly #asked: readonly { readonly name: 'oracle' | 'untold'; readonly oracle: Oracle }[]

  /** `aheadSeconds`: the horizon of forecasts. The second oracle costs as much as all the rest. */
  constructor(kind: Kind, seed: number, aheadSeconds: number, asksUntold: boolean) {
    const { limit, periodSeconds, own, others } = kind
    this.#own = own
    this.#aheadSeconds = aheadSeconds
    const oracle = new Oracle({ process: others, limit, periodSeconds }, chanceFrom(seed + 500_000))
    this.#asked = [{ name: 'oracle', oracle }, ...(asksUntold ? [this.#untold(kind, seed)] : [])]
  }

  /** To be called when the service counts or refuses an own request. `remaining` is that of its header. */
  observed(atSeconds: number, remaining: number, isRefused: boolean): void {
    for (const { oracle } of this.#asked) oracle.observed(atSeconds, remaining, isRefused)
  }

  /** Writes what each oracle shows at this time to look number `look`. */
  tell(looks: Looks, look: number, atSeconds: number): void {
    for (const { name, oracle } of this.#asked) {
      const told = looks[name]
      const { middle, low, high } = oracle.look(atSeconds)
      told.middle[look] = middle
      told.low[look] = low
      told.high[look] = high
      const others = oracle.othersRate(atSeconds)
      told.othersLow[look] = others.low
      told.othersHigh[look] = others.high
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
