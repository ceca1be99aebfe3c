import { expect, test } from 'vitest'
import { announce, snoozeChoices } from '../../../renderer/alerts/announce.ts'
import { Sounds, tonesOf } from '../../../renderer/api/sounds.ts'
import type { Look } from '../../../renderer/state/look.ts'
import { exampleLook } from '../state/example-look.ts'

const ANNOUNCEMENT = { id: 'a@1', severity: 'warning', title: 't', body: 'b' } as const

function told(look: Partial<Look>, isAllowed = true) {
  const happened: string[] = []
  announce(ANNOUNCEMENT, {
    look: () => exampleLook(look),
    play: (severity) => void happened.push(`play ${severity}`),
    show: ({ id }) => void happened.push(`show ${id}`),
    isAllowed: () => isAllowed,
  })
  return happened
}

test('no sound and no notification unless a person turned it on', () => {
  expect(told({})).toEqual([])
  expect(told({ sounds: ['critical', 'ok'] })).toEqual([])
  expect(told({ sounds: ['warning'] })).toEqual(['play warning'])
  expect(told({ notifications: true })).toEqual(['show a@1'])
  expect(told({ notifications: true }, false)).toEqual([])
})

test('severities differ in their number of tones, and no two sound together', () => {
  expect(tonesOf('critical')).toHaveLength(3)
  expect(tonesOf('warning')).toHaveLength(2)
  expect(tonesOf('ok')).toHaveLength(1)
  for (const [index, tone] of tonesOf('critical').entries()) {
    const before = tonesOf('critical')[index - 1]
    if (before) expect(tone.startSeconds).toBeGreaterThan(before.startSeconds + before.lengthSeconds)
  }
})

test('a machine without sound causes no error', () => {
  const sounds = new Sounds(() => {
    throw new Error('no audio device')
  })
  expect(() => sounds.play('critical')).not.toThrow()
})

test('a snooze is offered until 16:00 only before it', () => {
  const at = (hours: number) => new Date(2026, 2, 13, hours).getTime()
  expect(snoozeChoices(at(14)).map(({ label }) => label)).toEqual(['15 min', '1 h', 'until 16:00'])
  expect(snoozeChoices(at(16)).map(({ label }) => label)).toEqual(['15 min', '1 h'])
  expect(snoozeChoices(at(14))[0]?.untilMs).toBe(at(14) + 15 * 60_000)
})
