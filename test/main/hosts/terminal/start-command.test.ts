import { expect, test } from 'vitest'
import type { FoundHost } from '../../../../main/hosts/terminal/find-runtime.ts'
import type { StartFlags } from '../../../../main/hosts/terminal/flags.ts'
import { start } from '../../../../main/hosts/terminal/start-command.ts'
import type { LockAttempt, LockHolder } from '../../../../main/storage/lock.ts'
import { fakeTerminal } from './fake-terminal.ts'

const FLAGS: StartFlags = { host: 'auto', port: 4780, open: true, link: true }
const DESKTOP: FoundHost = { kind: 'desktop', electronPath: '/electron' }
const NO_DESKTOP: FoundHost = { kind: 'browser', reason: 'no display' }
const busyWith = (host: LockHolder['host']): LockAttempt => ({
  kind: 'busy',
  holder: { pid: 7, host },
  line: `another Headroom (${host}, pid 7) is using it`,
})

interface World {
  readonly search?: FoundHost
  readonly lock?: LockAttempt
  readonly environment?: Readonly<Record<string, string>>
  readonly folder?: { readonly kind: 'unusable'; readonly line: string }
}

async function started(
  flags: Partial<StartFlags>,
  { search = NO_DESKTOP, lock, folder, environment = {} }: World = {},
) {
  const terminal = fakeTerminal({ environment })
  const calls: (readonly [string, unknown])[] = []
  let locked = false
  const held: LockAttempt = {
    kind: 'held',
    release: () => {
      locked = false
    },
  }
  const exitCode = await start(
    { ...FLAGS, ...flags },
    {
      terminal,
      defaultDataFolder: () => '/default',
      openDataFolder: (path = '/none') => folder ?? { kind: 'open', path },
      findDesktop: async () => {
        calls.push(['find', undefined])
        return search
      },
      lock: () => {
        locked = lock === undefined
        return lock ?? held
      },
      runDesktop: async (path, args) => {
        calls.push(['desktop', { path, locked, ...args }])
        return 0
      },
      runBrowser: async (args) => {
        calls.push(['browser', { locked, ...args }])
        return 0
      },
    },
  )
  return { terminal, calls, exitCode, locked: () => locked }
}

test('auto chooses the desktop if there is one, which locks the folder itself', async () => {
  const { calls, exitCode } = await started({ simulate: true }, { search: DESKTOP })
  expect(exitCode).toBe(0)
  expect(calls.at(-1)).toEqual([
    'desktop',
    { path: '/electron', locked: false, dataFolder: '/default', simulate: true },
  ])
})

test('auto opens in the browser if there is no desktop, and gives the reason in one line', async () => {
  const { calls, terminal, locked } = await started({ port: 0, open: false, data: '/mine' })
  expect(calls.at(-1)).toEqual([
    'browser',
    {
      locked: true,
      dataFolder: '/mine',
      simulate: false,
      port: 0,
      open: false,
      link: true,
      hostReason: 'no display',
    },
  ])
  expect(terminal.errors).toEqual(['no desktop here (no display); serving in a browser instead'])
  expect(locked()).toBe(false)
})

test('a chosen browser looks for no desktop and gives no reason', async () => {
  const { calls, terminal } = await started({ host: 'browser' }, { search: DESKTOP })
  expect(calls.map(([name]) => name)).toEqual(['browser'])
  expect(terminal.errors).toEqual([])
})

test('a chosen desktop that is missing is exit 1, not a browser', async () => {
  const { calls, terminal, exitCode, locked } = await started({ host: 'desktop' })
  expect(exitCode).toBe(1)
  expect(calls.map(([name]) => name)).toEqual(['find'])
  expect(terminal.errors).toEqual(['no desktop here (no display)'])
  expect(locked()).toBe(false)
})

test('a folder that cannot be written is exit 1 before anything else', async () => {
  const { calls, terminal, exitCode } = await started({}, { folder: { kind: 'unusable', line: 'no room' } })
  expect(exitCode).toBe(1)
  expect(terminal.errors).toEqual(['no room'])
  expect(calls).toEqual([])
})

test('a folder in use is exit 1 and names its owner', async () => {
  const { calls, terminal, exitCode } = await started({}, { lock: busyWith('browser') })
  expect(exitCode).toBe(1)
  expect(terminal.errors).toEqual([expect.stringContaining('pid 7')])
  expect(calls).toEqual([])
})

test('a folder in use by a desktop window shows that window', async () => {
  const lock = busyWith('desktop')
  const { calls, terminal, exitCode } = await started({}, { search: DESKTOP, lock })
  expect(exitCode).toBe(1)
  expect(calls.map(([name]) => name)).toEqual(['find', 'desktop'])
  expect(terminal.errors).toEqual([expect.stringContaining('desktop, pid 7')])
})

test('metrics run on the started host, with the bearer from the environment', async () => {
  const environment = { HEADROOM_METRICS_TOKEN: 'a-bearer-of-this-test' }
  for (const search of [DESKTOP, NO_DESKTOP]) {
    const { calls } = await started({ metricsPort: 9_090 }, { search, environment })
    expect(calls.at(-1)?.[1]).toMatchObject({ metrics: { port: 9_090, bearer: 'a-bearer-of-this-test' } })
  }
  const without = await started({ metricsPort: 9_090 })
  expect(without.exitCode).toBe(3)
  expect(without.calls).toEqual([])
})
