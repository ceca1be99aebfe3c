import type { Chance, Process } from './process.ts'
import { normal } from './process.ts'

/**
 * The kinds of use by others that the bench draws from. Rates are requests per second, lengths are seconds.
 *
 * The parameters are in the closure. The state has only what was drawn at random.
 */
export const steady = (rate: number): Process => ({ size: 0, start: () => {}, next: () => rate })

/** Starts at `startSecond` and does not end. */
export const startingAt = (startSecond: number, rate: number): Process => ({
  size: 0,
  start: () => {},
  next: (_state, _at, second) => (second >= startSecond ? rate : 0),
})

/**
 * A program on a timer: `calls` requests every `everySeconds`, spread over `overSeconds`. The time of the
 * first one is drawn at random.
 */
export function onTimer(everySeconds: number, calls: number, overSeconds = 1): Process {
  const lasts = Math.min(overSeconds, everySeconds)
  /** The number of requests before `from` seconds, on a timer that began at 0. */
  const before = (from: number) => {
    const cycle = Math.floor(from / everySeconds)
    const within = Math.min(1, (from - cycle * everySeconds) / lasts)
    return Math.floor(calls * (cycle + within) + 1e-9)
  }
  /** The time of request number `nth` on the same timer, in seconds. */
  const timeOf = (nth: number) => {
    const cycle = Math.ceil(nth / calls) - 1
    return cycle * everySeconds + ((nth - cycle * calls) / calls) * lasts
  }
  return {
    size: 1,
    isTimed: true,
    start(state, at, chance) {
      state[at] = chance() * everySeconds
    },
    next: (state, at, second) => before(second + 1 + state[at]!) - before(second + state[at]!),
    times(state, at, second) {
      const [first, end] = [before(second + state[at]!), before(second + 1 + state[at]!)]
      return Array.from({ length: end - first }, (_, nth) => timeOf(first + nth + 1) - state[at]!)
    },
  }
}

/** A distribution of durations: the probability that one is longer than `seconds`. */
export type Lasting = (seconds: number) => number

export const exponential =
  (mean: number): Lasting =>
  (seconds) =>
    Math.exp(-seconds / mean)
/** Uniform between `mean` × (1 − `share`) and `mean` × (1 + `share`). */
export const around =
  (mean: number, share: number): Lasting =>
  (seconds) =>
    Math.min(1, Math.max(0, (mean * (1 + share) - seconds) / (2 * share * mean)))
/**
 * A Pareto distribution with exponent 1.5 from `least` on, so that the mean is 3 × `least`. Limited to half
 * an hour.
 */
export const heavyTailed =
  (least: number): Lasting =>
  (seconds) =>
    seconds >= 1800 ? 0 : Math.min(1, (Math.max(1, seconds) / least) ** -1.5)

/**
 * Alternates between working and resting, and begins with resting. Each second decides anew whether the spell
 * ends, given its age. So an oracle's particles do not carry ends that were drawn long ago.
 */
export function spells(rate: number, on: Lasting, off: Lasting): Process {
  const [IS_ON, AGE] = [0, 1]
  return {
    size: 2,
    start(state, at) {
      state[at + IS_ON] = 0
      state[at + AGE] = 0
    },
    next(state, at, _second, _last, chance) {
      const lasts = state[at + IS_ON] ? on : off
      const age = state[at + AGE]!
      const goesOn = lasts(age) > 0 ? lasts(age + 1) / lasts(age) : 0
      if (chance() < goesOn) state[at + AGE] = age + 1
      else {
        state[at + IS_ON] = 1 - state[at + IS_ON]!
        state[at + AGE] = 0
      }
      return state[at + IS_ON]! * rate
    },
  }
}

/**
 * Works in the first `onSeconds` of each cycle. Begins at `phase` seconds of the cycle, or at a random time.
 */
export function cyclic(rate: number, onSeconds: number, cycleSeconds: number, phase?: number): Process {
  return {
    size: 1,
    start(state, at, chance) {
      state[at] = phase ?? Math.floor(chance() * cycleSeconds)
    },
    next: (state, at, second) => ((second + state[at]!) % cycleSeconds < onSeconds ? rate : 0),
  }
}

/**
 * Each request raises the probability of others for a while: it causes `branching` more on average, within
 * about `memorySeconds`.
 */
export function selfExciting(meanRate: number, branching: number, memorySeconds: number): Process {
  const base = meanRate * (1 - branching)
  const kept = Math.exp(-1 / memorySeconds)
  return {
    size: 1,
    start(state, at) {
      state[at] = 0
    },
    next(state, at, _second, last) {
      state[at] = state[at]! * kept + last * branching * (1 - kept)
      return base + state[at]!
    },
  }
}

/** Quiet until the opening, whose time is drawn at random. Then a steep rise and a slow decline. */
export function openingRamp(quiet: number, peak: number, after: number): Process {
  const [RISE_SECONDS, DECLINE_SECONDS] = [60, 600]
  return {
    size: 1,
    start(state, at, chance) {
      state[at] = 300 + 420 * chance()
    },
    next(state, at, second) {
      const since = second - state[at]!
      if (since < 0) return quiet
      if (since < RISE_SECONDS) return quiet + ((peak - quiet) * since) / RISE_SECONDS
      return after + (peak - after) * Math.exp((RISE_SECONDS - since) / DECLINE_SECONDS)
    },
  }
}

/**
 * A rate that lasts for `holdSeconds` on average. Then another one is drawn, from a quarter to four times the
 * middle.
 */
export function levels(middle: number, holdSeconds: number): Process {
  const drawn = (chance: Chance) => middle * 2 ** (4 * chance() - 2)
  return {
    size: 1,
    start(state, at, chance) {
      state[at] = drawn(chance)
    },
    next(state, at, _second, _last, chance) {
      if (chance() < 1 / holdSeconds) state[at] = drawn(chance)
      return state[at]!
    },
  }
}

/** Changes from one rate to another in half an hour along a straight line, with random deviations. */
export function trend(from: number, to: number, wander: number): Process {
  return {
    size: 1,
    start(state, at) {
      state[at] = 0
    },
    next(state, at, second, _last, chance) {
      state[at] = state[at]! * 0.99 + 0.14 * wander * normal(chance)
      const line = from + (to - from) * Math.min(1, second / 1800)
      return line * Math.exp(state[at]!)
    },
  }
}

/** A daily curve, compressed to `periodSeconds` so that a bench can wait for it. */
export function diurnal(middle: number, swing: number, periodSeconds: number): Process {
  return {
    size: 1,
    start(state, at, chance) {
      state[at] = periodSeconds * chance()
    },
    next: (state, at, second) =>
      middle * (1 + swing * Math.sin((2 * Math.PI * (second + state[at]!)) / periodSeconds)),
  }
}

/** Several programs at once. */
export function together(...parts: readonly Process[]): Process {
  const offsets: number[] = []
  let size = 0
  for (const part of parts) {
    offsets.push(size)
    size += part.size
  }
  return {
    size,
    start(state, at, chance) {
      for (const [index, part] of parts.entries()) part.start(state, at + offsets[index]!, chance)
    },
    next(state, at, second, last, chance) {
      let rate = 0
      for (let index = 0; index < parts.length; index += 1) {
        rate += parts[index]!.next(state, at + offsets[index]!, second, last, chance)
      }
      return rate
    },
  }
}

/**
 * Programs that take turns. Each has the same cycle; the phases are spread evenly, and the first one is drawn
 * at random.
 */
export function staggered(programs: number, rate: number, onSeconds: number, cycleSeconds: number): Process {
  return {
    size: 1,
    start(state, at, chance) {
      state[at] = Math.floor(chance() * cycleSeconds)
    },
    next(state, at, second) {
      let sum = 0
      for (let one = 0; one < programs; one += 1) {
        const place = second + state[at]! + (one * cycleSeconds) / programs
        if (place % cycleSeconds < onSeconds) sum += rate
      }
      return sum
    },
  }
}

export interface NotKnown {
  /** Mean time in seconds until another process is drawn. */
  readonly redrawnSeconds: number
  /** Limits the rate, because two self-exciting processes together would grow without end. */
  readonly maxPerSecond: number
}

/** One of several processes. The oracle does not know which. */
export function oneOf(processes: readonly Process[], { redrawnSeconds, maxPerSecond }: NotKnown): Process {
  const draw = (state: Float64Array, at: number, chance: Chance) => {
    state[at] = Math.floor(chance() * processes.length)
    processes[state[at]]!.start(state, at + 1, chance)
  }
  return {
    size: 1 + Math.max(...processes.map(({ size }) => size)),
    start: draw,
    next(state, at, second, last, chance) {
      if (chance() * redrawnSeconds < 1) draw(state, at, chance)
      return Math.min(maxPerSecond, processes[state[at]!]!.next(state, at + 1, second, last, chance))
    },
  }
}
