import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { askRunning } from '../../main/control/ask-running.ts'
import { socketOf } from '../../main/control/socket-path.ts'
import { nodeClock } from '../../main/ports/node-clock.ts'
import { BUILT_IN_OPTIONS } from '../../main/simulator/options.ts'
import { BadDay } from '../e2e/bad-day.ts'
import { startProcess } from '../e2e/started-process.ts'
import { smallDisk } from '../storm/small-disk.ts'
import { EXPECTED, TROUBLE_EVERY_MS, TROUBLE_KINDS, type Trouble, type TroubleKind } from './troubles.ts'

/** A running app whose simulator can be asked for its counts. */
export interface Stage {
  /** The address of the window, with its code. */
  readonly url: string
  /** Where the simulator has its control surface. */
  readonly origin: string
  readonly secret: string
  readonly troubles: readonly Trouble[]
  /** Starts and ends the faults that are due after `elapsedMs`. */
  advance(elapsedMs: number): Promise<void>
  close(): Promise<void>
}

/** Headroom as a first start has it: on an empty data folder, with its built-in simulator. */
export async function firstStart(): Promise<Stage> {
  const secret = randomBytes(16).toString('hex')
  const data = mkdtempSync(join(tmpdir(), 'headroom-first-start-'))
  const flags = ['--host', 'browser', '--no-open', '--port', '0', '--data', data]
  const app = await startProcess(['start', ...flags], 'headroom ready: ', {
    HEADROOM_SIMULATOR_CONTROL: secret,
  })
  const close = async () => {
    await app.stop()
    rmSync(data, { recursive: true, force: true })
  }
  try {
    const origin = await simulatorOf(data)
    return { url: app.ready[0] ?? '', origin, secret, troubles: [], advance: async () => {}, close }
  } catch (error) {
    await close()
    throw error
  }
}

/**
 * Two saved keys with the default settings. The service of the first one is the built-in simulator in a
 * separate process. Every three minutes something breaks: a host, a token, the streams or the disk.
 */
export async function brokenKey(): Promise<Stage> {
  const secret = randomBytes(16).toString('hex')
  const disk = smallDisk(true)
  const day = await BadDay.prepare(
    { ...BUILT_IN_OPTIONS, controlSecret: secret },
    {
      folder: disk.folder,
      streams: [
        { kind: 'positions', target: 'SIM1001', options: {} },
        { kind: 'orders', target: 'SIM1001', options: {} },
        { kind: 'quotes', target: 'MSFT,AAPL', options: {} },
      ],
      spares: 1,
    },
  )
  const kinds = TROUBLE_KINDS.filter((kind) => kind !== 'disk' || disk.why === undefined)
  if (disk.why !== undefined) process.stdout.write(`no disk to fill up: ${disk.why}\n`)
  const troubles: Trouble[] = []
  const url = await day.start()
  // A program that reads the file, such as a backup, prevents the journal from being emptied. So each write
  // makes it longer.
  const reader = new DatabaseSync(join(disk.folder, 'history.db'), { readOnly: true })
  reader.exec('BEGIN; SELECT count(*) FROM sqlite_schema')
  const hostsOf = (kind: TroubleKind) => [
    ...(kind === 'host' || kind === 'both' ? [day.resources] : []),
    ...(kind === 'sign-in' || kind === 'both' ? [day.signIn] : []),
  ]
  const begin = async (kind: TroubleKind) => {
    for (const host of hostsOf(kind)) await host.leave()
    if (kind === 'sign-in') day.expireAccess()
    if (kind === 'token') day.simulator.faults.set('resources-401', true)
    if (kind === 'stream') day.simulator.faults.set('silent-stream', true)
    if (kind === 'disk') disk.fill()
    troubles.push({ kind, fromMs: Date.now() })
  }
  const end = async (last: Trouble) => {
    for (const host of hostsOf(last.kind)) await host.comeBack()
    day.simulator.faults.set('resources-401', false)
    day.simulator.faults.set('silent-stream', false)
    disk.free()
    troubles.splice(-1, 1, { ...last, toMs: Date.now() })
  }
  return {
    url,
    origin: day.simulator.origin,
    secret,
    troubles,
    advance: async (elapsedMs) => {
      const turn = Math.floor(elapsedMs / TROUBLE_EVERY_MS)
      const kind = kinds[(turn - 1) % kinds.length]
      const last = troubles.at(-1)
      const isOver = last !== undefined && Date.now() - last.fromMs >= EXPECTED[last.kind].lastsMs
      if (last?.toMs === undefined && isOver) await end(last)
      else if (turn > troubles.length && kind !== undefined) await begin(kind)
    },
    close: async () => {
      reader.close()
      await day.close()
      disk.close()
    },
  }
}

/** The address of the built-in simulator. The running app tells it to the owner of its data folder. */
async function simulatorOf(dataFolder: string): Promise<string> {
  const asked = await askRunning(
    { do: 'status' },
    { clock: nodeClock, path: socketOf(dataFolder, process.env), userId: process.getuid?.() },
  )
  const answer = asked.kind === 'answered' ? asked.answer : undefined
  const snapshot = answer?.ok && 'snapshots' in answer ? answer.snapshots[0] : undefined
  if (snapshot === undefined) throw new Error(`the running app does not tell its service: ${asked.kind}`)
  return `http://${snapshot.service.host}`
}
