import { ElectronHost, obstacleToHost } from '../electron/electron-host.ts'
import { findElectron } from '../electron/electron-runtime.ts'
import { packageApp } from '../electron/packaged-app.ts'
import { reachableRuntime } from '../electron/reachable-runtime.ts'

/** The packaged desktop app and the runtime that it is packaged around. */
export interface DesktopRun {
  readonly host: ElectronHost
  /** "Electron 45.4.1", as the runtime's own file says. */
  readonly runtime: string
  close(): Promise<void>
}

/**
 * Packages the app for a bench. Throws where no real runtime can be started.
 *
 * The package is a copy of the runtime, so that its memory is shared with no other Electron of this machine.
 */
export async function desktopRun(): Promise<DesktopRun> {
  const found = findElectron()
  const obstacle = obstacleToHost()
  if (found === undefined || obstacle !== undefined) throw new Error(`not run: ${obstacle}`)
  const app = await packageApp(reachableRuntime(found))
  const host = await ElectronHost.ofPackage(app.executable)
  return {
    host,
    runtime: `Electron ${found.version}`,
    close: async () => {
      await host.close()
      app.remove()
    },
  }
}
