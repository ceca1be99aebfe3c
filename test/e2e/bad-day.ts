import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Page } from '@playwright/test'
import type { Health } from '../../app/contract/key-health.ts'
import { DEFAULT_PROBES } from '../../main/ports/profile.ts'
import { VaultProfileStore } from '../../main/sign-in/profile-store.ts'
import type { SimulatorOptions } from '../../main/simulator/options.ts'
import { type SimulatorServer, startSimulator } from '../../main/simulator/server.ts'
import { passphraseKeystore } from '../../main/vault/passphrase-keystore.ts'
import { VaultHandle } from '../../main/vault/vault-handle.ts'
import { FaultProxy } from '../storm/fault-proxy.ts'
import { type StartedProcess, startProcess } from './started-process.ts'

const LAUNCH = fileURLToPath(new URL('../../main/launch.js', import.meta.url))
const PASSPHRASE = 'linden quartz meadow anvil'

/** A person reads spaces that do not break as spaces. */
const unbroken = (text: string) => text.replaceAll('\u00a0', ' ').trim()

/** What every surface says, as a person and as a program read it. */
export interface Said {
  readonly headline: string
  readonly detail: string
  /** The labels of the headline's buttons. */
  readonly buttons: readonly string[]
  /** The first lines of `headroom status`. */
  readonly status: string
  readonly health: Health
}

/** A saved key of a service whose two hosts can fail apart, and the app as a process of its own. */
export class BadDay {
  readonly simulator: SimulatorServer
  readonly resources: FaultProxy
  readonly signIn: FaultProxy
  readonly folder: string
  readonly #ownsFolder: boolean
  #app: StartedProcess | undefined

  private constructor(
    parts: Pick<BadDay, 'simulator' | 'resources' | 'signIn' | 'folder'>,
    ownsFolder: boolean,
  ) {
    this.#ownsFolder = ownsFolder
    this.simulator = parts.simulator
    this.resources = parts.resources
    this.signIn = parts.signIn
    this.folder = parts.folder
  }

  static async prepare(
    options: Partial<SimulatorOptions> = {},
    /** A data folder that the caller removes. */
    given?: string,
  ): Promise<BadDay> {
    const simulator = await startSimulator(options)
    const [resources, signIn] = [
      await FaultProxy.start(simulator.port, 1),
      await FaultProxy.start(simulator.port, 2),
    ]
    const folder = given ?? mkdtempSync(join(tmpdir(), 'headroom-bad-day-'))
    const day = new BadDay({ simulator, resources, signIn, folder }, given === undefined)
    await day.#saveKey()
    return day
  }

  /** The stdout of the app so far. */
  get lines(): readonly string[] {
    return this.#app?.lines ?? []
  }

  /** Starts the app, and opens its window in `page`. */
  async open(
    page: Page,
    environment: Readonly<Record<string, string>> = { HEADROOM_PASSPHRASE: PASSPHRASE },
  ) {
    const flags = ['--host', 'browser', '--no-open', '--port', '0', '--data', this.folder]
    this.#app = await startProcess(['start', ...flags], 'headroom ready: ', {
      HEADROOM_PASSPHRASE: '',
      ...environment,
    })
    await page.goto(this.#app.ready[0] ?? '')
  }

  /** Runs `headroom ARGS --data FOLDER` beside the app; its stdout. */
  run(...args: readonly string[]): Promise<string> {
    return new Promise((resolve, reject) => {
      execFile(process.execPath, [LAUNCH, ...args, '--data', this.folder], (error, stdout) =>
        error ? reject(error) : resolve(stdout),
      )
    })
  }

  /** Everything that is said now. */
  async said(page: Page): Promise<Said> {
    const panel = page.getByRole('region', { name: 'Verdict' })
    const [table, json] = [await this.run('status'), await this.run('status', '--json')]
    return {
      headline: unbroken(await panel.getByTestId('verdict-headline').innerText()),
      detail: unbroken(await panel.getByTestId('verdict-detail').innerText()),
      buttons: await panel.getByTestId('remedy').getByRole('button').allInnerTexts(),
      status: table.split('\n').slice(0, 5).join(' '),
      health: JSON.parse(json.split('\n')[0] ?? '{}').health,
    }
  }

  async close(): Promise<void> {
    await this.#app?.stop()
    await Promise.all([this.resources.close(), this.signIn.close(), this.simulator.close()])
    if (this.#ownsFolder) rmSync(this.folder, { recursive: true, force: true })
  }

  async #saveKey(): Promise<void> {
    const keystore = passphraseKeystore(PASSPHRASE)
    const nowMs = Date.now()
    const handle = await VaultHandle.open({ folder: this.folder, keystore, wallMs: () => nowMs })
    const { clientId, clientSecret, refreshToken } = this.simulator.service.options
    new VaultProfileStore(handle, { startsOver: false, changed: () => {} }).signIn(
      {
        id: 'key-1',
        name: 'Mine',
        environment: 'custom',
        authUrl: this.signIn.origin,
        baseUrl: this.resources.origin,
        clientId,
        ...(clientSecret !== undefined && { clientSecret }),
        refreshToken,
        probes: { ...DEFAULT_PROBES, enabled: true },
        streams: [{ kind: 'positions', target: 'SIM1001', options: {} }],
      },
      nowMs,
    )
    handle.close()
  }
}
