import { readFileSync } from 'node:fs'
import { Agent, type IncomingMessage, request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { benchFlags, quantile, round, tell } from './result.ts'
import { endProcesses, PROGRAM_KEY, started, startedGateway } from './started-processes.ts'

/**
 * How well programs are served by one shared stream: `node test/bench/stream-sharing.ts [--seconds 15]
 * [--json]`.
 *
 * The service and the gateway are separate processes; the 200 readers are in this one. Measures the delay
 * from the service's write to a reader while one reader is frozen, the time from a late request to
 * `EndSnapshot`, 50 readers during a GoAway, and memory. Exit 1 if an aim is missed.
 */
const { seconds } = benchFlags({ seconds: 15 })
const READERS = 200
const GO_AWAY_READERS = 50
const JOINS = 100
const AIMS = { p99Ms: 15, joinMs: 10 } as const
const PATH = '/v3/brokerage/stream/accounts/SIM1001/positions'
const SETTLE_MS = 2_000
const PAGE_BYTES = 4096

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const agent = new Agent({ maxSockets: Number.POSITIVE_INFINITY })

interface Reader {
  readonly answer: IncomingMessage
  /** Delays and sequence numbers of the frames since the last reset. */
  readonly delaysMs: number[]
  readonly sequence: number[]
  frames: number
  goAways: number
  hasEnded: boolean
  /** From the request to the end of the snapshot. */
  readonly snapshotMs: Promise<number>
}

try {
  const service = await started([here('sharing-upstream.ts')], /^(\d+)$/m)
  const origin = `http://127.0.0.1:${service.said}`
  const gateway = await startedGateway(origin)
  const first = await reading(gateway.said)
  await first.snapshotMs

  const joinsMs: number[] = []
  for (let i = 0; i < JOINS; i += 1) {
    const late = await reading(gateway.said)
    joinsMs.push(await late.snapshotMs)
    late.answer.destroy()
    await pause(10)
  }

  const fifty = await several(gateway.said, GO_AWAY_READERS)
  const openedBefore = await asked(`${origin}/control/opened`)
  const framesBefore = fifty.map(({ frames }) => frames)
  await asked(`${origin}/control/go-away`)
  await until(() => fifty.every(({ frames }, i) => frames > (framesBefore[i] ?? 0) + 50), 60_000)
  const upstreamRequests = (await asked(`${origin}/control/opened`)) - openedBefore
  const disconnects = fifty.filter(({ hasEnded, goAways }) => hasEnded || goAways > 0).length

  await pause(SETTLE_MS)
  const beforeMb = residentMb(gateway.pid)
  const more = await several(gateway.said, READERS - GO_AWAY_READERS)
  const all = [...fifty, ...more]
  all[0]?.answer.pause()
  await pause(SETTLE_MS)
  const readers = all.slice(1)
  for (const { delaysMs, sequence } of readers) {
    delaysMs.length = 0
    sequence.length = 0
  }
  await pause(seconds * 1000)
  const kbPerReader = ((residentMb(gateway.pid) - beforeMb) * 1024) / more.length
  const delaysMs = readers.flatMap((one) => one.delaysMs)
  const lost = readers.reduce((sum, one) => sum + gaps(one.sequence), 0)
  const p99 = round(quantile(delaysMs, 0.99))
  const joinP99 = round(quantile(joinsMs, 0.99))
  tell({
    what: `From the service's write to each of ${READERS - 1} readers of one stream, p99`,
    unit: 'ms',
    better: 'less',
    ours: p99,
    details: {
      'p50, ms': round(quantile(delaysMs, 0.5)),
      'frames read': delaysMs.length,
      'frames lost': lost,
      'a late request to EndSnapshot, p50, ms': round(quantile(joinsMs, 0.5)),
      'a late request to EndSnapshot, p99, ms': joinP99,
      [`of ${GO_AWAY_READERS} readers disconnected by a GoAway`]: disconnects,
      'requests upstream for it': upstreamRequests,
      'memory of the gateway for each reader, kB': Number.isNaN(kbPerReader)
        ? 'not told'
        : round(kbPerReader),
    },
    aims: [
      { what: `p99 at most ${AIMS.p99Ms} ms`, isMet: p99 <= AIMS.p99Ms },
      { what: 'no frame lost while one reader is frozen', isMet: lost === 0 && delaysMs.length > 0 },
      { what: `p99 of a late reader's snapshot at most ${AIMS.joinMs} ms`, isMet: joinP99 <= AIMS.joinMs },
      {
        what: 'a GoAway disconnects no reader and costs one request',
        isMet: disconnects === 0 && upstreamRequests === 1,
      },
    ],
    how: `A service of 50 messages of 500 bytes a second, the gateway as a user starts it, ${READERS} readers in one process, one of them frozen, for ${seconds} s; all on this machine's cores. Before: ${JOINS} late readers one after the other, and a GoAway with ${GO_AWAY_READERS} readers. Memory is what the resident set grew by with ${READERS - GO_AWAY_READERS} readers more.`,
  })
} finally {
  agent.destroy()
  endProcesses()
}

/** Reads the stream. Resolves once its answer has begun. */
function reading(url: string): Promise<Reader> {
  return new Promise((resolve, reject) => {
    const beganMs = performance.now()
    const headers = { authorization: `Bearer ${PROGRAM_KEY}` }
    const going = request(`${url}${PATH}`, { agent, headers }, (answer) => {
      if (answer.statusCode !== 200) reject(new Error(`the gateway answered ${answer.statusCode}`))
      let told: (ms: number) => void = () => {}
      const reader: Reader = {
        answer,
        delaysMs: [],
        sequence: [],
        frames: 0,
        goAways: 0,
        hasEnded: false,
        snapshotMs: new Promise((done) => {
          told = done
        }),
      }
      let rest = ''
      answer.setEncoding('utf8').on('data', (text: string) => {
        const nowMs = performance.timeOrigin + performance.now()
        const lines = `${rest}${text}`.split('\r\n')
        rest = lines.pop() ?? ''
        for (const line of lines) {
          reader.frames += 1
          const sentAt = /"Sequence":(\d+),"SentAt":([\d.]+)/.exec(line)
          if (sentAt !== null) {
            reader.sequence.push(Number(sentAt[1]))
            reader.delaysMs.push(nowMs - Number(sentAt[2]))
          } else if (line.includes('EndSnapshot')) told(performance.now() - beganMs)
          else if (line.includes('GoAway')) reader.goAways += 1
        }
      })
      const ended = () => {
        reader.hasEnded = true
      }
      answer.on('end', ended).on('error', ended)
      resolve(reader)
    })
    going.on('error', reject)
    going.end()
  })
}

async function several(url: string, count: number): Promise<Reader[]> {
  const readers: Reader[] = []
  for (let i = 0; i < count; i += 1) readers.push(await reading(url))
  await Promise.all(readers.map(({ snapshotMs }) => snapshotMs))
  return readers
}

function asked(url: string): Promise<number> {
  return new Promise((resolve, reject) => {
    request(url, (answer) => {
      let text = ''
      answer.setEncoding('utf8').on('data', (part: string) => {
        text += part
      })
      answer.on('end', () => resolve(Number(text)))
    })
      .on('error', reject)
      .end()
  })
}

/** Numbers that are missing between the first and the last. */
function gaps(sequence: readonly number[]): number {
  const [first = 0] = sequence
  return sequence.length === 0 ? 1 : (sequence.at(-1) ?? 0) - first + 1 - sequence.length
}

/** Memory of a process, in MB. */
function residentMb(pid: number): number {
  if (process.platform !== 'linux') return Number.NaN
  const [, pages] = readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')
  return (Number(pages) * PAGE_BYTES) / (1 << 20)
}

async function until(isTrue: () => boolean, withinMs: number): Promise<void> {
  const from = performance.now()
  while (!isTrue()) {
    if (performance.now() - from > withinMs) throw new Error('the readers did not go on')
    await pause(20)
  }
}
