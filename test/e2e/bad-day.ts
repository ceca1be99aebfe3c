import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Locator, Page } from '@playwright/test'
import type { Health } from '../../app/contract/key-health.ts'
import { type Snapshot, snapshotSchema } from '../../app/contract/snapshot.ts'
import type { StreamRequest } from '../../app/service/stream-kinds.ts'
import { trayLine } from '../../main/hosts/desktop/tray.ts'
import { DEFAULT_PROBES, type ProbeSettings, type Profile } from '../../main/ports/profile.ts'
import { VaultProfileStore } from '../../main/sign-in/profile-store.ts'
import type { SimulatorFlags } from '../../main/simulator/options.ts'
import { type SimulatorServer, startSimulatorServer } from '../../main/simulator/server.ts'
import { passphraseKeystore } from '../../main/vault/passphrase-keystore.ts'
import { VaultHandle } from '../../main/vault/vault-handle.ts'
import { FaultProxy } from '../storm/fault-proxy.ts'
import { type StartedProcess, startProcess } from './started-process.ts'

const LAUNCH = fileURLToPath(new URL('../../main/launch.js', import.meta.url))
export const PASSPHRASE = 'linden quartz meadow anvil'
const METRICS_TOKEN = 'metrics-of-a-bad-day'
const GLANCE_SIZE = { width: 1280, height: 800 } as const
const STRIP_SIZE = { width: 360, height: 60 } as const

/** Replaces non-breaking spaces by normal ones and trims the text. */
const unbroken = (text: string) => text.replaceAll('\u00a0', ' ').trim()

async function surfaceOf(page: Page, surface: Locator): Promise<Surface> {
  await surface.waitFor()
  // Waits for one frame, because a change of size is drawn in the next frame.
  await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(drawn)))
  return {
    severity: (await surface.getAttribute('data-severity')) ?? '',
    text: unbroken((await surface.innerText()).replaceAll('\n', ' ')),
  }
}

/** Severity and text of one surface. */
interface Surface {
  readonly severity: string
  readonly text: string
}

/** Everything that a person can read about a key, unchanged. */
export interface Texts {
  readonly window: string
  readonly glance: string
  readonly strip: string
  readonly status: string
}

/** The texts of every surface for people and for programs. */
export interface Said {
  readonly headline: string
  readonly detail: string
  /** The labels of the headline's buttons. */
  readonly buttons: readonly string[]
  readonly severity: string
  readonly glance: Surface
  /** The glance in a window that is only one line high. */
  readonly strip: Surface
  /** The line of the key in the tray's menu, from the snapshot of `--json`. */
  readonly tray: Surface
  /** What `headroom status` writes. */
  readonly status: string
  readonly health: Health
  /** The samples of `headroom_key_condition`. */
  readonly metrics: readonly string[]
}

export interface DayOptions {
  /** A data folder that the caller removes. By default, the test creates one. */
  readonly folder?: string
  /** Streams of the key; one of positions unless given. */
  readonly streams?: readonly StreamRequest[]
  /** Number of other saved keys, each at its own service without faults. Default: 0. */
  readonly spares?: number
  /** Seconds between checks of a category, for tests that need more checks than the budget pays for. */
  readonly everySeconds?: ProbeSettings['everySeconds']
}

const ONE_STREAM: readonly StreamRequest[] = [{ kind: 'positions', target: 'SIM1001', options: {} }]

/** A saved key of a service whose two hosts can fail apart, and the app as a process of its own. */
export class BadDay {
  readonly simulator: SimulatorServer
  readonly resources: FaultProxy
  readonly signIn: FaultProxy
  readonly folder: string
  readonly #spares: readonly SimulatorServer[]
  readonly #ownsFolder: boolean
  #app: StartedProcess | undefined
  #watch: StartedProcess | undefined
  #glance: Page | undefined

  private constructor(
    parts: Pick<BadDay, 'simulator' | 'resources' | 'signIn' | 'folder'>,
    spares: readonly SimulatorServer[],
    ownsFolder: boolean,
  ) {
    this.#ownsFolder = ownsFolder
    this.#spares = spares
    this.simulator = parts.simulator
    this.resources = parts.resources
    this.signIn = parts.signIn
    this.folder = parts.folder
  }

  static async prepare(
    options: Partial<SimulatorFlags> = {},
    { folder: given, streams = ONE_STREAM, spares: count = 0, everySeconds = {} }: DayOptions = {},
  ): Promise<BadDay> {
    const simulator = await startSimulatorServer(options)
    const spares = await Promise.all(Array.from({ length: count }, () => startSimulatorServer({})))
    const [resources, signIn] = [
      await FaultProxy.start(simulator.port, 1),
      await FaultProxy.start(simulator.port, 2),
    ]
    const folder = given ?? mkdtempSync(join(tmpdir(), 'headroom-bad-day-'))
    const day = new BadDay({ simulator, resources, signIn, folder }, spares, given === undefined)
    await day.#saveKeys(streams, everySeconds)
    return day
  }

  /** The stdout of the app so far. */
  get lines(): readonly string[] {
    return this.#app?.lines ?? []
  }

  /** Starts the app. Resolves to the address of its window, which contains the code. */
  async start(
    environment: Readonly<Record<string, string>> = { HEADROOM_PASSPHRASE: PASSPHRASE },
    flags: readonly string[] = [],
  ): Promise<string> {
    const usual = [
      '--host',
      'browser',
      '--no-open',
      '--port',
      '0',
      '--metrics-port',
      '0',
      '--data',
      this.folder,
    ]
    this.#app = await startProcess(['start', ...usual, ...flags], 'headroom ready: ', {
      HEADROOM_PASSPHRASE: '',
      HEADROOM_METRICS_TOKEN: METRICS_TOKEN,
      ...environment,
    })
    return this.#app.ready[0] ?? ''
  }

  /** Starts the app, and opens its window in `page`. */
  async open(page: Page, ...how: Parameters<BadDay['start']>): Promise<void> {
    await page.goto(await this.start(...how))
  }

  /** Expires the access token, so that the service answers the next request with a 401. */
  expireAccess(): void {
    const { service } = this.simulator
    service.tokens.expireAccess(service.nowMs())
  }

  /** Runs `headroom ARGS --data FOLDER` next to the app; returns its stdout. */
  run(...args: readonly string[]): Promise<string> {
    return new Promise((resolve, reject) => {
      execFile(process.execPath, [LAUNCH, ...args, '--data', this.folder], (error, stdout) =>
        error ? reject(error) : resolve(stdout),
      )
    })
  }

  /** Everything that is said now. The glance opens in a window of its own. */
  async said(page: Page): Promise<Said> {
    const panel = page.getByRole('region', { name: 'Verdict' })
    const window = {
      headline: unbroken(await panel.getByTestId('verdict-headline').innerText()),
      detail: unbroken(await panel.getByTestId('verdict-detail').innerText()),
      buttons: await panel.getByTestId('remedy').getByRole('button').allInnerTexts(),
      severity: (await panel.getAttribute('data-severity')) ?? '',
    }
    const glance = await this.#glanceOf(page)
    await glance.setViewportSize(GLANCE_SIZE)
    const whole = await surfaceOf(glance, glance.getByRole('region', { name: 'Glance', exact: true }))
    await glance.setViewportSize(STRIP_SIZE)
    const strip = await surfaceOf(glance, glance.getByTestId('strip'))
    const status = await this.run('status')
    const snapshot = this.snapshotOf(await this.run('status', '--json'))
    return {
      ...window,
      glance: whole,
      strip,
      tray: trayLine(snapshot),
      status,
      health: snapshot.health ?? { severity: 'unknown', cause: '', title: '', action: '' },
      metrics: (await this.metrics()).filter((line) => line.startsWith('headroom_key_condition{')),
    }
  }

  /** Every text shown now, in the window and outside it. */
  async texts(page: Page): Promise<Texts> {
    const glance = await this.#glanceOf(page)
    await glance.setViewportSize(GLANCE_SIZE)
    const whole = await surfaceOf(glance, glance.getByTestId('glance'))
    await glance.setViewportSize(STRIP_SIZE)
    const strip = await surfaceOf(glance, glance.getByTestId('strip'))
    return {
      window: await page.locator('body').innerText(),
      glance: whole.text,
      strip: strip.text,
      status: await this.run('status'),
    }
  }

  /** The key's snapshot among the lines of `headroom status --json`. */
  snapshotOf(lines: string): Snapshot {
    const [snapshot] = lines
      .split('\n')
      .filter(Boolean)
      .map((line) => snapshotSchema.parse(JSON.parse(line)))
    if (snapshot === undefined) throw new Error('no key is connected')
    return snapshot
  }

  /** The lines of `/metrics`. */
  async metrics(): Promise<readonly string[]> {
    const url = this.#said('metrics ready: ')
    const answer = await fetch(url, { headers: { authorization: `Bearer ${METRICS_TOKEN}` } })
    return (await answer.text()).split('\n')
  }

  /** The address of the gateway. Throws if the app was started without one. */
  get gateway(): string {
    return this.#said('gateway ready: ')
  }

  #said(prefix: string): string {
    const line = this.lines.find((one) => one.startsWith(prefix))
    if (line === undefined) throw new Error(`the app has not said ${prefix}`)
    return line.slice(prefix.length)
  }

  /** The window of the glance. `page` opens it, so it shares the session of `page`. */
  async #glanceOf(page: Page): Promise<Page> {
    if (this.#glance?.isClosed() === false) return this.#glance
    const opened = page.waitForEvent('popup')
    await page.evaluate(() => void window.open('/'))
    const glance = await opened
    await glance.setViewportSize(GLANCE_SIZE)
    await glance.getByRole('button', { name: 'Glance' }).click()
    this.#glance = glance
    return glance
  }

  /**
   * Starts `headroom watch` with its own monitor, next to the app. It writes its table every five seconds.
   */
  async watch(): Promise<void> {
    const { clientId, refreshToken } = this.simulator.service.options
    const hosts = ['--auth-url', this.signIn.origin, '--base-url', this.resources.origin]
    this.#watch = await startProcess(['watch', ...hosts, '--client-id', clientId], '', {
      HEADROOM_REFRESH_TOKEN: refreshToken,
    })
  }

  /** Whether a `headroom watch` runs next to the app. */
  get isWatched(): boolean {
    return this.#watch !== undefined
  }

  /** The table that `headroom watch` wrote last. */
  get table(): string {
    const lines = this.#watch?.lines ?? []
    return lines.slice(lines.findLastIndex((line) => /^\d{4}-\S+Z$/.test(line)) + 1).join('\n')
  }

  async close(): Promise<void> {
    await Promise.all([this.#app?.stop(), this.#watch?.stop()])
    await Promise.all([this.resources.close(), this.signIn.close()])
    await Promise.all([this.simulator, ...this.#spares].map((server) => server.close()))
    if (this.#ownsFolder) rmSync(this.folder, { recursive: true, force: true })
  }

  async #saveKeys(
    streams: readonly StreamRequest[],
    everySeconds: ProbeSettings['everySeconds'],
  ): Promise<void> {
    const keystore = passphraseKeystore(PASSPHRASE)
    const nowMs = Date.now()
    const handle = await VaultHandle.open({ folder: this.folder, keystore, wallMs: () => nowMs })
    const store = new VaultProfileStore(handle, { startsOver: false, changed: () => {} })
    const save = (
      name: string,
      { service }: SimulatorServer,
      hosts: Pick<Profile, 'authUrl' | 'baseUrl'>,
      ownStreams: readonly StreamRequest[],
    ) => {
      const { clientId, clientSecret, refreshToken } = service.options
      store.signIn(
        {
          id: name.toLowerCase().replace(' ', '-'),
          name,
          environment: 'custom',
          ...hosts,
          clientId,
          ...(clientSecret !== undefined && { clientSecret }),
          refreshToken,
          probes: { ...DEFAULT_PROBES, everySeconds, enabled: true },
          streams: ownStreams,
        },
        nowMs,
      )
    }
    save('Mine', this.simulator, { authUrl: this.signIn.origin, baseUrl: this.resources.origin }, streams)
    for (const [at, spare] of this.#spares.entries())
      save(`Spare ${at + 1}`, spare, { authUrl: spare.origin, baseUrl: spare.origin }, [])
    handle.close()
  }
}
