import { parseArgs } from 'node:util'
import { ALL_FAULTS, readByTwo } from '../main/gateway/two-clients.ts'

/**
 * Reads one stream through the gateway with two clients, Node's fetch and curl, while the simulator causes
 * every fault that it knows: `npm run one-stream -- [--minutes 10]`.
 *
 * Prints each fault, and at the end the data of both clients. Exits with 1 if a client was disconnected, if a
 * value differs from the service's, or if the service does not have exactly one open stream.
 */
const { values } = parseArgs({ options: { minutes: { type: 'string', default: '10' } } })
const minutes = Number(values.minutes)
if (!(minutes > 0)) {
  process.stderr.write('--minutes takes a number above 0\n')
  process.exit(2)
}

const { seconds, faults, clients, asked, opened, open, problems } = await readByTwo({
  seconds: minutes * 60,
  faults: ALL_FAULTS,
  perSecond: 20,
  pauseMs: 3_000,
  say: (line) => void process.stderr.write(`${line}\n`),
})
const lines = [
  `${(seconds / 60).toFixed(1)} minutes, ${faults.length} faults of ${new Set(faults).size} kinds`,
  ...clients.map(
    ({ name, read }) =>
      `${name}: ${read.end ?? 'connected all the time'}, ${read.frames} frames, ${read.objects.size} objects, ` +
      `longest gap ${(read.longestGapMs / 1000).toFixed(1)} s`,
  ),
  `the service: asked for the stream ${asked} times, opened it ${opened} times, ${open} open at the end`,
  problems.length === 0 ? 'every value is as the service has it' : `PROBLEMS:\n${problems.join('\n')}`,
]
process.stdout.write(`${lines.join('\n')}\n`)
process.exitCode = problems.length === 0 ? 0 : 1
