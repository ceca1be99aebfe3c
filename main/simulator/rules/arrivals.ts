/** The arrival times of other programs' requests, in order. */
export interface Arrivals {
  /** The next arrival, epoch ms. Infinity without further arrivals. */
  readonly nextAtMs: number
  advance(): void
  /** Leaves out the arrivals before `atMs`, in constant time. */
  skipTo(atMs: number): void
}

export interface ArrivalRule {
  readonly perSecond: number
  readonly shape: 'even' | 'poisson'
  /** Alternating durations of work and pause. Absent if the program never pauses. */
  readonly spells?: { readonly onMs: number; readonly offMs: number }
}

/**
 * The arrivals of a rule from `startMs` on.
 *
 * Gaps between requests are measured in working time, so a gap with a pause in it is longer. `perSecond` is
 * the rate while the program works: a program that works two minutes out of five sends nothing in the other
 * three.
 */
export function arrivalsOf(rule: ArrivalRule, startMs: number, chance: () => number): Arrivals {
  const gapMs = () => (1000 / rule.perSecond) * (rule.shape === 'even' ? 1 : -Math.log(1 - chance()))
  const onClock = (workedMs: number): number => {
    if (rule.spells === undefined) return startMs + workedMs
    const { onMs, offMs } = rule.spells
    return startMs + workedMs + Math.floor(workedMs / onMs) * offMs
  }
  const workedBy = (atMs: number): number => {
    const passedMs = atMs - startMs
    if (rule.spells === undefined) return passedMs
    const { onMs, offMs } = rule.spells
    const rounds = Math.floor(passedMs / (onMs + offMs))
    return rounds * onMs + Math.min(onMs, passedMs - rounds * (onMs + offMs))
  }
  let workedMs =
    rule.perSecond > 0 ? gapMs() * (rule.shape === 'even' ? chance() : 1) : Number.POSITIVE_INFINITY
  return {
    get nextAtMs() {
      return workedMs === Number.POSITIVE_INFINITY ? workedMs : onClock(workedMs)
    },
    advance() {
      workedMs += gapMs()
    },
    skipTo(atMs) {
      const behindMs = workedBy(atMs) - workedMs
      if (behindMs <= 0) return
      // Even arrivals stay on their beat. The time to the next random arrival doesn't depend on earlier ones.
      workedMs += rule.shape === 'even' ? Math.ceil(behindMs / gapMs()) * gapMs() : behindMs + gapMs()
    },
  }
}
