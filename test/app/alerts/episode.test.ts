import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ARMED, type Episode, nextEpisode, type Reading } from '../../../app/alerts/episode.ts'

interface Look {
  readonly nowMs: number
  readonly reading: Reading
}

interface Said {
  readonly what: 'raised' | 'withdrawn'
  readonly index: number
}

const patience = fc.record({
  holdMs: fc.constantFrom(0, 3_000, 10_000),
  recoverMs: fc.constantFrom(0, 2_000, 8_000),
})

/** Looks about a second apart; the evidence of a look is now, or some seconds old, as a modelled number's is. */
const looks = fc
  .array(
    fc.record({
      gapMs: fc.constantFrom(1_000, 1_000, 1_000, 1_500, 30_000),
      kind: fc.constantFrom('bad', 'bad', 'bad', 'good', 'good', 'good', 'between', 'stale', 'gone'),
      times: fc.integer({ min: 1, max: 14 }),
      ageMs: fc.constantFrom(0, 0, 0, 5_000, 20_000),
    }),
    { maxLength: 40 },
  )
  .map((steps): readonly Look[] => {
    let nowMs = 1_000_000
    return steps.flatMap(({ gapMs, kind, times, ageMs }) => {
      const evidenceMs = nowMs + gapMs - ageMs
      return Array.from({ length: times }, (): Look => {
        nowMs += gapMs
        // Some headers are new at each look, others are the same one all along.
        const asOfMs = ageMs === 0 ? nowMs : evidenceMs
        return {
          nowMs,
          reading: kind === 'bad' || kind === 'good' ? { kind, asOfMs } : ({ kind } as Reading),
        }
      })
    })
  })

function said(all: readonly Look[], holdMs: number, recoverMs: number): readonly Said[] {
  let episode: Episode = ARMED
  return all.flatMap(({ nowMs, reading }, index): readonly Said[] => {
    const step = nextEpisode(episode, reading, nowMs, { holdMs, recoverMs })
    episode = step.episode
    if (step.effect === undefined) return []
    return [{ what: step.effect === 'raise' ? 'raised' : 'withdrawn', index }]
  })
}

/**
 * What should be said, from the whole story at once: no state machine, only the sentences of the specification.
 *
 * Looks for the first run of bad readings that lasts the hold, then for what ends it, then for what arms it again.
 */
function expected(all: readonly Look[], holdMs: number, recoverMs: number): readonly Said[] {
  const result: Said[] = []
  let from = 0
  for (;;) {
    const raised = firstHeld(all, from, 'bad', holdMs)
    if (raised === undefined) return result
    result.push({ what: 'raised', index: raised })
    const over = all.findIndex((_, index) => index > raised && isOver(index, raised))
    if (over === -1) return result
    result.push({ what: 'withdrawn', index: over })
    if (all[over]?.reading.kind !== 'gone') from = over + 1
    else {
      const good = all.findIndex(({ reading }, index) => index > over && reading.kind === 'good')
      if (good === -1) return result
      from = good + 1
    }
  }

  function isOver(index: number, raised: number): boolean {
    if (all[index]?.reading.kind === 'gone') return true
    if (!isFreshGood(index, raised)) return false
    let first = index
    while (first - 1 > raised && isFreshGood(first - 1, raised)) first -= 1
    return timeOf(index) - timeOf(first) >= recoverMs
  }

  function isFreshGood(index: number, raised: number): boolean {
    const reading = all[index]?.reading
    if (reading?.kind !== 'good') return false
    const evidence = all
      .slice(0, index)
      .flatMap(({ reading: one }, at) => (at >= raised && one.kind === 'bad' ? [one.asOfMs] : []))
    return reading.asOfMs > Math.max(...evidence)
  }

  function timeOf(index: number): number {
    return all[index]?.nowMs ?? 0
  }
}

function firstHeld(
  all: readonly Look[],
  from: number,
  kind: Reading['kind'],
  holdMs: number,
): number | undefined {
  let since: number | undefined
  for (let index = from; index < all.length; index += 1) {
    const look = all[index]
    if (look?.reading.kind !== kind) since = undefined
    else {
      since ??= look.nowMs
      if (look.nowMs - since >= holdMs) return index
    }
  }
  return undefined
}

test('episodes are those of the specification: no duplicate, none missed, none from stale evidence', () => {
  fc.assert(
    fc.property(looks, patience, (all, { holdMs, recoverMs }) => {
      expect(said(all, holdMs, recoverMs)).toEqual(expected(all, holdMs, recoverMs))
    }),
    { numRuns: 1_000 },
  )
})

test('raising and withdrawing take turns, and each raise rests on bad evidence throughout its hold', () => {
  fc.assert(
    fc.property(looks, patience, (all, { holdMs, recoverMs }) => {
      const story = said(all, holdMs, recoverMs)
      expect(story.map(({ what }) => what)).toEqual(
        story.map((_, index) => (index % 2 === 0 ? 'raised' : 'withdrawn')),
      )
      for (const { what, index } of story) {
        if (what !== 'raised') continue
        const held = all.filter(({ nowMs }, at) => at <= index && nowMs > (all[index]?.nowMs ?? 0) - holdMs)
        expect(held.every(({ reading }) => reading.kind === 'bad')).toBe(true)
      }
    }),
  )
})

test('a story of nothing but stale evidence says nothing', () => {
  const all = Array.from(
    { length: 100 },
    (_, index): Look => ({
      nowMs: index * 1_000,
      reading: { kind: 'stale' },
    }),
  )
  expect(said(all, 0, 0)).toEqual([])
})

test('a good number grown from the header that was bad ends nothing; a later header does', () => {
  const bad = nextEpisode(ARMED, { kind: 'bad', asOfMs: 100 }, 1_000, { holdMs: 0, recoverMs: 0 })
  expect(bad.effect).toBe('raise')
  const modelled = nextEpisode(bad.episode, { kind: 'good', asOfMs: 100 }, 60_000, {
    holdMs: 0,
    recoverMs: 0,
  })
  expect(modelled.effect).toBeUndefined()
  const seen = nextEpisode(modelled.episode, { kind: 'good', asOfMs: 101 }, 60_001, {
    holdMs: 0,
    recoverMs: 0,
  })
  expect(seen.effect).toBe('withdraw-recovered')
})
