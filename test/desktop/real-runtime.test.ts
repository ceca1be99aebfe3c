import type { Page } from '@playwright/test'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { contract } from '../../app/contract/contract.ts'
import { ElectronHost, obstacleToHost } from '../electron/electron-host.ts'
import { runtimeOf } from '../electron/runtime-of.ts'
import { cannotProve, proves } from '../proof/proves.ts'

/** Tests that need Electron's own runtime. Without it, they are reported as not run. */
const obstacle = obstacleToHost()
const name = `the desktop host on Electron's runtime${obstacle === undefined ? '' : ` (not run: ${obstacle})`}`

if (obstacle !== undefined) {
  process.stderr.write(`${name}\n`)
  it('is not run, and the page of promises reports that', () => cannotProve('W1', 4, obstacle))
}

describe.skipIf(obstacle !== undefined)(name, () => {
  let host: ElectronHost
  let page: Page
  let on: string

  beforeAll(async () => {
    host = await ElectronHost.ofCheckout()
    page = await host.start(host.newFolder()).page()
    on = await runtimeOf(page)
  }, 90_000)
  afterAll(() => host?.close())

  /** The expression is text, so that TypeScript does not look for the page's names here. */
  const evaluate = (expression: string): Promise<unknown> => page.evaluate(expression)

  it('responds to a command of its page', async () => {
    expect(await evaluate('window.headroom.hello()')).toMatchObject({ host: 'desktop' })
  })

  it.runIf(process.platform === 'linux')('stores no key without a keyring, and says so', async () => {
    expect(await evaluate('window.headroom.hello()')).toMatchObject({ keeps: 'memory' })
    await page.getByText('this desktop has no keyring').first().waitFor()
    proves('K2', { level: 4, cases: 1, on })
  })

  it('gives the page neither Node nor a bridge that it could change', async () => {
    expect(await evaluate('[typeof require, typeof process, typeof module].join()')).toBe(
      'undefined,undefined,undefined',
    )
    const changed = `(() => { try { window.headroom.hello = 1 } catch {} return typeof window.headroom.hello })()`
    expect(await evaluate(changed)).toBe('function')
    proves('W1', { level: 4, cases: 1, on })
  })

  it('reaches no network, opens no window and navigates nowhere', async () => {
    for (const address of ['https://example.test/', 'app://headroom/'])
      expect(await evaluate(`fetch('${address}').catch(() => 'threw')`)).toBe('threw')
    expect(await evaluate(`String(window.open('https://example.test/'))`)).toBe('null')
    await evaluate(`void (location.href = 'https://example.test/')`)
    expect(await evaluate(`location.href`)).toBe('app://headroom/')
    const framed = `new Promise((resolve) => {
      const frame = document.createElement('iframe')
      frame.onload = () => resolve('headroom' in frame.contentWindow)
      document.body.append(frame)
    })`
    expect(await evaluate(framed)).toBe(false)
    proves('W1', { level: 4, cases: 1, on })
  })

  it('rejects a malformed payload on every channel, in a line that repeats none of it', async () => {
    const mark = 'h0stile-mark'
    const payloads = [mark, [mark], { [mark]: mark }, { profile: { id: mark } }, 1e308, -1, true]
    const malformed = Object.entries(contract).flatMap(([command, entry]) =>
      entry.kind === 'command'
        ? payloads.filter((payload) => refuses(entry, payload)).map((payload) => ({ command, payload }))
        : [],
    )
    const lines = await page.evaluate(async (sent) => {
      const { headroom } = window as unknown as {
        headroom: Record<string, ((arg: unknown) => Promise<unknown>) | undefined>
      }
      const answer = ({ command, payload }: (typeof sent)[number]) =>
        headroom[command]?.(payload).then(
          () => 'taken',
          (error: Error) => error.message,
        )
      return Promise.all(sent.map(answer))
    }, malformed)
    expect(malformed.length).toBeGreaterThan(50)
    const wrong = lines.filter((line, index) => {
      const { command = '' } = malformed[index] ?? {}
      return !line?.startsWith(`${command}: `) || line.includes('\n') || line.includes(mark)
    })
    expect(wrong).toEqual([])
    proves('W2', { level: 4, cases: malformed.length, on })
  })

  it('grants no permission', async () => {
    const asked = `navigator.permissions.query({ name: 'notifications' }).then(({ state }) => state)`
    expect(await evaluate(asked)).toBe('denied')
    proves('W1', { level: 4, cases: 1, on })
  })

  it.runIf(process.platform === 'linux')('runs its page in a sandbox, and none of it as root', () => {
    const processes = host.processes()
    const pages = processes.filter(({ commandLine }) => commandLine.includes(' --type=renderer'))
    expect(pages.length).toBeGreaterThan(0)
    // Mode 2 of seccomp: a filter decides which system calls the page's process may use.
    expect(pages.map(({ seccomp }) => seccomp)).toEqual(pages.map(() => 2))
    expect(processes.filter(({ uid }) => uid === 0)).toEqual([])
    expect(processes.filter(({ commandLine }) => commandLine.includes(' --no-sandbox'))).toEqual([])
    proves('W1', { level: 4, cases: 1, on })
  })
})

function refuses(entry: { parse(value: unknown): unknown }, payload: unknown): boolean {
  try {
    entry.parse(payload)
    return false
  } catch {
    return true
  }
}
