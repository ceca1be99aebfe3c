import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startSimulatorServer } from '../../main/simulator/server.ts'
import { LIVE_ROW } from '../bench/window-run.ts'
import { connectKey } from '../e2e/connect-key.ts'
import { ElectronHost, obstacleToHost } from '../electron/electron-host.ts'
import { findElectron } from '../electron/electron-runtime.ts'
import { type PackagedApp, packageApp } from '../electron/packaged-app.ts'
import { reachableRuntime } from '../electron/reachable-runtime.ts'
import { runtimeOf } from '../electron/runtime-of.ts'
import { cannotProve, proves } from '../proof/proves.ts'
import { fusesOf, readBuilderConfig } from './builder-config.ts'
import { itQuits } from './quit-ways.ts'

/**
 * The app as it is installed: packaged by electron-builder.yml, started from its own folder by an ordinary
 * user.
 */
const obstacle = process.platform === 'linux' ? obstacleToHost() : 'packaged and started on Linux only'
const name = `the packaged app${obstacle === undefined ? '' : ` (not run: ${obstacle})`}`

if (obstacle !== undefined) {
  it('is not run, and the page of promises reports that', () => cannotProve('W1', 4, obstacle))
}

describe.skipIf(obstacle !== undefined)(name, () => {
  let app: PackagedApp
  let host: ElectronHost
  let on = ''

  beforeAll(async () => {
    const runtime = findElectron()
    if (runtime === undefined) throw new Error('no Electron runtime')
    app = await packageApp(reachableRuntime(runtime))
    host = await ElectronHost.ofPackage(app.executable)
  }, 180_000)
  afterAll(async () => {
    await host?.close()
    app?.remove()
  })

  it('shows live rows, revokes by a click, and is sandboxed', async () => {
    const simulator = await startSimulatorServer({})
    const started = host.start(host.newFolder())
    try {
      const page = await started.page()
      on = `${await runtimeOf(page)}, packaged`
      await page.locator(LIVE_ROW).first().waitFor()
      await connectKey(page, simulator)
      await page.getByRole('button', { name: 'Revoke tokens…' }).click()
      await page.getByRole('button', { name: 'Revoke all tokens' }).click()
      await page.locator('[data-verdict][data-label="revoked"]').waitFor()
      const revokes = simulator.service.ledger.entries().filter(({ path }) => path === '/oauth/revoke')
      expect(revokes).toHaveLength(1)

      const processes = host.processes()
      const pages = processes.filter(({ commandLine }) => commandLine.includes(' --type=renderer'))
      expect([...new Set(pages.map(({ seccomp }) => seccomp))]).toEqual([2])
      expect(processes.filter(({ uid }) => uid === 0)).toEqual([])
      proves('W1', { level: 4, cases: 1, on })
    } finally {
      await started.stop()
      await simulator.close()
    }
  }, 90_000)

  it('has the fuses that electron-builder.yml names', async () => {
    const { resetAdHocDarwinSignature: _, ...wanted } = readBuilderConfig().electronFuses
    expect(await fusesOf(app.executable)).toMatchObject(wanted)
    proves('W1', { level: 4, cases: Object.keys(wanted).length, on })
  })

  itQuits(
    () => host,
    () => on,
  )
})
