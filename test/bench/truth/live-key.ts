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
import { LiveOthers } from './live-others.ts'
import type { Looks } from './looks.ts'
import { DrawnTraffic } from './process.ts'

export interface LiveKey {
  readonly kinds: readonly { readonly category: string; readonly kind: Kind }[]
  readonly seed: number
  readonly seconds: number
}

const LAUNCH = fileURLToPath(new URL('../../../main/launch.js', import.meta.url))
const MIN_BETWEEN_LOOKS_MS = 500
const [CLIENT_ID, REFRESH_TOKEN] = ['sim-key', 'sim-refresh']
/** Others' requests are drawn beyond the last look, since what becomes of the quota then is asked too. */
const AHEAD_SECONDS = 700
const MAX_FAILED = 0.01

/**
 * One key in real time: a simulator, others on its key over HTTP, and `headroom watch --json` at default
 * settings, a process each. The truth is the simulator's own count, so that a request of others that a broken
 * connection lost does no harm; rejects where many failed, since the traffic would not be the kind that was
 * drawn.
 */
export async function livedKey({ kinds, seed, seconds }: LiveKey): Promise<readonly Looks[]> {
  const control = randomBytes(16).toString('hex')
  const simulator = await startProcess(['simulate', '--port', '0'], 'simulator ready: ', {
    HEADROOM_SIMULATOR_CONTROL: control,
  })
  const origin = simulator.ready[0] ?? ''
  const others = new LiveOthers({ origin, clientId: CLIENT_ID, refreshToken: REFRESH_TOKEN })
  const startMs = Date.now()
  const quotas = kinds.map(({ category, kind }, index) => {
    const ofQuota = 1000 * seed + index
    return {
      category,
      drawn: new DrawnTraffic(kind.others, startMs, seconds + AHEAD_SECONDS, chanceFrom(ofQuota)),
      looks: new LiveLooks(kind, category, startMs, seconds, ofQuota),
    }
  })
  try {
    const traffic = new Map(quotas.map(({ category, drawn }) => [category, drawn]))
    await others.start(traffic, () => Date.now())
    await watched({ origin, control, seconds }, (snapshot, truth, nowMs) => {
      for (const { looks } of quotas) looks.take(snapshot, truth, nowMs)
    })
  } finally {
    others.stop()
    await simulator.stop()
  }
  const failed = `${others.failed} of ${others.sent} requests of others failed`
  if (others.failed > MAX_FAILED * others.sent) throw new Error(failed)
  if (others.failed > 0) process.stderr.write(`${failed}\n`)
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
