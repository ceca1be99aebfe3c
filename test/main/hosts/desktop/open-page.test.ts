import { EventEmitter } from 'node:events'
import { describe, expect, it } from 'vitest'
import { openPage, type PageDeps } from '../../../../main/hosts/desktop/open-page.ts'
import { SteppedClock } from '../../stepped-clock.ts'
import { FakeWindows } from '../browser/fake-windows.ts'

class FakeContents extends EventEmitter {
  readonly id = 1
  readonly ipc = { handle: () => {} }
  reloads = 0
  crashes = 0
  debugged = false
  gone = false
  isDestroyed = () => this.gone
  isCrashed = () => false
  isDevToolsOpened = () => this.debugged
  send = () => {}
  reload = () => {
    this.reloads += 1
  }
  forcefullyCrashRenderer = () => {
    this.crashes += 1
  }
}

class FakeWindow extends EventEmitter {
  readonly webContents = new FakeContents()
  readonly options: Record<string, unknown>
  shown = 0
  constructor(options: Record<string, unknown>) {
    super()
    this.options = options
  }
  show = () => {
    this.shown += 1
  }
  loadURL = async () => {}
  isDestroyed = () => this.webContents.gone
}

function open() {
  const clock = new SteppedClock()
  const windows = new FakeWindows()
  const notes: string[] = []
  const window = openPage('app://headroom/', { width: 360 }, {
    electron: { app: { isPackaged: true }, BrowserWindow: FakeWindow },
    windows,
    preloadPath: '/p.cjs',
    clock,
    log: { note: (line: string) => void notes.push(line) },
    iconPath: '/icon.png',
    sessionEnding: () => void notes.push('written'),
  } as unknown as PageDeps) as unknown as FakeWindow
  const gone = (reason: string) => window.webContents.emit('render-process-gone', {}, { reason })
  return { clock, windows, notes, window, contents: window.webContents, gone }
}

describe('a window', () => {
  it('is shown once painted, and hardened whatever its options', () => {
    const { window } = open()
    expect(window.shown).toBe(0)
    window.emit('ready-to-show')
    expect(window.shown).toBe(1)
    expect(window.options).toMatchObject({
      width: 360,
      show: false,
      icon: '/icon.png',
      webPreferences: { sandbox: true, contextIsolation: true, devTools: false },
    })
  })

  it('reloads a crashed page at once, and sends it changes again', () => {
    const { clock, windows, contents, gone } = open()
    gone('crashed')
    clock.advance(0)
    expect(contents.reloads).toBe(1)
    expect(windows.calls).toEqual([['setVisible', { visible: true }]])
    // A page that ends again at once is reloaded after a second, so that the machine does not become busy.
    gone('oom')
    clock.advance(999)
    expect(contents.reloads).toBe(1)
    clock.advance(1)
    expect(contents.reloads).toBe(2)
  })

  it('is not reloaded after it was closed, by itself or meanwhile', () => {
    const { clock, windows, contents, gone, window } = open()
    gone('clean-exit')
    clock.advance(60_000)
    gone('killed')
    contents.gone = true
    window.emit('closed')
    clock.advance(60_000)
    expect(contents.reloads).toBe(0)
    expect(windows.sessions.map(({ isOpen }) => isOpen)).toEqual([false])
  })

  it('is ended if it does not respond, unless a debugger is attached', () => {
    const { contents } = open()
    contents.debugged = true
    contents.emit('unresponsive')
    expect(contents.crashes).toBe(0)
    contents.debugged = false
    contents.emit('unresponsive')
    expect(contents.crashes).toBe(1)
  })

  it('saves unsaved data when the person logs off', () => {
    const { notes, window } = open()
    window.emit('query-session-end', {})
    expect(notes).toEqual(['written'])
    window.emit('session-end', {})
    expect(notes).toEqual(['written', 'written'])
  })
})
