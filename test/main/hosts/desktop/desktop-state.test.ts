import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { migrated, readDesktopState, STATE_VERSION } from '../../../../main/hosts/desktop/desktop-state.ts'

const BOUNDS = { x: -3, y: 0, width: 800, height: 600 }
const FIRST_DAY = readDesktopState({})

describe('the desktop state', () => {
  it('starts as: stay in the tray, no shortcut, no keeping awake', () => {
    expect(FIRST_DAY).toEqual({
      windowMaximized: false,
      closeToTray: true,
      toldOfTray: false,
      stripShown: false,
      globalShortcut: false,
      keepAwake: false,
      checkForUpdates: true,
    })
  })

  it('loses one invalid value, and no other', () => {
    for (const wrong of [
      null,
      3,
      [],
      {},
      { ...BOUNDS, width: 0 },
      { ...BOUNDS, x: 0.5 },
      { ...BOUNDS, x: '1' },
    ])
      expect([wrong, readDesktopState({ windowBounds: wrong, keepAwake: true })]).toEqual([
        wrong,
        { ...FIRST_DAY, keepAwake: true },
      ])
    expect(readDesktopState({ windowBounds: BOUNDS, closeToTray: 'no' })).toEqual({
      ...FIRST_DAY,
      windowBounds: BOUNDS,
    })
  })

  it('reads any input as something valid', () => {
    fc.assert(fc.property(fc.anything(), (stored) => void readDesktopState(stored)))
  })

  it('is migrated from the first form, and not from the present one', () => {
    expect(migrated({ bounds: BOUNDS })).toEqual({ windowBounds: BOUNDS, schemaVersion: STATE_VERSION })
    const present = { windowBounds: BOUNDS, schemaVersion: STATE_VERSION }
    expect(migrated(present)).toBe(present)
    expect(migrated({ schemaVersion: -7, bounds: BOUNDS })).toMatchObject({ windowBounds: BOUNDS })
  })

  it('leaves the file of a newer Headroom unchanged', () => {
    const newer = { schemaVersion: STATE_VERSION + 1, bounds: 'another meaning' }
    expect(migrated(newer)).toBe(newer)
  })
})
