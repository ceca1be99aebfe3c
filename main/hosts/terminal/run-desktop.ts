import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { join } from 'node:path'
import type { HostArguments } from './start-command.ts'
import { EXIT_FAILURE, type Terminal } from './terminal.ts'

/** Runs the desktop host in its own process and ends as it ends. */
export function runDesktop(
  electronPath: string,
  appFolder: string,
  { dataFolder, simulate, metrics }: HostArguments,
  terminal: Terminal,
): Promise<number> {
  const main = join(appFolder, 'dist', 'desktop', 'main.js')
  // The bearer goes by the environment.
  const metricsPort = metrics === undefined ? [] : ['--metrics-port', String(metrics.port)]
  const args = [main, '--data', dataFolder, ...(simulate ? ['--simulate'] : []), ...metricsPort]
  // The first is set by some editors' terminals and would turn Electron into a plain Node; the desktop has the
  // system's keyring, and no use for the second.
  const { ELECTRON_RUN_AS_NODE: _, HEADROOM_PASSPHRASE: __, ...environment } = terminal.environment
  const child = spawn(electronPath, args, { stdio: 'inherit', env: environment })
  const cancel = terminal.onStop(() => child.kill('SIGTERM'))
  return new Promise((resolve) => {
    child.on('error', (error) => {
      cancel()
      terminal.error(`the desktop window cannot be started: ${error.message}`)
      resolve(EXIT_FAILURE)
    })
    child.on('exit', (code, signal) => {
      cancel()
      resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal]))
    })
  })
}
