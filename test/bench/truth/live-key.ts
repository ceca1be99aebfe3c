import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { Snapshot } from '../../../app/contract/snapshot.ts'
import { chanceFrom } from '../../app/quota/chance.ts'
import { startProcess } from '../../e2e/started-process.ts'
import type { Kind } from './kinds.ts'
import { LiveLooks, type Truth, truthOf } from './live-looks.ts'
import { LiveOthers, type OthersCount } from './live-others.ts'
import { LivePrograms } from './live-programs.ts'
import type { Looks } from './looks.ts'
import { DrawnTraffic } from './process.ts'

export interface LiveKey {
  readonly kinds: readonly { readonly category: string; readonly kind: Kind }[]
  readonly seed: number
  readonly seconds: number
  /**
   * If given, the kinds are `timedKind` from this number on, and each program of others is a separate
   * process.
   */
  readonly firstProgram?: number
  /** Called with each printed snapshot. */
  readonly each?: (snapshot: Snapshot, nowMs: number) => void
}

const LAUNCH = fileURLToPath(new URL('../../../main/launch.js', import.meta.url))
const MIN_BETWEEN_LOOKS_MS = 500
const [CLIENT_ID, REFRESH_TOKEN] = ['sim-key', 'sim-refresh']
/**
 * Others' requests are drawn beyond the last look, because the figures include what happens to the quota
 * after it.
 */
const AHEAD_SECONDS = 700
const MAX_FAILED = 0.01

/**
 * One key in real time. A simulator, others on its key over HTTP, and `headroom watch --json` at default
 * settings are separate processes. The truth is the simulator's own count, so a request of others that was
 * lost with a connection does no harm. Rejects if many failed, because the traffic would then not be the
 * drawn kind.
 */
export async function livedKey({
  kinds,
  seed,
  seconds,
  firstProgram,
  each,
}: LiveKey): Promise<readonly Looks[]> {
  const control = randomBytes(16).toString('hex')
  const simulator = await startProcess(['simulate', '--port', '0'], 'simulator ready: ', {
    HEADROOM_SIMULATOR_CONTROL: control,
  })
  const origin = simulator.ready[0] ?? ''
  const at = { origin, clientId: CLIENT_ID, refreshToken: REFRESH_TOKEN }
  const startMs = Date.now()
  const quotas = kinds.map(({ category, kind }, index) => {
    const ofQuota = 1000 * seed + index
    return { category, kind, ofQuota, looks: new LiveLooks(kind, category, startMs, seconds, ofQuota) }
  })
  const drawnSeconds = seconds + AHEAD_SECONDS
  const others = firstProgram === undefined ? new LiveOthers(at) : new LivePrograms()
  try {
    if (others instanceof LivePrograms)
      others.start(
        quotas.map(({ category, kind: { limit, periodSeconds }, ofQuota }, index) => ({
          ...{ at, startMs, seconds: drawnSeconds, seed: ofQuota, index: (firstProgram ?? 0) + index },
          quota: { category, limit, periodSeconds },
        })),
      )
    else {
      const drawn = quotas.map(
        ({ category, kind, ofQuota }) =>
          [category, new DrawnTraffic(kind.others, startMs, drawnSeconds, chanceFrom(ofQuota))] as const,
      )
      await others.start(new Map(drawn), () => Date.now())
    }
    await watched({ origin, control, seconds }, (snapshot, truth, nowMs) => {
      each?.(snapshot, nowMs)
      for (const { category, looks } of quotas) looks.take(snapshot, truth, nowMs, others.countOf(category))
    })
  } finally {
    others.stop()
    await simulator.stop()
  }
  const counts = quotas.map(({ category }) => others.countOf(category))
  const sum = (of: keyof OthersCount) => counts.reduce((total, count) => total + count[of], 0)
  const failed = `${sum('failed')} of ${sum('accepted') + sum('refused') + sum('failed')} requests of others failed`
  if (sum('failed') > MAX_FAILED * sum('accepted')) throw new Error(failed)
  if (sum('failed') > 0) process.stderr.write(`${failed}\n`)
  return quotas.map(({ looks }) => looks.whole())
}

interface Watched {
  readonly origin: string
  readonly control: string
  readonly seconds: number
}

type Take = (snapshot: Snapshot, truth: Truth, nowMs: number) => void

/** Asks for the truth at once whenever the watching process has printed a snapshot. */
async function watched({ origin, control, seconds }: Watched, take: Take): Promise<void> {
  const flags = [
    '--auth-url',
    origin,
    '--base-url',
    origin,
    '--client-id',
    CLIENT_ID,
    '--for',
    String(seconds),
  ]
  const child = spawn(process.execPath, [LAUNCH, 'watch', '--json', ...flags], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, HEADROOM_REFRESH_TOKEN: REFRESH_TOKEN },
  })
  let lookedAtMs = 0
  createInterface({ input: child.stdout }).on('line', (line) => {
    const nowMs = Date.now()
    const printed: unknown = JSON.parse(line)
    if (nowMs - lookedAtMs < MIN_BETWEEN_LOOKS_MS || !isSnapshot(printed)) return
    lookedAtMs = nowMs
    void fetch(`${origin}/control/state`, { headers: { 'x-simulator-control': control } })
      .then((answer) => answer.json())
      .then((state) => take(printed, truthOf.parse(state), nowMs))
      .catch((error: unknown) => process.stderr.write(`no look: ${String(error)}\n`))
  })
  await once(child, 'exit')
}

const isSnapshot = (printed: unknown): printed is Snapshot =>
  typeof printed === 'object' && printed !== null && 'requests' in printed && Array.isArray(printed.requests)
