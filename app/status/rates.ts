/** Rates, counts and shares as text. */

/** Minimum use that is shown, requests per second. */
export const MIN_SHOWN_PER_SECOND = 0.05

/** `1.0/s`, `38/s`. A dash for a negligible or unknown rate. */
export function rateText(perSecond: number | undefined): string {
  if (perSecond === undefined || !(perSecond >= MIN_SHOWN_PER_SECOND)) return '—'
  return perSecond < 9.95 ? `${perSecond.toFixed(1)}/s` : `${Math.round(perSecond)}/s`
}

/**
 * A rate interval in requests per second, without the unit: `1.2–1.3`. `1.0` if both ends look the same. `0`
 * for no use.
 */
export function rateRangeText(low: number, high: number): string {
  const [from, to] = [oneDecimal(low), oneDecimal(high)]
  return from === to || to === '0' ? to : `${from}–${to}`
}

function oneDecimal(perSecond: number): string {
  if (!(perSecond >= MIN_SHOWN_PER_SECOND)) return '0'
  return perSecond < 9.95 ? perSecond.toFixed(1) : String(Math.round(perSecond))
}

/** `0.6 %` */
export function shareText(fraction: number): string {
  const percent = fraction * 100
  return percent >= 9.95 ? `${Math.round(percent)} %` : `${percent.toFixed(1)} %`
}

/** `1 open stream`, `3 open streams` */
export function countText(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`
}

/** `A, B and C` */
export function listText(names: readonly string[]): string {
  if (names.length < 2) return names.join('')
  return `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
}
