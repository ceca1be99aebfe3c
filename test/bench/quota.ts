import { Ledger } from '../../app/quota/ledger.ts'
import { CURRENT_REQUEST_QUOTAS } from '../../app/service/categories.ts'
import { benchFlags, median, round, tell } from './result.ts'

/**
 * What one observation costs in time and memory: `node --expose-gc test/bench/quota.ts [--observations
 * 1000000] [--json]`.
 *
 * Each category gets four requests in flight at a time, with responses out of order. Every other round of
 * headers proves use by others. So this is the work of a busy key, many thousand times. After that, the bench
 * measures the cost of a snapshot's rows.
 */
const { observations } = benchFlags({ observations: 1_000_000 })
const AIM_MICROSECONDS = 5
const BATCH = 50_000
const AIM_MEGABYTES = 1
const collect = (globalThis as { readonly gc?: () => void }).gc

const ledger = new Ledger(CURRENT_REQUEST_QUOTAS, 0)
let nowMs = 0
let turn = 0

function fold(count: number): void {
  for (let folded = 0; folded < count; turn += 1) {
    const quota = CURRENT_REQUEST_QUOTAS[turn % CURRENT_REQUEST_QUOTAS.length]
    if (!quota) return
    const { category, limit, periodSeconds } = quota
    const tickets = [0, 1, 2, 3].map((step) => ledger.sent(category, nowMs + step))
    nowMs += 40
    // Half full, minus a sawtooth of 0 to 6 requests by others. Whenever it rises, the headers prove use by
    // others.
    const remaining = Math.floor(limit / 2) - 4 - (turn % 7)
    const rate = {
      limit,
      periodSeconds,
      remaining,
      resetSeconds: Math.ceil(((limit - remaining - 0.5) * periodSeconds) / limit),
      resource: category.toLowerCase(),
    }
    for (const ticket of tickets.reverse()) {
      ledger.answered(ticket, rate, nowMs, false)
      folded += 1
    }
  }
}

/** The processor time of this thread. Other work of the machine does not count. */
function spentMicroseconds(): number {
  const { user, system } = process.threadCpuUsage()
  return user + system
}

const heapMegabytes = () => {
  collect?.()
  return process.memoryUsage().heapUsed / 1e6
}

fold(BATCH)
const before = heapMegabytes()
const batches: number[] = []
for (let done = 0; done < observations; done += BATCH) {
  const started = spentMicroseconds()
  fold(BATCH)
  batches.push((spentMicroseconds() - started) / BATCH)
}
const grownMegabytes = heapMegabytes() - before

const SNAPSHOTS = 20_000
const started = spentMicroseconds()
let rows = 0
for (let count = 0; count < SNAPSHOTS; count += 1) rows += ledger.view(nowMs + count).length
const rowMicroseconds = (spentMicroseconds() - started) / rows
const ours = round(median(batches))
tell({
  what: 'One observation sent and folded into the model',
  unit: 'µs',
  better: 'less',
  ours,
  details: {
    'slowest batch, µs each': round(Math.max(...batches)),
    'a row of a snapshot, µs': round(rowMicroseconds),
    'heap grown, MB': collect ? round(grownMegabytes) : 'not measured: without --expose-gc',
  },
  aims: [
    { what: `at most ${AIM_MICROSECONDS} µs`, isMet: ours <= AIM_MICROSECONDS },
    ...(collect
      ? [
          {
            what: `at most ${AIM_MEGABYTES} MB of heap more than after the first batch`,
            isMet: grownMegabytes <= AIM_MEGABYTES,
          },
        ]
      : []),
  ],
  how: `${observations.toLocaleString('en')} observations of every category of the table, four under way at a time, answered out of order, with use elsewhere in every other one; median of batches of ${BATCH.toLocaleString('en')}, in the thread's own time.`,
})
