import { expect, onTestFinished, test } from 'vitest'
import type { RunningApp } from '../../../../main/hosts/start-app.ts'
import { runBrowser } from '../../../../main/hosts/terminal/run-browser.ts'
import { claimMetrics } from '../../../../main/metrics/metrics-server.ts'
import { claimPort } from '../../../../main/network/loopback-servers.ts'
import { PATIENT } from '../../../patient.ts'
import { proves } from '../../../proof/proves.ts'
import { FakeMonitor } from './fake-monitor.ts'
import { fakeTerminal } from './fake-terminal.ts'

const ARGS = { dataFolder: '/data', simulate: false, port: 0, open: false, link: true } as const
const BEARER = 'a-bearer-of-this-test'

function world() {
  const terminal = fakeTerminal()
  const happened: string[] = []
  const monitor = new FakeMonitor(() => 0)
  const app = {
    monitor,
    gateway: { summary: { state: 'off' } },
    notices: [] as readonly string[],
    stop: async () => void happened.push('app stopped'),
  }
  const deps = {
    terminal,
    claimPort,
    claimMetrics,
    facts: { version: '1.2.3', startedMs: 0 },
    pushMetrics: () => Promise.reject(new Error('no store here')),
    startApp: async () => {
      happened.push('app started')
      return app as unknown as RunningApp
    },
    serve: async (_app: RunningApp, { port }: { readonly port: number }, ready: (url: string) => void) => {
      happened.push('serving')
      ready(`http://127.0.0.1:${port}/#code=one`)
      ready(`http://127.0.0.1:${port}/#code=two`)
      return { close: async () => void happened.push('closed') }
    },
  }
  return { terminal, happened, deps, app }
}

test('a taken port, of the window or of the metrics, is detected before the app starts', async () => {
  const taken = await claimPort(0)
  onTestFinished(() => taken.close())
  const { port } = taken
  for (const [args, flag] of [
    [{ ...ARGS, port }, '--port'],
    [{ ...ARGS, metrics: { port, bearer: BEARER } }, '--metrics-port'],
    [{ ...ARGS, gatewayPort: port }, '--gateway-port'],
  ] as const) {
    const { terminal, happened, deps } = world()
    expect(await runBrowser(args, deps)).toBe(1)
    expect(happened).toEqual([])
    expect(terminal.errors).toEqual([
      expect.stringMatching(`^port ${port} is taken: choose another with ${flag}`),
    ])
  }
  proves('U2', { level: 3, cases: 3 })
})

test('the ports are free again after a stop, and after a failed start', async () => {
  const first = world()
  const running = runBrowser({ ...ARGS, metrics: { port: 0, bearer: BEARER } }, first.deps)
  await expect.poll(() => first.happened, PATIENT).toContain('serving')
  const ports = first.terminal.lines.map((line) => Number(/:(\d+)\//.exec(line)?.[1]))
  first.terminal.stop()
  expect(await running).toBe(0)
  expect(first.happened).toEqual(['app started', 'serving', 'closed', 'app stopped'])
  for (const port of new Set(ports)) await (await claimPort(port)).close()

  const { deps } = world()
  const broken = { ...deps, startApp: () => Promise.reject(new Error('a defect')) }
  const port = ports.at(-1) ?? 0
  await expect(runBrowser({ ...ARGS, port }, broken)).rejects.toThrow('a defect')
  await (await claimPort(port)).close()
})

test('a problem of saved keys is written before the link', async () => {
  const { terminal, happened, deps, app } = world()
  app.notices = ['Your saved keys are damaged. Connect them again.']
  const running = runBrowser(ARGS, deps)
  await expect.poll(() => happened, PATIENT).toContain('serving')
  terminal.stop()
  await running
  expect(terminal.lines[0]).toBe('Your saved keys are damaged. Connect them again.')
})

test('the link is written at the start and for each further window, and never with --no-link', async () => {
  for (const link of [true, false]) {
    const { terminal, happened, deps } = world()
    const running = runBrowser({ ...ARGS, link }, deps)
    await expect.poll(() => happened, PATIENT).toContain('serving')
    await expect.poll(() => terminal.lines.length, PATIENT).toBe(link ? 2 : 1)
    terminal.stop()
    await running
    expect(terminal.lines.filter((line) => line.includes('#code='))).toHaveLength(link ? 2 : 0)
  }
})
