import { type ChildProcess, spawn } from 'node:child_process'
import { type Browser, chromium, type Page } from '@playwright/test'
import type { Display } from './display.ts'
import type { OrdinaryUser } from './ordinary-user.ts'

const START_LIMIT_MS = 60_000
/**
 * Maximum time for the app to end itself, as promised. Tests wait longer, to report an app that does not end.
 */
export const QUIT_LIMIT_MS = 3_000

export interface ElectronCommand {
  readonly executable: string
  /** Arguments before those of the app. For a checkout: the file to run. */
  readonly args: readonly string[]
}

/** The display and the user of a run. */
export interface ElectronPlace {
  readonly display: Display
  readonly user: OrdinaryUser
}

export interface ElectronEnd {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/**
 * One run of the desktop app on a real runtime with its sandbox. Tests reach its pages over Chromium's
 * DevTools protocol.
 */
export class StartedElectron {
  readonly ended: Promise<ElectronEnd>
  readonly #child: ChildProcess
  readonly #endpoint: Promise<string>
  #browser: Promise<Browser> | undefined
  #said = ''

  constructor(
    { executable, args }: ElectronCommand,
    appArgs: readonly string[],
    { display, user }: ElectronPlace,
    environment: Readonly<Record<string, string>> = {},
  ) {
    const shown = display.name === undefined ? {} : { DISPLAY: display.name }
    this.#child = spawn(executable, ['--remote-debugging-port=0', ...args, ...appArgs], {
      ...user.ids,
      cwd: user.home,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...user.environment, ...shown, ...environment },
    })
    const killChild = () => void this.#child.kill('SIGKILL')
    process.once('exit', killChild)
    this.ended = new Promise((resolve) => {
      this.#child.on('error', (error) => {
        this.#said += `${error.message}\n`
        resolve({ code: null, signal: null })
      })
      this.#child.on('exit', (code, signal) => {
        process.off('exit', killChild)
        resolve({ code, signal })
      })
    })
    this.#endpoint = new Promise<string>((resolve, reject) => {
      const look = (text: string) => {
        this.#said += text
        const [, found] = /DevTools listening on (ws:\S+)/.exec(this.#said) ?? []
        if (found !== undefined) resolve(found)
      }
      for (const stream of [this.#child.stdout, this.#child.stderr])
        stream?.setEncoding('utf8').on('data', look)
      const fail = (why: string) => reject(new Error(`Electron ${why}: ${this.#said}`))
      const timer = setTimeout(() => fail('was not ready in time'), START_LIMIT_MS)
      void this.ended.then(({ code, signal }) => {
        clearTimeout(timer)
        fail(`ended with ${signal ?? code}`)
      })
    })
    // `page` reports this failure. A test of a start that must fail only reads `ended`.
    this.#endpoint.catch(() => {})
  }

  get pid(): number {
    return this.#child.pid ?? 0
  }

  /** What it wrote on stdout and stderr. */
  get said(): string {
    return this.#said
  }

  /** Resolves when its pages can be reached. Until `page` is called, the test adds nothing to them. */
  async ready(): Promise<void> {
    await this.#endpoint
  }

  /** The window, once it is there. */
  async page(): Promise<Page> {
    this.#browser ??= this.#endpoint.then((address) => chromium.connectOverCDP(address))
    const browser = await this.#browser
    const [context] = browser.contexts()
    if (context === undefined) throw new Error(`Electron has no session: ${this.#said}`)
    const isWindow = (page: Page) => page.url().startsWith('app://headroom/')
    const there = context.pages().find(isWindow)
    return there ?? context.waitForEvent('page', { predicate: isWindow, timeout: START_LIMIT_MS })
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal)
  }

  /** Ends the app, by force if necessary. */
  async stop(): Promise<void> {
    await this.#browser?.then(
      (browser) => browser.close(),
      () => {},
    )
    this.#child.kill('SIGKILL')
    await this.ended
  }
}
