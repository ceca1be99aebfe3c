import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { type SimulatorServer, startSimulator } from '../../main/simulator/server.ts'
import { findChromium } from '../browser/chromium.ts'
import { proves } from '../proof/proves.ts'
import { obstacleToDouble, StartedDesktop } from './started-desktop.ts'

/** As desktop-host.test.ts; here every way to end the app, of which one is enough. */
const obstacle = obstacleToDouble() ?? (findChromium() === undefined ? 'no Chromium' : undefined)
const name = `quitting the built desktop host${obstacle === undefined ? '' : ` (not run: ${obstacle})`}`

const LIMIT_MS = 3_000

describe.skipIf(obstacle !== undefined)(name, { timeout: 60_000 }, () => {
  let dataFolder: string
  let simulator: SimulatorServer | undefined
  let desktop: StartedDesktop

  /** With a key connected, of a service outside of this process. */
  async function started(): Promise<void> {
    dataFolder = mkdtempSync(join(tmpdir(), 'headroom-quit-'))
    simulator = await startSimulator({})
    desktop = new StartedDesktop(dataFolder)
    await desktop.report('window-shown')
    await desktop.connectKey(simulator)
  }
  afterEach(async () => {
    await desktop.stop()
    await simulator?.close()
    rmSync(dataFolder, { recursive: true, force: true })
  })

  async function endsBy(quit: () => void): Promise<void> {
    const toldAt = performance.now()
    quit()
    expect(await desktop.endedWithin(LIMIT_MS)).toBe(0)
    expect(performance.now() - toldAt).toBeLessThan(LIMIT_MS)
    // What was written last is on disk, and nothing is left that a next start would have to judge.
    expect(existsSync(join(dataFolder, 'lock.json'))).toBe(false)
    expect(existsSync(join(dataFolder, 'history.db-wal'))).toBe(false)
    expect(existsSync(join(dataFolder, 'vault.db-wal'))).toBe(false)
    expect(readFileSync(join(dataFolder, 'headroom.log'), 'utf8')).not.toMatch(/stopping (?:failed|took)/)
    proves('W8', { level: 3, cases: 1 })
  }
  const ordered = (order: Parameters<StartedDesktop['order']>[0]) => () =>
    void desktop.order(order).catch(() => {}) // it ends before it answers

  it('takes one click in the menu of the tray', async () => {
    await started()
    await endsBy(ordered({ kind: 'choose', label: 'Quit Headroom' }))
  })

  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    it(`takes one ${signal}`, async () => {
      await started()
      await endsBy(() => desktop.signal(signal))
    })
  }

  it('takes the window’s close, where the app does not go on in the tray', async () => {
    await started()
    await desktop.order({ kind: 'choose', label: 'Keep Running in the Tray' })
    await endsBy(ordered({ kind: 'close-window' }))
  })

  it('leaves a data folder that the next start has to itself, with the key', async () => {
    await started()
    await endsBy(() => desktop.signal('SIGTERM'))
    desktop = new StartedDesktop(dataFolder, ['--in-tray'])
    await desktop.trayMenu('A key · CUSTOM — ')
  })
})
