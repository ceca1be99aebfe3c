import { expect, test } from 'vitest'
import type { Screen } from '../../../../main/hosts/terminal/terminal.ts'
import { watchView } from '../../../../main/hosts/terminal/watch-view.ts'
import { exampleSnapshot } from './example-snapshot.ts'
import { fakeTerminal } from './fake-terminal.ts'

function onScreen(size = { columns: 100, rows: 24 }) {
  const drawn: string[] = []
  let resized = () => {}
  const screen: Screen = {
    columns: () => size.columns,
    rows: () => size.rows,
    colour: false,
    draw: (text) => void drawn.push(text),
    onResize: (run) => {
      resized = run
      return () => {
        resized = () => {}
      }
    },
    keep: () => {},
  }
  const view = watchView({ ...fakeTerminal(), screen }, {})
  return { drawn, view, size, resize: () => resized() }
}

test('a resize redraws in the new size at once, and no longer after the end', () => {
  const { drawn, view, size, resize } = onScreen()
  view.snapshot(exampleSnapshot())
  size.columns = 40
  resize()
  expect(drawn).toHaveLength(2)
  for (const line of drawn[1]?.split('\n') ?? []) expect([...line].length).toBeLessThanOrEqual(40)
  view.end()
  resize()
  expect(drawn).toHaveLength(2)
})

test('? shows the keys and hides them again', () => {
  const { drawn, view } = onScreen()
  view.snapshot(exampleSnapshot())
  view.key?.('?')
  expect(drawn.at(-1)).toMatch(/q {2}quit/)
  view.key?.('?')
  expect(drawn.at(-1)).not.toMatch(/q {2}quit/)
})

test('an alert wraps between words, and no number is split', () => {
  const { drawn, view } = onScreen({ columns: 40, rows: 30 })
  view.alert('Positions running out. Positions runs out in 3 min. 154 of 320 left on Main key.')
  view.snapshot(exampleSnapshot())
  const text = drawn.at(-1)?.split('\n').join(' ')
  expect(text).toContain('! Positions running out. Positions runs out in 3 min. 154 of 320 left on Main key.')
})

test('a drawing with alerts and keys is no taller than the terminal', () => {
  const { drawn, view } = onScreen({ columns: 40, rows: 16 })
  for (const text of ['a', 'b', 'c']) view.alert(`Alert ${text}. ${'word '.repeat(12)}`)
  view.snapshot(exampleSnapshot())
  view.key?.('?')
  expect(drawn.at(-1)?.split('\n').length).toBeLessThan(16)
})
