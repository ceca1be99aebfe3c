import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { contract } from '../../../../app/contract/contract.ts'
import { publish } from '../../../../main/hosts/desktop/ipc.ts'
import { MAX_UNACKNOWLEDGED, pacedPushes } from '../../../../main/hosts/desktop/paced-pushes.ts'
import { snapshotOf } from '../browser/fake-windows.ts'

function page() {
  const sent: [string, unknown][] = []
  const contents = {
    isDestroyed: () => false,
    isCrashed: () => false,
    send: (channel: string, value: unknown) => void sent.push([channel, value]),
  }
  return { sent, ...pacedPushes(publish(contract, contents)) }
}

describe('an unresponsive page', () => {
  it('gets a few snapshots and then none until it responds, then the latest', () => {
    const { sent, pushes, acknowledge } = page()
    for (let revision = 1; revision <= 100_000; revision += 1)
      pushes.snapshotChanged(snapshotOf('p1', revision))
    expect(sent).toHaveLength(MAX_UNACKNOWLEDGED)
    acknowledge()
    expect(sent.at(-1)).toEqual(['snapshotChanged', snapshotOf('p1', 100_000)])
    for (let count = 0; count < 20; count += 1) acknowledge()
    expect(sent).toHaveLength(MAX_UNACKNOWLEDGED + 1)
  })

  it('loses no event, and gets nothing about a profile after its end', () => {
    const { sent, pushes, acknowledge } = page()
    for (let revision = 1; revision <= MAX_UNACKNOWLEDGED + 1; revision += 1)
      pushes.snapshotChanged(snapshotOf('p1', revision))
    const event = { kind: 'revoked', seq: 1, at: 0, profile: 'p1' } as const
    pushes.eventHappened(event)
    pushes.profileRemoved({ profile: 'p1' })
    for (let count = 0; count < 20; count += 1) acknowledge()
    expect(sent.slice(MAX_UNACKNOWLEDGED)).toEqual([
      ['eventHappened', event],
      ['profileRemoved', { profile: 'p1' }],
    ])
  })

  it('is not waited for once a new page is there, which gets the latest', () => {
    const { sent, pushes, startOver } = page()
    for (let revision = 1; revision <= 50; revision += 1) pushes.snapshotChanged(snapshotOf('p1', revision))
    startOver()
    expect(sent.at(-1)).toEqual(['snapshotChanged', snapshotOf('p1', 50)])
    pushes.snapshotChanged(snapshotOf('p1', 51))
    expect(sent.at(-1)).toEqual(['snapshotChanged', snapshotOf('p1', 51)])
  })

  it('ends up with the latest of each profile, whenever it responds', () => {
    const step = fc.oneof(fc.constant('acknowledge' as const), fc.constantFrom('p1', 'p2', 'p3'))
    fc.assert(
      fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
        const { sent, pushes, acknowledge } = page()
        const latest = new Map<string, number>()
        let answered = 0
        for (const [index, what] of steps.entries()) {
          if (what === 'acknowledge') {
            if (answered === sent.length) continue
            answered += 1
            acknowledge()
          } else {
            latest.set(what, index)
            pushes.snapshotChanged(snapshotOf(what, index))
          }
          expect(sent.length - answered).toBeLessThanOrEqual(MAX_UNACKNOWLEDGED)
        }
        while (answered < sent.length) {
          answered += 1
          acknowledge()
        }
        const last = new Map(
          sent.map(([, value]) => {
            const { profile, revision } = value as ReturnType<typeof snapshotOf>
            return [profile.id, revision] as const
          }),
        )
        expect(last).toEqual(latest)
      }),
    )
  })
})
