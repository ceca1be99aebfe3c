import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { Snapshot } from '../../../app/contract/snapshot.ts'
import { CURRENT_REQUEST_QUOTAS } from '../../../app/service/quotas.ts'
import { PROBED_CATEGORIES } from '../../../main/api/probe-requests.ts'
import { chanceFrom } from '../../app/quota/chance.ts'
import { startProcess } from '../../e2e/started-process.ts'
import { type Figures, figuresOf } from './figures.ts'
import { type Kind, mixOf } from './kinds.ts'
import { LiveLooks, truthOf } from './live-looks.ts'
import { LiveOthers } from './live-others.ts'
import { DrawnTraffic } from './process.ts'

/** One key in real time: a simulator, others on it, and `headroom watch --json`, a process each. */
export interface MixOrder {
  readonly seed: number
  readonly minutes: number
}

const LAUNCH = fileURLToPath(new URL('../../../main/launch.js', import.meta.url))
const LOOK_MS = 500
const CONTROL = randomBytes(16).toString('hex')
const [CLIENT_ID, REFRESH_TOKEN] = ['sim-key', 'sim-refresh']
const QUOTAS = CURRENT_REQUEST_QUOTAS.filter(({ category }) => PROBED_CATEGORIES.includes(category))

process.on('message', (order: MixOrder) => void lived(order).then((figures) => process.send?.(figures)))

async function lived({ seed, minutes }: MixOrder): Promise<readonly Figures[]> {
  const kinds = mixOf(QUOTAS, chanceFrom(seed))
  const simulator = await startProcess(['simulate', '--port', '0'], 'simulator ready: ', {
    HEADROOM_SIMULATOR_CONTROL: CONTROL,
  })
  const origin = simulator.ready[0] ?? ''
  const others = new LiveOthers({ origin, clientId: CLIENT_ID, refreshToken: REFRESH_TOKEN })
  const startMs = Date.now()
  const seconds = minutes * 60
  const quotas = new Map(
    kinds.map(({ category, kind }, index) => [category, liveQuota(kind, category, 1000 * seed + index)]),
  )
  try {
    await others.start(new Map([...quotas].map(([category, { drawn }]) => [category, drawn])), () =>
      Date.now(),
    )
    await watched(origin, seconds, (snapshot, truth, nowMs) => {
      for (const { looks } of quotas.values()) looks.take(snapshot, truth, nowMs)
    })
  } finally {
    others.stop()
    await simulator.stop()
  }
  if (others.failed > 0) process.stderr.write(`mix ${seed}: ${others.failed} requests of others failed\n`)
  return [...quotas.values()].map(({ looks }) => figuresOf(looks.whole()))

  function liveQuota(kind: Kind, category: string, ofQuota: number) {
    const drawnSeconds = seconds + 700
    return {
      drawn: new DrawnTraffic(kind.others, startMs, drawnSeconds, chanceFrom(ofQuota)),
      looks: new LiveLooks(kind, category, startMs, seconds, ofQuota),
    }
  }
}

type Take = (snapshot: Snapshot, truth: ReturnType<typeof truthOf.parse>, nowMs: number) => void

/** Runs `headroom watch --json` at default settings, and looks once a second at what it printed last. */
async function watched(origin: string, seconds: number, take: Take): Promise<void> {
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
    if (nowMs - lookedAtMs < LOOK_MS) return
    const printed: unknown = JSON.parse(line)
    if (!isSnapshot(printed)) return
    lookedAtMs = nowMs
    void fetch(`${origin}/control/state`, { headers: { 'x-simulator-control': CONTROL } })
      .then((answer) => answer.json())
      .then((state) => take(printed, truthOf.parse(state), nowMs))
      .catch((error: unknown) => process.stderr.write(`no look: ${String(error)}\n`))
  })
  await once(child, 'exit')
}

const isSnapshot = (printed: unknown): printed is Snapshot =>
  typeof printed === 'object' && printed !== null && 'requests' in printed && Array.isArray(printed.requests)
