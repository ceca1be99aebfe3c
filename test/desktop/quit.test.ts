import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ElectronHost, obstacleToHost } from '../electron/electron-host.ts'
import { runtimeOf } from '../electron/runtime-of.ts'
import { cannotProve } from '../proof/proves.ts'
import { itQuits } from './quit-ways.ts'

/** How the app of a checkout quits. packaged-app.test.ts tests the same with a package. */
const obstacle = obstacleToHost()
const name = `the app of a checkout, when it is told to end${obstacle === undefined ? '' : ` (not run: ${obstacle})`}`

if (obstacle !== undefined) {
  it('is not run, and the page of promises reports that', () => cannotProve('W8', 4, obstacle))
}

describe.skipIf(obstacle !== undefined)(name, () => {
  let host: ElectronHost
  let on = ''
  beforeAll(async () => {
    host = await ElectronHost.ofCheckout()
  }, 90_000)
  afterAll(() => host?.close())

  it('ends for the next start on its folder, which shows the same', async () => {
    const dataFolder = host.newFolder()
    const first = host.start(dataFolder)
    on = await runtimeOf(await first.page())
    first.signal('SIGTERM')
    await first.ended
    const next = host.start(dataFolder)
    const row = (await next.page()).locator('tr[data-category]').first()
    await row.waitFor()
    expect(await row.getAttribute('data-category')).toMatch(/\w/)
    await next.stop()
  }, 90_000)

  itQuits(
    () => host,
    () => on,
  )
})
