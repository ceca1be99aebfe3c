import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { installedRuntime } from '../../main/desktop/electron-runtime.ts'
import { cannotProve, proves } from '../proof/proves.ts'
import { obstacleToRunning } from './started-desktop.ts'

/** What only Electron's own runtime can show. Where it is absent these are not run, and are not passed either. */
const runtime = installedRuntime()
const { DISPLAY, WAYLAND_DISPLAY } = process.env
const obstacle = obstacleHere()
const name = `the desktop host on Electron's runtime${obstacle === undefined ? '' : ` (not run: ${obstacle})`}`

function obstacleHere(): string | undefined {
  if (runtime === undefined) return 'no Electron runtime'
  if (process.platform === 'linux' && !DISPLAY && !WAYLAND_DISPLAY) return 'no display'
  return process.getuid?.() === 0 ? 'running as root' : obstacleToRunning()
}

if (obstacle !== undefined) process.stderr.write(`${name}\n`)

it.skipIf(obstacle === undefined)('where it is not run, the page of promises says so', () => {
  cannotProve('W1', 4, obstacle ?? '')
})

describe.skipIf(obstacle !== undefined)(name, () => {
  const dataFolder = mkdtempSync(join(tmpdir(), 'headroom-electron-'))
  let electron: ChildProcess
  let pageSocket: WebSocket

  beforeAll(async () => {
    const main = fileURLToPath(new URL('../../dist/desktop/main.js', import.meta.url))
    electron = spawn(runtime ?? '', ['--remote-debugging-port=0', main, '--data', dataFolder], {
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    const address = await new Promise<string>((resolve, reject) => {
      let said = ''
      electron.stderr?.setEncoding('utf8').on('data', (text: string) => {
        said += text
        const [found] = /ws:\/\/127\.0\.0\.1:\d+/.exec(said) ?? []
        if (found !== undefined) resolve(found.replace('ws:', 'http:'))
      })
      electron.on('exit', (code) => reject(new Error(`it ended with ${code}: ${said}`)))
    })
    pageSocket = new WebSocket(await debuggerOf(address))
    await new Promise((resolve) => pageSocket.addEventListener('open', resolve))
  }, 60_000)
  afterAll(() => {
    pageSocket?.close()
    electron?.kill()
    rmSync(dataFolder, { recursive: true, force: true })
  })

  /** Asks until the window's page is among the targets. */
  async function debuggerOf(address: string): Promise<string> {
    for (;;) {
      const targets: { url: string; webSocketDebuggerUrl: string }[] = await (
        await fetch(`${address}/json`)
      ).json()
      const page = targets.find(({ url }) => url.startsWith('app://headroom/'))
      if (page !== undefined) return page.webSocketDebuggerUrl
    }
  }

  function evaluate(expression: string): Promise<unknown> {
    return new Promise((resolve) => {
      pageSocket.addEventListener(
        'message',
        ({ data }) => resolve(JSON.parse(String(data)).result.result.value),
        { once: true },
      )
      const params = { expression, awaitPromise: true, returnByValue: true }
      pageSocket.send(JSON.stringify({ id: 1, method: 'Runtime.evaluate', params }))
    })
  }

  it('answers a command of its page', async () => {
    expect(await evaluate('window.headroom.hello()')).toMatchObject({ host: 'desktop' })
  })

  it('gives the page neither Node nor a bridge that it could change', async () => {
    expect(await evaluate('[typeof require, typeof process, typeof module].join()')).toBe(
      'undefined,undefined,undefined',
    )
    const changed = `(() => { try { window.headroom.hello = 1 } catch {} return typeof window.headroom.hello })()`
    expect(await evaluate(changed)).toBe('function')
    proves('W1', { level: 4, cases: 1 })
  })

  it('reaches no network, opens no window and goes nowhere', async () => {
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
    proves('W1', { level: 4, cases: 1 })
  })

  it('grants no permission', async () => {
    const asked = `navigator.permissions.query({ name: 'notifications' }).then(({ state }) => state)`
    expect(await evaluate(asked)).toBe('denied')
    proves('W1', { level: 4, cases: 1 })
  })
})
