import { EventEmitter } from 'node:events'
import { expect, test } from 'vitest'
import { desktopShell } from '../../../../main/hosts/desktop/desktop-shell.ts'
import { readDesktopState } from '../../../../main/hosts/desktop/desktop-state.ts'
import type { ElectronPieces } from '../../../../main/hosts/desktop/electron-pieces.ts'
import { SteppedClock } from '../../stepped-clock.ts'
import { FakeWindows } from '../browser/fake-windows.ts'

const NOTHING = () => {}
const SCREEN = { x: 0, y: 0, width: 1920, height: 1080 }
const nextTurn = () => new Promise((resolve) => setImmediate(resolve))

/** The shell of an app that started in the tray, on a desktop that has shown no tray yet. */
function shellInTray() {
  const made: string[] = []
  const app = Object.assign(new EventEmitter(), { isPackaged: true, quit: NOTHING })
  const clock = new SteppedClock()
  const questions: PromiseWithResolvers<boolean>[] = []
  let pressShortcut = NOTHING
  class Tray extends EventEmitter {
    readonly setImage = NOTHING
    readonly setToolTip = NOTHING
    readonly setContextMenu = NOTHING
    readonly destroy = NOTHING

    constructor() {
      super()
      made.push('tray')
    }
  }
  class BrowserWindow {
    constructor() {
      made.push('window')
      throw new Error('this desktop opens no window')
    }
  }
  const electron = {
    app,
    BrowserWindow,
    Tray,
    Menu: { setApplicationMenu: NOTHING, buildFromTemplate: NOTHING },
    nativeImage: { createEmpty: () => ({ addRepresentation: NOTHING, setTemplateImage: NOTHING }) },
    powerMonitor: new EventEmitter(),
    screen: { getPrimaryDisplay: () => ({ workArea: SCREEN }), getAllDisplays: () => [] },
    globalShortcut: {
      unregister: NOTHING,
      register: (_: string, pressed: () => void) => {
        pressShortcut = pressed
        return true
      },
    },
  } as unknown as ElectronPieces
  const shell = desktopShell({
    electron,
    clock,
    platform: 'linux',
    version: '1.0.0',
    preloadPath: '',
    dataFolder: '',
    state: {
      read: () => ({ ...readDesktopState({}), globalShortcut: true }),
      change: () => ({ ok: true }),
    },
    loginItem: undefined,
    updater: undefined,
    inTray: true,
    tray: {
      isThere: false,
      ask: () => {
        const question = Promise.withResolvers<boolean>()
        questions.push(question)
        return question.promise
      },
    },
    log: { note: NOTHING },
    running: {
      switches: { stop: () => ({ ok: true }) },
      windows: new FakeWindows(),
      monitor: {
        profiles: () => [],
        snapshot: () => undefined,
        subscribe: () => NOTHING,
        withProfile: () => expect.fail('no key is connected'),
        sleep: NOTHING,
        wake: NOTHING,
      },
      stop: async () => {},
      flush: NOTHING,
    },
    power: { keepAwake: NOTHING, on: () => NOTHING },
    notify: NOTHING,
  })
  const answered = async (hasTray: boolean) => {
    clock.advance(3_000)
    questions.at(-1)?.resolve(hasTray)
    await nextTurn()
  }
  return { app, shell, made, clock, questions, answered, press: () => pressShortcut() }
}

test.each([true, false])(
  'an answer about the tray (%s) that arrives while the app quits opens nothing',
  async (hasTray) => {
    const { app, shell, made, clock, questions, answered, press } = shellInTray()
    for (let looks = 1; looks < 10; looks += 1) await answered(false)
    clock.advance(3_000)
    app.emit('before-quit')
    shell.close()
    questions.at(-1)?.resolve(hasTray)
    await nextTurn()
    press()
    expect([questions.length, made, clock.pending]).toEqual([10, ['tray'], 0])
  },
)

test('a tray that appears after the start gets an icon', async () => {
  const { made, clock, answered } = shellInTray()
  await answered(false)
  await answered(true)
  expect([made, clock.pending]).toEqual([['tray', 'tray'], 0])
})
