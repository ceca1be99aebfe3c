import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Snapshot } from '../../../app/contract/snapshot.ts'
import { Publisher } from '../../../main/hosts/snapshot-publisher.ts'
import { proves } from '../../proof/proves.ts'
import { VirtualClock } from '../../simulation/virtual-clock.ts'

function setUp() {
  const clock = new VirtualClock()
  const sent: { readonly atMs: number; readonly profile: string; readonly revision: number }[] = []
  const revisions = new Map<string, number>()
  const snapshot = (id: string) =>
    revisions.has(id) ? ({ profile: { id }, revision: revisions.get(id) } as unknown as Snapshot) : undefined
  const publisher = new Publisher(clock, snapshot, ({ profile, revision }) =>
    sent.push({ atMs: clock.monotonicMs(), profile: profile.id, revision }),
  )
  const change = (id = 'a') => {
    revisions.set(id, (revisions.get(id) ?? 0) + 1)
    publisher.changed(id)
  }
  return { clock, publisher, sent, change, revisions }
}

test('the first change after quiet is sent at once, as one with the changes next to it', async () => {
  const { clock, sent, change } = setUp()
  await clock.advance(5_000)
  change()
  change()
  expect(sent).toEqual([])
  await clock.advance(0)
  expect(sent).toEqual([{ atMs: 5_000, profile: 'a', revision: 2 }])
})

test('a change is not delayed by a periodic snapshot', async () => {
  const { clock, publisher, sent, change } = setUp()
  change()
  publisher.keepFresh(['a'])
  await clock.advance(950)
  expect(sent.map(({ atMs }) => atMs)).toEqual([0, 900])
  change()
  await clock.advance(0)
  expect(sent.at(-1)).toMatchObject({ atMs: 950, revision: 2 })
})

test('a profile is sent at least once a second and at most four times, whatever changes', async () => {
  for (const everyMs of [10, 60, 130, 260, 470, 899, 901, 5_000]) {
    const { clock, publisher, sent, change } = setUp()
    change()
    publisher.keepFresh(['a'])
    // The changes begin right after a periodic snapshot, which counts among the four.
    await clock.advance(901)
    for (let atMs = 0; atMs < 20_000; atMs += everyMs) {
      await clock.advance(everyMs)
      change()
    }
    const times = sent.map(({ atMs }) => atMs)
    for (const [index, atMs] of times.entries()) {
      expect(atMs - (times[index - 1] ?? 0)).toBeLessThanOrEqual(1_000)
      expect((times[index + 4] ?? Number.POSITIVE_INFINITY) - atMs).toBeGreaterThanOrEqual(1_000)
    }
  }
})

test('a hidden window causes no wake-ups, and one that is shown again is kept fresh', async () => {
  const { clock, publisher, sent, change } = setUp()
  change()
  publisher.keepFresh(['a'])
  await clock.advance(2_000)
  change()
  publisher.setVisible(false)
  expect(clock.pending).toBe(0)
  const before = sent.length
  publisher.setVisible(true)
  await clock.advance(1_000)
  expect(sent.slice(before).map(({ revision }) => revision)).toEqual([2, 2])
})

test('profiles do not wait for each other', async () => {
  const { clock, sent, change } = setUp()
  change('a')
  await clock.advance(1)
  change('b')
  await clock.advance(0)
  expect(sent.map(({ profile }) => profile)).toEqual(['a', 'b'])
})

test('a hidden window gets nothing, and the latest when it is shown again', async () => {
  const { clock, publisher, sent, change } = setUp()
  change()
  publisher.setVisible(false)
  await clock.advance(1_000)
  for (let count = 0; count < 100; count += 1) change()
  await clock.advance(60_000)
  expect(sent).toEqual([])
  publisher.setVisible(true)
  await clock.advance(0)
  expect(sent.map(({ revision }) => revision)).toEqual([101])
  await clock.advance(60_000)
  expect(sent.length).toBe(1)
})

test('shown again without a change in between, it gets nothing', async () => {
  const { clock, publisher, sent, change } = setUp()
  change()
  await clock.advance(1_000)
  publisher.setVisible(false)
  publisher.setVisible(true)
  await clock.advance(1_000)
  expect(sent.length).toBe(1)
})

test('a removed profile is not sent, and stop ends everything', async () => {
  const { clock, publisher, sent, change, revisions } = setUp()
  change('a')
  revisions.delete('a')
  publisher.removed('a')
  change('b')
  publisher.stop()
  change('b')
  await clock.advance(1_000)
  expect(sent).toEqual([])
  expect(clock.pending).toBe(0)
})

test('whatever the changes, snapshots are 250 ms apart and the last change is sent', async () => {
  const runs = 50
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.integer({ min: 0, max: 600 }), fc.boolean()), { maxLength: 30 }),
      async (steps) => {
        const { clock, publisher, sent, change, revisions } = setUp()
        for (const [waitMs, visible] of steps) {
          publisher.setVisible(visible)
          change()
          await clock.advance(waitMs)
        }
        publisher.setVisible(true)
        await clock.advance(250)
        for (let at = 1; at < sent.length; at += 1) {
          expect(sent[at]!.atMs - sent[at - 1]!.atMs).toBeGreaterThanOrEqual(250)
          expect(sent[at]!.revision).toBeGreaterThan(sent[at - 1]!.revision)
        }
        expect(sent.at(-1)?.revision).toBe(revisions.get('a'))
      },
    ),
    { numRuns: runs },
  )
  proves('W6', { level: 2, cases: runs })
})
