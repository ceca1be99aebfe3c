import { HistoryStore } from '../../../main/history/history-store.ts'
import { nodeClock } from '../../../main/ports/node-clock.ts'

/**
 * A process that writes history until it is killed: `node history-writer.ts FOLDER [tell]`.
 *
 * Prints when it is ready. With `tell`, also prints the time of each sample that it adds. It adds fifty
 * samples a second, so that a kill can interrupt any state of a write.
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
