import { EventEmitter } from 'node:events'
import type { App, Session } from 'electron'
import { describe, expect, it } from 'vitest'
import { hardenContents, hardenSession, windowPreferences } from '../../../../main/hosts/desktop/hardening.ts'
import { proves } from '../../../proof/proves.ts'

/** A session that does nothing. */
const SESSION = {
  setPermissionRequestHandler: () => {},
  setPermissionCheckHandler: () => {},
  setDevicePermissionHandler: () => {},
  setDisplayMediaRequestHandler: () => {},
  on: () => {},
  webRequest: { onBeforeRequest: () => {} },
}

/** The hardened session's answer to a request for `url`. */
function cancels(url: string, isPackaged: boolean): boolean {
  let cancelled: boolean | undefined
  const session = {
    ...SESSION,
    webRequest: {
      onBeforeRequest: (
        listener: (details: { url: string }, decide: (d: { cancel: boolean }) => void) => void,
      ) =>
        listener({ url }, ({ cancel }) => {
          cancelled = cancel
        }),
    },
  }
  hardenSession(session as unknown as Session, isPackaged, () => {})
  if (cancelled === undefined) throw new Error('the request was not decided')
  return cancelled
}

describe('the session', () => {
  /** The session's answers to a permission that is requested in both ways. */
  function grants(permission: string, isMainFrame: boolean, url: string): readonly unknown[] {
    const decisions: unknown[] = []
    const details = { isMainFrame, requestingUrl: url }
    type Ask = (c: null, p: string, decide: (granted: boolean) => void, d: typeof details) => void
    type Check = (c: null, p: string, origin: string, d: typeof details) => boolean
    const session = {
      ...SESSION,
      setPermissionRequestHandler: (ask: Ask) =>
        ask(null, permission, (granted) => decisions.push(granted), details),
      setPermissionCheckHandler: (check: Check) => decisions.push(check(null, permission, url, details)),
      setDevicePermissionHandler: (check: () => boolean) => decisions.push(check()),
      setDisplayMediaRequestHandler: (handler: unknown) => decisions.push(handler),
    }
    hardenSession(session as unknown as Session, true, () => {})
    return decisions
  }

  it('grants no permission, however it is requested', () => {
    for (const permission of ['media', 'clipboard-read', 'notifications', 'openExternal', 'hid'])
      expect([permission, ...grants(permission, true, 'app://headroom/')]).toEqual([
        permission,
        false,
        false,
        null,
        false,
      ])
    proves('W1', { level: 1, cases: 1 })
  })

  it('lets our own page write plain text to the clipboard, and no other frame', () => {
    const write = (isMainFrame: boolean, url: string) =>
      grants('clipboard-sanitized-write', isMainFrame, url).slice(0, 2)
    expect(write(true, 'app://headroom/')).toEqual([true, true])
    expect(write(false, 'app://headroom/')).toEqual([false, false])
    for (const url of ['https://evil.test/', 'app://headroom.evil.test/', '', 'about:blank'])
      expect([url, ...write(true, url)]).toEqual([url, false, false])
    proves('W1', { level: 1, cases: 1 })
  })

  it('requests nothing but the app itself, and the developer tools in a development build', () => {
    expect(cancels('app://headroom/assets/a.js', true)).toBe(false)
    expect(cancels('devtools://devtools/bundled/x.js', false)).toBe(false)
    for (const url of [
      'https://evil.test/',
      'http://127.0.0.1:4780/',
      'ws://127.0.0.1/',
      'file:///etc/passwd',
      'data:text/html,x',
      'app://other/',
      'devtools://devtools/bundled/x.js',
    ])
      expect([url, cancels(url, true)]).toEqual([url, true])
    proves('W1', { level: 1, cases: 1 })
  })
})

describe('a download', () => {
  it('is a file from our own page, or does not happen', () => {
    let start: ((event: object, item: { getURL: () => string }) => void) | undefined
    const session = {
      ...SESSION,
      on: (_name: string, listener: typeof start) => {
        start = listener
      },
    }
    const named: string[] = []
    hardenSession(session as unknown as Session, true, (item) => void named.push(item.getURL()))
    const isPrevented = (url: string) => {
      let prevented = false
      const preventDefault = () => {
        prevented = true
      }
      start?.({ preventDefault }, { getURL: () => url })
      return prevented
    }
    expect(isPrevented('blob:app://headroom/7d1c')).toBe(false)
    for (const url of [
      'app://headroom/',
      'https://evil.test/a.exe',
      'blob:https://evil.test/7d1c',
      'blob:app://headroom.evil.test/7d1c',
      'data:text/html,x',
    ])
      expect([url, isPrevented(url)]).toEqual([url, true])
    expect(named).toEqual(['blob:app://headroom/7d1c'])
  })
})

describe('every page', () => {
  it('can navigate nowhere and open nothing', () => {
    let sandboxed = false
    const app = Object.assign(new EventEmitter(), {
      enableSandbox: () => {
        sandboxed = true
      },
    })
    hardenContents(app as unknown as App)
    let opening: (() => { action: string }) | undefined
    const contents = Object.assign(new EventEmitter(), {
      getURL: () => 'app://headroom/#strip',
      setWindowOpenHandler: (handler: () => { action: string }) => {
        opening = handler
      },
    })
    app.emit('web-contents-created', {}, contents)
    expect(sandboxed).toBe(true)
    for (const name of ['will-navigate', 'will-frame-navigate', 'will-redirect', 'will-attach-webview']) {
      for (const url of ['https://evil.test/', 'app://headroom/', 'app://headroom/x#strip', '']) {
        let prevented = false
        const preventDefault = () => {
          prevented = true
        }
        contents.emit(name, { preventDefault, url, isMainFrame: true })
        expect([name, url, prevented]).toEqual([name, url, true])
      }
    }
    const answers: unknown[][] = []
    let isRefused = false
    const preventDefault = () => {
      isRefused = true
    }
    contents.emit('login', { preventDefault }, {}, {}, (...answer: unknown[]) => answers.push(answer))
    // The answer is empty but is sent, because a request without a response would wait forever.
    expect([isRefused, answers]).toEqual([true, [[]]])
    const chosen: string[] = []
    const offered = [{ deviceId: 'd', deviceName: 'a device' }]
    contents.emit('select-bluetooth-device', { preventDefault: () => {} }, offered, (id: string) =>
      chosen.push(id),
    )
    expect(chosen).toEqual([''])
    expect(opening?.()).toEqual({ action: 'deny' })
    proves('W1', { level: 1, cases: 1 })
  })
})

describe('a page that failed to render', () => {
  it('may reload itself, but a frame in it may not', () => {
    const app = Object.assign(new EventEmitter(), { enableSandbox: () => {} })
    hardenContents(app as unknown as App)
    const url = 'app://headroom/#strip'
    const contents = Object.assign(new EventEmitter(), {
      getURL: () => url,
      setWindowOpenHandler: () => {},
    })
    app.emit('web-contents-created', {}, contents)
    for (const name of ['will-navigate', 'will-frame-navigate'])
      for (const isMainFrame of [true, false]) {
        let prevented = false
        const preventDefault = () => {
          prevented = true
        }
        contents.emit(name, { preventDefault, url, isMainFrame })
        expect([name, isMainFrame, prevented]).toEqual([name, isMainFrame, !isMainFrame])
      }
  })
})

describe('the window', () => {
  it('is sandboxed and isolated, without Node, and has a console only in a development build', () => {
    // Compares all preferences, because every additional one needs a decision, such as Blink features or a
    // preload in frames.
    expect(windowPreferences('/p.cjs', true)).toEqual({
      preload: '/p.cjs',
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      nodeIntegrationInWorker: false,
      nodeIntegrationInSubFrames: false,
      webSecurity: true,
      allowRunningInsecureContent: false,
      experimentalFeatures: false,
      webviewTag: false,
      navigateOnDragDrop: false,
      spellcheck: false,
      devTools: false,
    })
    expect(windowPreferences('/p.cjs', false)).toMatchObject({ devTools: true })
    proves('W1', { level: 1, cases: 1 })
  })
})
