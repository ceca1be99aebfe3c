/** When the requests of other programs come, one after the other. */
export interface Arrivals {
  /** Infinity when none comes. */
  readonly nextAtMs: number
  advance(): void
}

export interface ArrivalRule {
  readonly perSecond: number
  readonly shape: 'even' | 'poisson'
  /** Absent: always at work. */
  readonly spells?: { readonly onMs: number; readonly offMs: number }
}

/**
 * Gaps are drawn in working time, which is then laid out over the spells: a program that works two minutes
 * out of five makes `perSecond` requests in each second of the two and none in the three.
 */
export function arrivalsOf(rule: ArrivalRule, startMs: number, chance: () => number): Arrivals {
  const gapMs = () => (1000 / rule.perSecond) * (rule.shape === 'even' ? 1 : -Math.log(1 - chance()))
  const onClock = (workedMs: number): number => {
    if (rule.spells === undefined) return startMs + workedMs
    const { onMs, offMs } = rule.spells
    return startMs + workedMs + Math.floor(workedMs / onMs) * offMs
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
  }
}
