import type { Weather } from './weather.ts'

/** What becomes of one request on its way. */
export type Fate =
  | 'arrives'
  | 'lost-request'
  | 'lost-answer'
  | 'cut'
  | 'black-hole'
  | 'late'
  | 'duplicated'
  | 'portal'
  | 'throttled'

/** `draw` in [0, 1): one is enough, for at most one thing goes wrong with a request. */
export function fateOf(weather: Weather, draw: number): Fate {
  let left = draw
  for (const [fate, probability] of [
    ['lost-request', weather.lostRequest],
    ['lost-answer', weather.lostAnswer],
    ['cut', weather.cutAnswer],
    ['black-hole', weather.blackHole],
    ['late', weather.lateAnswer],
    ['duplicated', weather.duplicated],
    ['portal', weather.portal],
    ['throttled', weather.throttled],
  ] as const) {
    if (left < probability) return fate
    left -= probability
  }
  return 'arrives'
}
