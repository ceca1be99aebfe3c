import { obstacleToRunning } from '../desktop/started-desktop.ts'
import { type Display, startDisplay } from './display.ts'
import { findElectron } from './electron-runtime.ts'
import { obstacleToElectron } from './get-electron.ts'
import { type OrdinaryUser, ordinaryUser } from './ordinary-user.ts'
import { processTree, type SeenProcess } from './processes.ts'
import { reachableRuntime } from './reachable-runtime.ts'
import { stageApp } from './staged-app.ts'
import { type ElectronCommand, StartedElectron } from './started-electron.ts'

/** Why the built app cannot be started on a real runtime here; `undefined` when it can. */
export function obstacleToHost(): string | undefined {
  return obstacleToElectron() ?? obstacleToRunning()
}

/**
 * What several runs of the desktop app share: a display, a user with a home folder, and the command of the
 * app.
 */
export class ElectronHost {
  readonly #display: Display
  readonly #user: OrdinaryUser
  readonly #command: ElectronCommand
  readonly #removeApp: () => void
  readonly #started: StartedElectron[] = []
  #folders = 0

  private constructor(
    display: Display,
    user: OrdinaryUser,
    app: { readonly command: ElectronCommand; remove(): void },
  ) {
    this.#display = display
    this.#user = user
    this.#command = app.command
    this.#removeApp = app.remove
  }

  /** The app of a checkout: the runtime gets the built `dist/desktop/main.js`. */
  static async ofCheckout(options?: Parameters<typeof stageApp>[1]): Promise<ElectronHost> {
    const found = findElectron()
    if (found === undefined) throw new Error('no Electron runtime')
    const runtime = reachableRuntime(found)
    const { main, remove } = await stageApp(runtime, options)
    const command = { executable: runtime.executable, args: [main] }
    return new ElectronHost(await startDisplay(), ordinaryUser(), { command, remove })
  }

  /** The installed app: `executable` is the app itself, or a runtime with `args`. */
  static async ofPackage(executable: string, args: readonly string[] = []): Promise<ElectronHost> {
    const app = { command: { executable, args }, remove: () => {} }
    return new ElectronHost(await startDisplay(), ordinaryUser(), app)
  }

  get display(): Display {
    return this.#display
  }

  /** A new folder that the app may write to. */
  newFolder(): string {
    this.#folders += 1
    return this.#user.folder(`folder-${this.#folders}`)
  }

  /** Starts the app with `flags` on `dataFolder`. `close` ends it if it still runs. */
  start(
    dataFolder: string,
    flags: readonly string[] = [],
    environment: Readonly<Record<string, string>> = {},
  ): StartedElectron {
    const place = { display: this.#display, user: this.#user }
    const started = new StartedElectron(this.#command, ['--data', dataFolder, ...flags], place, environment)
    this.#started.push(started)
    return started
  }

  /** All processes of the runs that have not ended. */
  processes(): readonly SeenProcess[] {
    return this.#started.flatMap(({ pid }) => processTree(pid))
  }

  async close(): Promise<void> {
    for (const started of this.#started) await started.stop()
    await this.#display.close()
    this.#removeApp()
    this.#user.remove()
  }
}
