import { expect, it } from 'vitest'
import { OUTDATED_AFTER_MS } from '../../../app/status/durations.ts'
import { ageText, leftText, quotaStatus, STALE_AFTER_MS } from '../../../app/status/quota-status.ts'
import { NOW_MS, quota } from '../../renderer/fixtures.ts'

const UNIT_SECONDS: Readonly<Record<string, number>> = { s: 1, min: 60, h: 3600, d: 86_400 }

/**
 * The age that the words claim. The real age may be higher, by less than `withinSeconds`, the smallest unit
 * in the words.
 */
function claimed(words: string): { readonly seconds: number; readonly withinSeconds: number } {
  const pairs = [...words.matchAll(/(\d+) (s|min|h|d)/g)].map(
    ([, count, unit]) => [Number(count), UNIT_SECONDS[unit ?? ''] ?? Number.NaN] as const,
  )
  return {
    seconds: pairs.reduce((sum, [count, unit]) => sum + count * unit, 0),
    withinSeconds: pairs.at(-1)?.[1] ?? Number.NaN,
  }
}

it('claims the real age of a number in every second of a day, and never shows an old one as live', () => {
  // The snapshot is 30 s newer than the header. The age is that of the header.
  const row = quota('Balances', 320, 300, 294, { observedAt: NOW_MS, asOf: NOW_MS + 30_000 })
  for (let seconds = 0; seconds <= 86_400; seconds += 1) {
    const nowMs = NOW_MS + seconds * 1000
    const words = ageText(row, nowMs)
    const age = claimed(words)
    const isOld = seconds * 1000 > STALE_AFTER_MS
    const isUnchecked = nowMs - row.asOf > OUTDATED_AFTER_MS
    // One assertion for all, as 86,401 of each would take seconds.
    const isRight =
      age.seconds <= seconds &&
      seconds - age.seconds < age.withinSeconds &&
      words.endsWith(' ago') === isOld &&
      (isOld || age.withinSeconds === 1) &&
      // A row that is not checked shows its last header's number, in grey, as past.
      leftText(row, nowMs) === (isUnchecked ? 'was 294' : isOld ? '~294' : '294') &&
      (quotaStatus(row, nowMs).severity === 'unknown') === isUnchecked
    if (!isRight) expect(`${seconds} s: ${words}`).toBe('the real age')
  }
})
