import fc from 'fast-check'
import { expect, test } from 'vitest'
import { left, right } from '../../../../main/hosts/terminal/cells.ts'
import {
  fitAlike,
  fitHeight,
  fitWidth,
  headed,
  leaving,
  type WeighedLine,
} from '../../../../main/hosts/terminal/fit.ts'

const ROW = [
  left('Accounts', 10),
  leaving(left('█████', 5), 2),
  leaving(right('1.00', 5), 1),
  right('300', 4),
]
const written = (cells: readonly { readonly text: string }[]) =>
  cells
    .map(({ text }) => text)
    .join(' ')
    .trimEnd()

const said = (text: string, weight: number): WeighedLine => ({ cells: [left(text, text.length)], weight })
const texts = (lines: readonly WeighedLine[]) => lines.map(({ cells }) => written(cells))

test('a line that is too wide drops whole columns, the least important first, and only then a part', () => {
  expect(fitWidth(ROW, 27)).toEqual(ROW)
  expect(written(fitWidth(ROW, 26))).toBe('Accounts    1.00  300')
  expect(written(fitWidth(ROW, 20))).toBe('Accounts    300')
  expect(written(fitWidth(ROW, 14))).toBe('Accounts    3…')
  expect(written(fitWidth([left('a long sentence', 40)], 8))).toBe('a long …')
})

test('lines of one table lose the same columns, as many as the longest needs', () => {
  const row = (name: string, state: string) => [
    left(name, 8),
    leaving(right('12', 6), 2),
    leaving(right('0.50', 6), 1),
    left(state, state.length),
  ]
  const lines = [row('NAME', 'STATE'), row('scanner', '3 waiting, 12 s'), row('bot', 'idle')]
  expect(fitAlike(lines, 38).map(written)).toEqual(lines.map(written))
  expect(fitAlike(lines, 37).map(written)).toEqual([
    'NAME       0.50 STATE',
    'scanner    0.50 3 waiting, 12 s',
    'bot        0.50 idle',
  ])
  expect(fitAlike(lines, 5).map(written)).toEqual([
    'NAME     STATE',
    'scanner  3 waiting, 12 s',
    'bot      idle',
  ])
})

test('a heading leaves with the last of its lines', () => {
  const lines = [
    said('head', 9),
    ...headed([left('STREAMS', 7)], [said('one', 4), said('two', 3)]),
    ...headed([left('EVENTS', 6)], [said('last', 5)]),
    ...headed([left('PROGRAMS', 8)], []),
  ]
  expect(texts(fitHeight(lines, 6))).toEqual(['head', 'STREAMS', 'one', 'two', 'EVENTS', 'last'])
  expect(texts(fitHeight(lines, 5))).toEqual([
    ...['head', 'EVENTS', 'last'],
    '… 2 more lines; enlarge the window',
  ])
  expect(texts(fitHeight(lines, 3))).toEqual(['head', '… 3 more lines; enlarge the window'])
})

test('nothing is ever wider than the window', () => {
  const cell = fc.record({ text: fc.string({ maxLength: 12 }), leaves: fc.nat({ max: 4 }) })
  fc.assert(
    fc.property(fc.array(cell, { maxLength: 6 }), fc.integer({ min: 1, max: 60 }), (cells, width) => {
      const row = cells.map(({ text, leaves }) => leaving(left(text, text.length), leaves))
      expect([...written(fitWidth(row, width))].length).toBeLessThanOrEqual(width)
    }),
  )
})

test('in a low window the least important lines are dropped, and a line counts them', () => {
  const lines = [said('head', 3), { cells: [], weight: 0 }, said('a', 2), said('b', 2), said('c', 1)]
  expect(texts(fitHeight(lines, 5))).toEqual(['head', '', 'a', 'b', 'c'])
  expect(texts(fitHeight(lines, 4))).toEqual(['head', 'a', 'b', 'c'])
  expect(texts(fitHeight(lines, 3))).toEqual(['head', 'a', '… 2 more lines; enlarge the window'])
  expect(texts(fitHeight([said('a', 1), said('b', 1), said('c', 1)], 2))).toEqual([
    'a',
    '… 2 more lines; enlarge the window',
  ])
})
