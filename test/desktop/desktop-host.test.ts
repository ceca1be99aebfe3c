import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { findChromium } from '../browser/chromium.ts'
import { obstacleToDouble, StartedDesktop } from './started-desktop.ts'

/**
 * The built dist/desktop/main.js and preload.cjs, unmodified, under Node and a double of Electron whose window is a page
 * of a real Chromium. What Electron itself promises (sandbox, isolation) is not seen here: real-runtime.test.ts.
 */
const obstacle = obstacleToDouble() ?? (findChromium() === undefined ? 'no Chromium' : undefined)
const name = `the built desktop host${obstacle === undefined ? '' : ` (not run: ${obstacle})`}`

describe.skipIf(obstacle !== undefined)(name, () => {
  let dataFolder: string
  let desktop: StartedDesktop

  beforeAll(async () => {
    dataFolder = mkdtempSync(join(tmpdir(), 'headroom-desktop-'))
    desktop = new StartedDesktop(dataFolder)
    await desktop.report('window-shown')
  })
  afterAll(async () => {
    await desktop.stop()
    rmSync(dataFolder, { recursive: true, force: true })
  })

  it('opens one window, sandboxed and isolated, and shows it when it is painted', () => {
    const opened = desktop.reports.filter(({ kind }) => kind === 'window-opened')
    expect(opened).toHaveLength(1)
    expect(opened[0]).toMatchObject({
      options: {
        width: 1440,
        height: 900,
        minWidth: 360,
        backgroundColor: '#0e1116',
        show: false,
        webPreferences: {
          sandbox: true,
          contextIsolation: true,
          nodeIntegration: false,
          webSecurity: true,
          webviewTag: false,
        },
      },
    })
  })

  it('shows its page under its own policy, without a violation', async () => {
    expect(await desktop.evaluate('document.title')).toMatch(/Headroom$/)
    expect(desktop.reports.filter(({ kind }) => kind === 'violation')).toEqual([])
  })

  it('answers a command of the page', async () => {
    expect(await desktop.evaluate('window.headroom.hello()')).toMatchObject({ host: 'desktop' })
    const snapshots = await desktop.evaluate('window.headroom.snapshots()')
    expect(snapshots).toMatchObject([{ profile: { environment: 'simulator' } }])
  })

  it('tells the page what changes', async () => {
    const change = `new Promise((resolve) => {
      window.headroom.snapshotChanged(resolve)
      void window.headroom.openStream({ profile: 'simulator', kind: 'quotes', target: 'IBM' })
    })`
    expect(await desktop.evaluate(change)).toMatchObject({ profile: { environment: 'simulator' } })
  })

  it('refuses a wrong argument in one line that repeats none of it', async () => {
    const sent = `{ name: 'n', environment: 'S3CRET', clientId: 'c', refreshToken: 'S3CRET' }`
    const refused = await desktop.evaluate(`window.headroom.connect(${sent}).catch((error) => error.message)`)
    expect(refused).toBe('connect: environment must be one of live, sim, custom')
  })

  it('refuses a command of a frame that is not the window', async () => {
    await desktop.evaluate(`void document.body.append(document.createElement('iframe'))`)
    const reply = await desktop.order({ kind: 'invoke-from-frame', channel: 'hello' })
    expect(reply).toEqual({ error: 'hello: refused' })
    const bridged = `'headroom' in document.querySelector('iframe').contentWindow`
    expect(await desktop.evaluate(bridged)).toBe(false)
    await desktop.evaluate(`document.querySelector('iframe').remove()`)
  })

  it('keeps the preload script in a world of its own', async () => {
    const seen = `['__send', '__invoke', 'require', 'ipcRenderer'].filter((name) => name in window)`
    expect(await desktop.evaluate(seen)).toEqual([])
    const changed = `(() => { try { window.headroom.hello = 1 } catch {} return typeof window.headroom.hello })()`
    expect(await desktop.evaluate(changed)).toBe('function')
  })

  it('may copy to the clipboard and is granted nothing else', async () => {
    const ask = (permission: string, url = 'app://headroom/') =>
      desktop.order({ kind: 'ask-permission', permission, url })
    expect(await ask('clipboard-sanitized-write')).toBe(true)
    expect(await ask('clipboard-sanitized-write', 'https://evil.test/')).toBe(false)
    for (const other of ['clipboard-read', 'media', 'notifications', 'openExternal', 'geolocation'])
      expect([other, await ask(other)]).toEqual([other, false])
  })

  it('lets the page go nowhere, open nothing and reach no network', async () => {
    await desktop.evaluate(`void (location.href = 'https://evil.test/')`)
    await desktop.report('navigation-prevented', ({ url }) => url === 'https://evil.test/')
    await desktop.evaluate(`void window.open('https://evil.test/popup')`)
    await desktop.report('popup-denied')
    expect(await desktop.evaluate(`fetch('https://evil.test/').catch(() => 'threw')`)).toBe('threw')
    // The policy forbids the window even its own origin: everything comes over the bridge.
    expect(await desktop.evaluate(`fetch('/').catch(() => 'threw')`)).toBe('threw')
    await desktop.report('violation', ({ text }) => text.includes('connect-src'))
    expect(await desktop.evaluate('document.title')).toMatch(/Headroom$/)
  })

  it('lets a page that could not be drawn load itself again', async () => {
    await desktop.evaluate(`void (window.isOld = true)`)
    await desktop.evaluate(`void location.reload()`)
    await desktop.report('page-loaded', ({ count }) => count === 2)
    expect(await desktop.evaluate('window.isOld')).toBeUndefined()
    expect(await desktop.evaluate('window.headroom.hello()')).toMatchObject({ host: 'desktop' })
  })

  it('gives a second start to the first, whose window comes to the front', async () => {
    await desktop.order({ kind: 'minimize-window' })
    const second = new StartedDesktop(dataFolder)
    expect(await second.ended).toBe(0)
    await desktop.report('window-focused')
    // It says its name, as every start does before anything else, and opens nothing.
    expect(second.reports).toEqual([{ kind: 'called', what: 'setName', value: 'Headroom' }])
  })
})

describe.skipIf(obstacle !== undefined)(`${name}, started and ended`, () => {
  let dataFolder: string
  const started: StartedDesktop[] = []
  const start = async (): Promise<StartedDesktop> => {
    const desktop = new StartedDesktop(dataFolder)
    started.push(desktop)
    await desktop.report('window-shown')
    return desktop
  }
  const boundsOf = async (desktop: StartedDesktop) => {
    const { width, height } = (await desktop.report('window-opened')).options
    return [width, height]
  }

  beforeAll(() => {
    dataFolder = mkdtempSync(join(tmpdir(), 'headroom-desktop-'))
  })
  afterEach(async () => {
    for (const desktop of started.splice(0)) await desktop.stop()
    rmSync(dataFolder, { recursive: true, force: true })
  })

  it('ends when told to, frees the data folder and keeps where the window was', async () => {
    const first = await start()
    expect(existsSync(join(dataFolder, 'lock.json'))).toBe(true)
    void first.order({ kind: 'quit' }).catch(() => {})
    expect(await first.ended).toBe(0)
    expect(existsSync(join(dataFolder, 'lock.json'))).toBe(false)
    const kept = JSON.parse(readFileSync(join(dataFolder, 'window.json'), 'utf8'))
    expect(kept).toMatchObject({ windowBounds: { x: 11, y: 12, width: 1440, height: 900 } })
  })

  it('sets a damaged place of the window aside and opens as on the first day', async () => {
    dataFolder = mkdtempSync(join(tmpdir(), 'headroom-desktop-'))
    writeFileSync(join(dataFolder, 'window.json'), '{"bounds":')
    expect(await boundsOf(await start())).toEqual([1440, 900])
    expect(readdirSync(dataFolder).filter((file) => file.startsWith('window.corrupt-'))).toHaveLength(1)
  })
})
