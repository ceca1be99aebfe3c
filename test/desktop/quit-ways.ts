import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { expect, it } from 'vitest'
import { startSimulatorServer } from '../../main/simulator/server.ts'
import { connectKey, openPositionsStream } from '../e2e/connect-key.ts'
import { programPath } from '../electron/display.ts'
import type { ElectronHost } from '../electron/electron-host.ts'
import { HANDS_PROGRAM } from '../electron/get-electron.ts'
import { pressKeys } from '../electron/hands.ts'
import { QUIT_LIMIT_MS, type StartedElectron } from '../electron/started-electron.ts'
import { proves } from '../proof/proves.ts'

interface Running {
  readonly host: ElectronHost
  readonly started: StartedElectron
}

/** Every way in which a person or the system ends the app. */
const WAYS: Readonly<Record<string, (running: Running) => Promise<void>>> = {
  'the menu': ({ host }) => pressKeys(host.display, 'ctrl+q'),
  SIGTERM: async ({ started }) => started.signal('SIGTERM'),
  SIGINT: async ({ started }) => started.signal('SIGINT'),
  'the closing of its window': ({ host }) => pressKeys(host.display, 'ctrl+w'),
}
const PLAYED: ReadonlySet<string> = new Set(['the menu', 'the closing of its window'])

/** How long a test waits for the end before it says that there was none. */
const CALLER_WAIT_MS = 10_000

/**
 * Tests that the app of `host` ends by each way, once, in time, with its streams closed and its files
 * written.
 */
export function itQuits(host: () => ElectronHost, on: () => string): void {
  for (const [way, quit] of Object.entries(WAYS)) {
    const canBePlayed = !PLAYED.has(way) || programPath(HANDS_PROGRAM) !== undefined
    it.skipIf(!canBePlayed)(
      `ends by ${way} within 3 s, with a key connected and everything written`,
      async () => {
        const dataFolder = host().newFolder()
        writeFileSync(
          join(dataFolder, 'window.json'),
          JSON.stringify({ closeToTray: !way.includes('closing') }),
        )
        const simulator = await startSimulatorServer({})
        try {
          const started = host().start(dataFolder)
          const page = await started.page()
          await connectKey(page, simulator)
          await openPositionsStream(page)
          await expect.poll(() => simulator.service.streams().length).toBe(1)

          const fromMs = performance.now()
          await quit({ host: host(), started })
          const end = await Promise.race([started.ended, patience()])
          const tookMs = performance.now() - fromMs
          expect(end).toEqual({ code: 0, signal: null })
          expect(tookMs).toBeLessThan(QUIT_LIMIT_MS)
          expect(simulator.service.streams()).toHaveLength(0)
          expect(unwritten(dataFolder)).toEqual([])
          proves('W8', { level: 4, cases: 1, on: on() })
        } finally {
          await simulator.close()
        }
      },
      90_000,
    )
  }
}

const patience = (): Promise<string> =>
  new Promise((resolve) =>
    setTimeout(resolve, CALLER_WAIT_MS, `it did not end within ${CALLER_WAIT_MS / 1000} s`),
  )

/**
 * Traces in the data folder of an app that did not quit properly: a lock, a journal, or a problem in its log.
 */
function unwritten(dataFolder: string): readonly string[] {
  const problems = readFileSync(join(dataFolder, 'headroom.log'), 'utf8')
    .split('\n')
    .filter((line) => line.includes('storage-problem') && !line.includes('this desktop has no keyring'))
  const left = readdirSync(dataFolder).filter((name) => name === 'lock.json' || name.endsWith('-wal'))
  const kept: unknown = existsSync(join(dataFolder, 'window.json'))
    ? JSON.parse(readFileSync(join(dataFolder, 'window.json'), 'utf8'))
    : {}
  const knowsItsPlace = typeof kept === 'object' && kept !== null && 'windowBounds' in kept
  return [...problems, ...left, ...(knowsItsPlace ? [] : ['no place of the window'])]
}
