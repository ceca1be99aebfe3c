import { HistoryStore } from '../../../main/history/history-store.ts'
import { nodeClock } from '../../../main/ports/node-clock.ts'

/**
 * A process that writes history until it is killed: `node history-writer.ts FOLDER [tell]`.
 *
 * It says when it is ready and then, with `tell`, the time at which it adds each sample, which the sample
 * holds as well. Fifty a second, so that a kill meets a write in every state.
 */
const [folder = '', tell] = process.argv.slice(2)
const store = new HistoryStore({
  folder,
  clock: nodeClock,
  log: { note: () => {} },
  problem: (sentence) => {
    process.stdout.write(`problem: ${sentence}\n`)
    process.exit(1)
  },
  // Compaction runs too, on data that is a few seconds old.
  retention: { rawMs: 60_000, rollupMs: 3_600_000 },
})
const EVERY_MS = 20
let count = 0

function next(): void {
  const atMs = nodeClock.wallMs()
  if (tell !== undefined) process.stdout.write(`${atMs}\n`)
  for (const category of ['Accounts', 'Positions']) {
    store.add({
      kind: 'sample',
      profile: 'key-1',
      category,
      sample: {
        atMs,
        remaining: count % 320,
        limit: 320,
        source: 'header',
        own: 1,
        elsewhere: 0,
        rejected: 0,
      },
    })
  }
  store.add({
    kind: 'event',
    event: { seq: count, at: atMs, profile: 'key-1', kind: 'service-back', host: 'example.com' },
  })
  count += 1
  nodeClock.after(EVERY_MS, next)
}

process.stdout.write('writing\n')
next()
