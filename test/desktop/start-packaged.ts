import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'

/**
 * Starts a packaged app on an empty data folder, waits until the streams of its built-in simulator are open,
 * and quits the app as the operating system does: `node test/desktop/start-packaged.ts EXECUTABLE`.
 */
const START_LIMIT_MS = 90_000
const QUIT_LIMIT_MS = 10_000
const LOOK_EVERY_MS = 200

const [executable] = process.argv.slice(2)
if (executable === undefined) throw new Error('which executable?')

const dataFolder = mkdtempSync(join(tmpdir(), 'headroom-packaged-'))
// Windows ends a program by closing its windows. With `closeToTray`, the app would stay in the tray.
writeFileSync(join(dataFolder, 'window.json'), JSON.stringify({ closeToTray: false }))
const app = spawn(executable, ['--data', dataFolder], { stdio: 'inherit' })
const ended = new Promise<number | string>((resolve, reject) => {
  app.on('error', reject)
  app.on('exit', (code, signal) => resolve(code ?? signal ?? 'unknown'))
})

try {
  await started()
  process.stdout.write('started: its streams are open\n')
  const askedAt = performance.now()
  if (process.platform === 'win32') execFileSync('taskkill', ['/PID', String(app.pid)])
  else app.kill('SIGTERM')
  const how = await Promise.race([ended, wait(QUIT_LIMIT_MS, 'not at all', { ref: false })])
  if (how !== 0) throw new Error(`it was asked to quit and ended: ${how}`)
  process.stdout.write(`quit after ${Math.round(performance.now() - askedAt)} ms\n`)
} finally {
  app.kill('SIGKILL')
  await ended
  rmSync(dataFolder, { recursive: true, force: true, maxRetries: 5 })
}

async function started(): Promise<void> {
  for (let waitedMs = 0; waitedMs < START_LIMIT_MS; waitedMs += LOOK_EVERY_MS) {
    if (log().includes(' stream-opened ')) return
    const how = await Promise.race([ended, wait(LOOK_EVERY_MS)])
    if (how !== undefined) throw new Error(`it ended before it was started: ${how}\n${log()}`)
  }
  throw new Error(`it did not start in ${START_LIMIT_MS / 1000} s\n${log()}`)
}

function log(): string {
  try {
    return readFileSync(join(dataFolder, 'headroom.log'), 'utf8')
  } catch {
    return '' // not yet there
  }
}
