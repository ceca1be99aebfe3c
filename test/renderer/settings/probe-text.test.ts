import { describe, expect, test } from 'vitest'
import {
  budgetFrom,
  budgetText,
  probeUseText,
  rotationFrom,
  secondsFrom,
  storedText,
  symbolFrom,
} from '../../../renderer/settings/settings-text.ts'
import { snapshot } from '../fixtures.ts'
import { KEY_SETTINGS } from '../harness/memory-fixtures.ts'
import '../utc.ts'

const { settings, probed } = KEY_SETTINGS

describe('typed settings', () => {
  test.each([
    ['0.1', 0.001],
    ['20', 0.2],
    [' 2,5 ', 0.025],
  ])('“%s” per cent is a budget', (text, value) => {
    const typed = budgetFrom(text)
    expect(typed.ok && typed.value).toBeCloseTo(value, 9)
  })

  test.each(['', '0', '0.09', '20.1', '-2', '1e1', '0x2', '2 %', 'two', 'Infinity'])(
    '“%s” is not a budget, and the error says what to enter',
    (text) => {
      expect(budgetFrom(text)).toEqual({ ok: false, error: 'Enter a number from 0.1 to 20.' })
    },
  )

  test('include minutes between rotations, a symbol, seconds between checks', () => {
    expect(rotationFrom('45')).toEqual({ ok: true, value: 45 })
    expect(rotationFrom('0')).toEqual({ ok: false, error: 'Enter minutes, from 1 to 1440.' })
    expect(rotationFrom('1441')).toMatchObject({ ok: false })
    expect(symbolFrom(' $SPX.X ')).toEqual({ ok: true, value: '$SPX.X' })
    for (const text of ['', 'A,B', '..', '<b>']) expect(symbolFrom(text)).toMatchObject({ ok: false })
    expect(secondsFrom(' ')).toEqual({ ok: true, value: undefined })
    expect(secondsFrom('0')).toEqual({ ok: true, value: 0 })
    expect(secondsFrom('86400')).toEqual({ ok: true, value: 86_400 })
    for (const text of ['0.5', '86401', 'x', '1,800']) expect(secondsFrom(text)).toMatchObject({ ok: false })
  })

  test('show a budget as it was typed', () => {
    for (const text of ['0.1', '0.15', '2', '12.345', '20']) {
      const typed = budgetFrom(text)
      expect(typed.ok && budgetText(typed.value)).toBe(text)
    }
  })
})

describe('the effect of a budget', () => {
  const shown = snapshot()

  test('covers all checked rows, and the count with its time', () => {
    // 2 % of 320, 500 and 90 are 6.4, 10 and 1.8 checks per period, evenly spread. Positions is checked every
    // 15 s.
    expect(probeUseText(shown, { settings, probed })).toBe(
      'At most 15.2 checks a minute on average, for all rows. ' +
        'At 14:31:05: 2 checks in the last minute, 0.6 % of the tightest quota.',
    )
  })

  test('never checks a row more than once in five seconds', () => {
    const only = {
      settings: { ...settings, budgetFraction: 0.2, everySeconds: {} },
      probed: ['Option Strikes'],
    }
    expect(probeUseText(shown, only)).toContain('At most 12 checks')
  })

  test('when off, explains which headers still update a row', () => {
    const off = { settings: { ...settings, probesEnabled: false }, probed }
    expect(probeUseText(shown, off)).toBe('Off. Only other requests and “Check now” update the rows.')
  })
})

test('says what is stored, and for how long', () => {
  expect(storedText({ kept: 'stored' })).toBe('Settings are stored with this key.')
  expect(storedText({ kept: 'until-exit' })).toContain('until Headroom quits')
})
