import { expect, test } from 'vitest'
import { openStreams, readByText } from '../../../app/status/stream-status.ts'

const by = (...programs: readonly (readonly [string, number])[]) =>
  programs.map(([program, readers]) => ({ program, readers }))

test('the programs that share a slot are named, with the readers of each', () => {
  expect(readByText({ readers: 3, readBy: by(['bot', 1], ['notes', 2]) }, 'slot')).toBe(
    '2 programs on 1 slot: bot, notes ×2',
  )
  expect(readByText({ readers: 1, readBy: by(['bot', 1]) }, 'slot')).toBe('read by bot')
  expect(readByText({ readers: 2, readBy: by(['bot', 2]) }, 'stream')).toBe('read by bot ×2')
})

test('a stream without readers names none, and of very many only the first are named', () => {
  expect(readByText({}, 'slot')).toBe('')
  expect(readByText({ readers: 9, readBy: by(['a', 1], ['b', 1]) }, 'stream')).toBe(
    'over 2 programs on 1 stream: a, b, …',
  )
})

test('a stream that waits, connects or is closed is not open', () => {
  const states = ['opening', 'snapshot', 'live', 'stale', 'waiting', 'closed'] as const
  const open = openStreams(states.map((state) => ({ state })))
  expect(open.map(({ state }) => state)).toEqual(['snapshot', 'live', 'stale'])
})
