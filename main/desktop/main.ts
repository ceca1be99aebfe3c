import { randomBytes } from 'node:crypto'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { app, BrowserWindow, ipcMain, Menu, protocol, screen, session } from 'electron'
import { startApp } from '../app-start.ts'
import { defaultDataFolder, openDataFolder } from '../data/data-folder.ts'
import { lockDataFolder } from '../data/lock.ts'
import { fileSink, redactedLog } from '../ports/log.ts'
import { nodeClock, nodeRandom } from '../ports/node-clock.ts'
import { nodeHttp } from '../ports/node-http.ts'
import { Redactor } from '../ports/redactor.ts'
import { findAppFolder } from '../terminal/app-folder.ts'
import { startDesktop } from './start-desktop.ts'
import { storedWindowState } from './stored-window-state.ts'

/** Electron's entry: makes the real ports and hands them over. */

const complain = (line: string) => void process.stderr.write(`headroom: ${line}\n`)
const fail = (line: string) => {
  complain(line)
  app.exit(1)
}

// Not strict: Chromium takes switches of its own from the same command line.
const { values } = parseArgs({ options: { data: { type: 'string' } }, strict: false })
const folder = openDataFolder(typeof values.data === 'string' ? values.data : defaultDataFolder())
if (folder.kind === 'unusable') fail(folder.line)
else start(folder.path)

function start(dataFolder: string): void {
  const log = redactedLog(new Redactor(), nodeClock.wallMs, fileSink(dataFolder, complain))
  const built = dirname(import.meta.dirname)
  startDesktop({
    electron: { app, BrowserWindow, Menu, protocol, screen, session },
    platform: process.platform,
    windowFolder: join(built, 'window'),
    preloadPath: join(built, 'desktop', 'preload.cjs'),
    dataFolder,
    windowState: storedWindowState({ dataFolder, ipcMain, log, wallMs: nodeClock.wallMs }),
    randomBytes,
    log,
    startApp: async () => {
      const lock = lockDataFolder(dataFolder, { pid: process.pid, host: 'desktop' })
      if (lock.kind !== 'held') throw new Error(lock.line)
      const running = await startApp({
        dataFolder,
        ports: { clock: nodeClock, random: nodeRandom, http: nodeHttp(process.env), log },
        hello: { version: findAppFolder(import.meta.filename).version, host: 'desktop' },
      })
      return {
        windows: running.windows,
        stop: async () => {
          await running.stop()
          lock.release()
        },
      }
    },
  }).catch((error: unknown) => fail(error instanceof Error ? error.message : String(error)))
}
