import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { startSimulatorServer } from '../../main/simulator/server.ts'
import { lockDataFolder } from '../../main/storage/lock.ts'
import { findChromium } from '../browser/chromium.ts'
import { PATIENT } from '../patient.ts'
import { proves } from '../proof/proves.ts'
import { obstacleToDouble, StartedDesktop } from './started-desktop.ts'

/** Three starts of the app, each with a browser, on a machine that does other work. */
const THREE_STARTS_MS = 60_000

/**
 * The built dist/desktop/main.js and preload.cjs, unmodified, under Node with a double of Electron. The
 * double's window is a page of a real Chromium. It allows what a test can't do to Electron's own runtime. The
 * rest is in real-runtime.test.ts, real-window.test.ts and quit.test.ts.
 */
const obstacle = obstacleToDouble() ?? (findChromium() === undefined ? 'no Chromium' : undefined)
const name = `the built desktop host, as it lives${obstacle === undefined ? '' : ` (not run: ${obstacle})`}`

/** An expression for the text of the element with `testId`, as soon as the page shows one. */
const textOf = (testId: string) => `new Promise((resolve) => {
  const look = () => {
    const shown = document.querySelector('[data-testid="${testId}"]')?.textContent
    if (shown) resolve(shown)
  }
  new MutationObserver(look).observe(document, { childList: true, subtree: true, characterData: true })
  look()
})`
const HEADLINE = textOf('verdict-headline')

describe.skipIf(obstacle !== undefined)(name, () => {
  const folders: string[] = []
  const started: StartedDesktop[] = []

  function start(flags: readonly string[] = [], dataFolder = newFolder()): StartedDesktop {
    const desktop = new StartedDesktop(dataFolder, flags)
    started.push(desktop)
    return desktop
  }
  function newFolder(): string {
    const folder = mkdtempSync(join(tmpdir(), 'headroom-desktop-'))
    folders.push(folder)
    return folder
  }
  afterEach(async () => {
    for (const desktop of started.splice(0)) await desktop.stop()
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
  })

  it('serves metrics to a caller with the bearer', async () => {
    const bearer = 'a-bearer-for-this-test-only'
    const desktop = new StartedDesktop(newFolder(), ['--metrics-port', '0'], {
      HEADROOM_METRICS_TOKEN: bearer,
    })
    started.push(desktop)
    await desktop.report('window-opened')
    const url = /metrics ready: (\S+)/.exec(desktop.said)?.[1] ?? ''
    const scrape = (authorization: string) => fetch(url, { headers: { authorization } })
    expect(await (await scrape(`Bearer ${bearer}`)).text()).toContain('headroom_')
    expect((await scrape('Bearer another')).status).toBe(401)
    expect(desktop.said).not.toContain(bearer)
  })

  it('keeps running if its output is not read', async () => {
    const desktop = new StartedDesktop(
      newFolder(),
      ['--in-tray', '--gateway-port', '0', '--metrics-port', '0'],
      {
        HEADROOM_METRICS_TOKEN: 'a-bearer-for-this-test-only',
      },
    )
    started.push(desktop)
    desktop.closeOutput()
    await desktop.trayMenu('Built-in simulator')
    void desktop.order({ kind: 'choose', label: 'Quit Headroom' }).catch(() => {}) // it ends before it answers
    expect(await desktop.endedWithin(3_000)).toBe(0)
  })

  it('stays in the tray without a window, says so once, and shows it again with the latest', async () => {
    const dataFolder = newFolder()
    const desktop = start([], dataFolder)
    await desktop.report('window-shown', ({ id }) => id === 1)
    await desktop.order({ kind: 'close-window' })
    await desktop.report('window-closed', ({ id }) => id === 1)
    await desktop.report('called', ({ what }) => what === 'Notification.show')

    // A second start asks the first to show itself.
    expect(await start([], dataFolder).ended).toBe(0)
    await desktop.report('page-loaded', ({ id }) => id === 2)
    expect(await desktop.evaluate(HEADLINE, 2)).toMatch(/\w/)

    await desktop.order({ kind: 'close-window' })
    await desktop.order({ kind: 'choose', label: 'Open Headroom' })
    await desktop.report('window-shown', ({ id }) => id === 3)
    // An alert may be announced in the meantime, so only the notifications with this title are counted.
    const told = desktop.reports.filter(
      (report) => report.kind === 'called' && report.value === 'Headroom keeps running in the tray',
    )
    expect(told).toHaveLength(1)
  })

  it('ends with its window if a person chose that', async () => {
    const desktop = start()
    await desktop.report('window-shown')
    await desktop.order({ kind: 'choose', label: 'Keep Running in the Tray' })
    await desktop.trayMenu('"Keep Running in the Tray"')
    void desktop.order({ kind: 'close-window' }).catch(() => {})
    expect(await desktop.ended).toBe(0)
  })

  it('ends by one click in the tray menu, with everything written', async () => {
    const dataFolder = newFolder()
    const desktop = start(['--in-tray'], dataFolder)
    await desktop.trayMenu('Built-in simulator')
    void desktop.order({ kind: 'choose', label: 'Quit Headroom' }).catch(() => {}) // it ends before it answers
    expect(await desktop.endedWithin(3_000)).toBe(0)
    expect(readdirSync(dataFolder).filter((name) => name === 'lock.json' || name.endsWith('-wal'))).toEqual(
      [],
    )
    proves('W8', { level: 3, cases: 1 })
  })

  it('started at login, waits in the tray with the verdict in words', async () => {
    const desktop = start(['--in-tray'])
    await desktop.report('called', ({ what, value }) => what === 'Tray.setToolTip' && String(value) !== '')
    await desktop.trayMenu('Built-in simulator · SIMULATOR — ')
    expect(desktop.reports.some(({ kind }) => kind === 'window-opened')).toBe(false)
    await desktop.order({ kind: 'choose', label: 'Open Headroom' })
    await desktop.report('window-shown')
  })

  it('shows a shortcut that another program has as off, and keeps the choice for the next start', async () => {
    const dataFolder = newFolder()
    const file = join(dataFolder, 'window.json')
    writeFileSync(file, JSON.stringify({ schemaVersion: 1, globalShortcut: true }))
    const desktop = new StartedDesktop(dataFolder, ['--in-tray'], { DOUBLE_SHORTCUT: 'taken' })
    started.push(desktop)
    await desktop.trayMenu('"Shortcut Control+Alt+H"')
    await desktop.stop()
    expect(desktop.reports.filter((report) => JSON.stringify(report).includes('✓ Shortcut'))).toEqual([])
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ globalShortcut: true })

    await start(['--in-tray'], dataFolder).trayMenu('"✓ Shortcut Control+Alt+H"')
  })

  it('shows its window to a second start that arrived before it was ready', async () => {
    const dataFolder = newFolder()
    const first = new StartedDesktop(dataFolder, ['--in-tray'], { DOUBLE_READY: 'second-instance' })
    started.push(first)
    await first.report('called', ({ what }) => what === 'setAppUserModelId')
    expect(await start([], dataFolder).ended).toBe(0)
    await first.report('window-shown')
  })

  it('is called Headroom before anything can be encrypted', async () => {
    const desktop = start(['--in-tray'])
    await desktop.report('called', ({ what }) => what === 'Tray.menu')
    const calls = desktop.reports.flatMap((report) => (report.kind === 'called' ? [report] : []))
    expect(calls[0]).toMatchObject({ what: 'setName', value: 'Headroom' })
  })

  it('reports in a dialog that its data folder is in use, if nobody reads a terminal', async () => {
    const dataFolder = newFolder()
    const lock = lockDataFolder(dataFolder, { pid: process.pid, host: 'terminal' })
    try {
      const desktop = start([], dataFolder)
      const { value } = await desktop.report('called', ({ what }) => what === 'Dialog.showMessageBox')
      expect(JSON.stringify(value)).toMatch(/can’t start.*Another Headroom \(terminal/)
      expect(await desktop.ended).toBe(1)
    } finally {
      if (lock.kind === 'held') lock.release()
    }
  })

  it('continues after an unhandled rejection, and reports it', async () => {
    const dataFolder = newFolder()
    const desktop = start(['--in-tray'], dataFolder)
    await desktop.trayMenu('Built-in simulator')
    await desktop.order({ kind: 'defect', defect: 'rejection' })
    const isTold = ({ what, value }: { what: string; value: unknown }) =>
      what === 'Notification.show' && value === 'Headroom'
    await desktop.report('called', isTold)
    await desktop.order({ kind: 'choose', label: 'Open Headroom' })
    await desktop.report('window-shown')
    expect(readFileSync(join(dataFolder, 'headroom.log'), 'utf8')).toContain('Headroom keeps running')
  })

  it('ends after an uncaught exception, with everything written and reported', async () => {
    const dataFolder = newFolder()
    const desktop = start([], dataFolder)
    await desktop.report('window-shown')
    await desktop.order({ kind: 'defect', defect: 'exception' })
    await desktop.report('called', ({ what }) => what === 'Dialog.showMessageBox')
    // Nothing updates the numbers in a window from now on.
    expect(desktop.reports.some(({ kind }) => kind === 'window-closed')).toBe(true)
    expect(await desktop.ended).toBe(1)
    expect(desktop.reports.some((report) => report.kind === 'called' && report.what === 'relaunch')).toBe(
      true,
    )
    expect(existsSync(join(dataFolder, 'lock.json'))).toBe(false)
    expect(existsSync(join(dataFolder, 'history.db-wal'))).toBe(false)
    expect(readFileSync(join(dataFolder, 'headroom.log'), 'utf8')).toContain('an uncaught error')
  })

  it('reloads a crashed page, with the latest state', async () => {
    const desktop = start()
    await desktop.report('window-shown')
    await desktop.evaluate(HEADLINE)
    const before = (await desktop.evaluate('window.headroom.snapshots()')) as { revision: number }[]
    await desktop.order({ kind: 'crash-page' })
    await desktop.report('page-ended')
    await desktop.report('page-loaded', ({ count }) => count === 2)
    expect(await desktop.evaluate(HEADLINE)).toMatch(/\w/)
    const after = (await desktop.evaluate('window.headroom.snapshots()')) as { revision: number }[]
    expect(after[0]?.revision).toBeGreaterThanOrEqual(before[0]?.revision ?? Number.POSITIVE_INFINITY)
    // The new page receives changes, even if the crashed page was hidden.
    const change = `new Promise((resolve) => {
      window.headroom.snapshotChanged(resolve)
      void window.headroom.openStream({ profile: 'simulator', kind: 'quotes', target: 'IBM' })
    })`
    expect(await desktop.evaluate(change)).toMatchObject({ profile: { environment: 'simulator' } })
  })

  it('shows a strip of 360 pixels on top of all windows, which is there again at the next start', async () => {
    const dataFolder = newFolder()
    const desktop = start(['--in-tray'], dataFolder)
    await desktop.trayMenu('Compact Strip')
    await desktop.order({ kind: 'choose', label: 'Compact Strip' })
    const { options } = await desktop.report('window-opened')
    expect(options).toMatchObject({ width: 360, frame: false, alwaysOnTop: true, skipTaskbar: true })
    expect(options['webPreferences']).toMatchObject({ sandbox: true, contextIsolation: true })
    await desktop.report('window-shown')
    expect(await desktop.evaluate(textOf('strip'))).toMatch(/\w/)
    await desktop.trayMenu('✓ Compact Strip')
    expect(await desktop.stop()).toBe(0)

    const next = start(['--in-tray'], dataFolder)
    expect((await next.report('window-opened')).options).toMatchObject({ width: 360, alwaysOnTop: true })
    await next.order({ kind: 'choose', label: 'Compact Strip' })
    await next.report('window-closed')
    expect(JSON.parse(readFileSync(join(dataFolder, 'window.json'), 'utf8'))).toMatchObject({
      stripShown: false,
    })
  })

  it('notices sleep and wake-up, and saves a report without names', async () => {
    const dataFolder = newFolder()
    const desktop = start(['--in-tray'], dataFolder)
    await desktop.trayMenu('Save Report…')
    await desktop.order({ kind: 'power', event: 'suspend' })
    await desktop.order({ kind: 'power', event: 'resume' })
    expect(readFileSync(join(dataFolder, 'headroom.log'), 'utf8')).toMatch(
      /is going to sleep[\s\S]*the computer woke/,
    )
    await desktop.order({ kind: 'choose', label: 'Save Report…' })
    const { value: asked } = await desktop.report('called', ({ what }) => what === 'Dialog.showSaveDialog')
    expect(asked).toMatchObject({ title: 'Save a report without secrets' })
    expect((asked as { defaultPath: string }).defaultPath).toMatch(/^\/.*\/headroom-report-[-\d]+\.txt$/)
    const file = join(dataFolder, 'desktop', 'report.txt')
    await expect.poll(() => existsSync(file), PATIENT).toBe(true)
    const report = readFileSync(file, 'utf8')
    expect(report).toContain('the computer woke')
    expect(report).not.toContain(dataFolder)
    expect(report).not.toContain('SIM1001')
  })

  it('continues while it reports that a report could not be written', async () => {
    const dataFolder = newFolder()
    const desktop = start([], dataFolder)
    await desktop.report('window-shown')
    mkdirSync(join(dataFolder, 'desktop', 'report.txt'))
    await desktop.order({ kind: 'choose', label: 'Save Report…' })
    await desktop.report('called', ({ what }) => what === 'Dialog.showMessageBox')
    expect(await desktop.evaluate('window.headroom.hello()')).toMatchObject({ host: 'desktop' })
    expect(JSON.stringify(desktop.reports)).not.toContain('showErrorBox')
    proves('W9', { level: 3, cases: 1 })
  })

  it(
    'connects a key again at the next start, and the simulator with --simulate',
    async () => {
      const simulator = await startSimulatorServer({})
      const dataFolder = newFolder()
      try {
        const first = start([], dataFolder)
        await first.report('window-shown')
        await first.connectKey(simulator)
        expect(await first.stop()).toBe(0)

        const simulated = start(['--in-tray', '--simulate'], dataFolder)
        await simulated.trayMenu('Built-in simulator · SIMULATOR — ')
        expect(JSON.stringify(simulated.reports)).not.toContain('A key')
        expect(await simulated.stop()).toBe(0)

        await start(['--in-tray'], dataFolder).trayMenu('A key · CUSTOM — ')
      } finally {
        await simulator.close()
      }
    },
    THREE_STARTS_MS,
  )

  it.runIf(process.platform === 'linux')(
    'opens data encrypted under a former name of the app, and encrypts it under its own',
    async () => {
      const simulator = await startSimulatorServer({})
      const dataFolder = newFolder()
      try {
        const former = new StartedDesktop(dataFolder, [], { DOUBLE_NAME: 'headroom' })
        started.push(former)
        await former.report('window-shown')
        await former.connectKey(simulator)
        expect(await former.stop()).toBe(0)
        const next = start(['--in-tray'], dataFolder)
        await next.trayMenu('A key · CUSTOM — ')
        expect(await next.stop()).toBe(0)
        // From now on, only the current name can open the keyring's entry.
        const again = new StartedDesktop(dataFolder, ['--in-tray'], { DOUBLE_NAME: 'Headroom' })
        started.push(again)
        await again.trayMenu('A key · CUSTOM — ')
      } finally {
        await simulator.close()
      }
    },
    THREE_STARTS_MS,
  )

  it('does no timer work above 1 Hz with the window closed to the tray', async () => {
    // Uses a service outside the app's process, because the built-in simulator has its own timers.
    const simulator = await startSimulatorServer({})
    try {
      const desktop = start()
      await desktop.report('window-shown')
      await desktop.connectKey(simulator)
      await desktop.order({ kind: 'close-window' })
      await desktop.report('window-closed')
      const forMs = 10_000
      const due = (await desktop.order({ kind: 'count-timers', forMs })) as Record<string, number>
      expect(Object.keys(due).length).toBeGreaterThan(0) // it goes on
      // One more is allowed, because a timer may fire at both ends of the interval.
      for (const [setter, count] of Object.entries(due))
        expect([setter, count <= forMs / 1_000 + 1]).toEqual([setter, true])
    } finally {
      await simulator.close()
    }
  }, 60_000)
})
