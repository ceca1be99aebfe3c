import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { onFurtherHeads } from './heads.ts'
import type { Order, Told } from './logs.ts'
import { keyOf, MACHINES, type Machine, type Poller } from './programs.ts'

/**
 * The programs of one machine in a separate process: pollers, a scanner and the readers of six streams.
 * Reports the outcome of each request and stream to its parent.
 *
 * The programs are polite: they retry a 429 or 503 after its Retry-After, and a broken connection after a
 * second.
 */
const TELL_MS = 100
const AFTER_BREAK_MS = 1_000
const MAX_RETRY_AFTER_MS = 60_000
/** Maximum number of open requests of a poller. A poller that is late skips requests, as most programs do. */
const MAX_OPEN_POLLS = 8
const FRAME_EVERY_MS = 500

const told: Told[] = []
const tell = (one: Told) => void told.push(one)
setInterval(() => {
  if (told.length > 0) process.send?.(told.splice(0))
}, TELL_MS).unref()

let port = 0
let count = 0
let isResting = false

interface Asked {
  readonly machine: Machine
  readonly program: string
  readonly path: string
  readonly agent: Agent | false
}

/** The outcome of a request. `status` is absent if no head arrived. */
interface Outcome {
  readonly status?: number
  readonly waitMs: number
}

/** Sends one request. `onStream` takes over a 200 whose body does not end by itself. */
function ask(
  { machine, program, path, agent }: Asked,
  onStream?: (id: string, answer: IncomingMessage) => void,
): Promise<Outcome> {
  const id = `${machine.name}-${++count}`
  tell({ kind: 'sent', id, program: `${machine.name}-${program}`, path, atMs: Date.now() })
  return new Promise((resolve) => {
    const ended = (outcome: Outcome, broken?: string) => {
      tell({ kind: 'ended', id, atMs: Date.now(), ...(broken !== undefined && { broken }) })
      resolve(outcome)
    }
    const headers = { authorization: `Bearer ${keyOf(machine.name, program)}`, accept: 'application/json' }
    const sent: ClientRequest = request({ host: '127.0.0.1', port, path, headers, agent })
    let isOver = false
    const once = (outcome: Outcome, broken?: string) => {
      if (isOver) return
      isOver = true
      ended(outcome, broken)
    }
    sent.on('socket', (socket) => {
      const stop = onFurtherHeads(socket, () => tell({ kind: 'again', id }))
      // A separate connection is watched to its end, because a second answer may arrive after the first.
      if (agent !== false) sent.on('close', stop)
    })
    sent.on('error', (error: NodeJS.ErrnoException) => {
      const kept = sent.reusedSocket ? ' on a connection that was kept' : ''
      once({ waitMs: AFTER_BREAK_MS }, `${error.code ?? error.message}${kept}`)
    })
    sent.on('response', (answer) => {
      const { statusCode: status = 0 } = answer
      const by = /^headroom;\s*error=/.test(String(answer.headers['proxy-status'] ?? ''))
        ? 'headroom'
        : 'service'
      tell({ kind: 'head', id, status, by })
      if (onStream && status === 200) {
        once({ status, waitMs: 0 })
        onStream(id, answer)
        return
      }
      answer.on('error', () => {})
      answer.on('close', () =>
        answer.complete
          ? once({ status, waitMs: waitOf(answer) })
          : once({ status, waitMs: AFTER_BREAK_MS }, 'cut within the answer'),
      )
      answer.resume()
    })
    sent.end()
  })
}

/** Wait before the next attempt in milliseconds. 0 after a success. */
function waitOf({ statusCode = 0, headers }: IncomingMessage): number {
  if (statusCode < 400) return 0
  const seconds = Number(headers['retry-after'] ?? 1)
  return Math.min(MAX_RETRY_AFTER_MS, Math.max(1, Number.isFinite(seconds) ? seconds : 1) * 1000)
}

async function poll(machine: Machine, { program, paths, everyMs }: Poller): Promise<void> {
  const agent = new Agent({ keepAlive: true })
  let [open, waitUntilMs] = [0, 0]
  for (let turn = 0; !isResting; turn += 1) {
    const path = paths[turn % paths.length]
    if (path !== undefined && open < MAX_OPEN_POLLS && Date.now() >= waitUntilMs) {
      open += 1
      void ask({ machine, program, path, agent }).then(({ waitMs }) => {
        open -= 1
        waitUntilMs = Math.max(waitUntilMs, Date.now() + waitMs)
      })
    }
    await pause(everyMs)
  }
  agent.destroy()
}

/**
 * Requests every path at the same instant, each on a separate connection. Rejected requests are retried once.
 */
function scan(machine: Machine): void {
  const { program, paths } = machine.scanner
  for (const path of paths) {
    const asked = { machine, program, path, agent: false } as const
    void ask(asked).then(async ({ waitMs }) => {
      if (waitMs === 0) return
      await pause(waitMs)
      if (!isResting) await ask(asked)
    })
  }
}

/** Reads one stream as long as the machine runs, and opens it again when it ends. */
async function read(machine: Machine, path: string): Promise<void> {
  const reader = `${machine.name} ${path}`
  while (!isResting) {
    let closed: Promise<void> | undefined
    const { waitMs } = await ask({ machine, program: 'reads', path, agent: false }, (id, answer) => {
      tell({ kind: 'opened', id, reader, atMs: Date.now() })
      closed = new Promise((resolve) => {
        let [toldAtMs, tail] = [0, '']
        answer.on('error', () => {})
        answer.on('data', (bytes: Buffer) => {
          tail = (tail + bytes.toString('latin1')).slice(-200)
          const nowMs = Date.now()
          if (nowMs - toldAtMs < FRAME_EVERY_MS) return
          toldAtMs = nowMs
          tell({ kind: 'frame', reader, atMs: nowMs })
        })
        answer.on('close', () => {
          const why = /GoAway/.test(tail) ? 'GoAway' : answer.complete ? 'the end' : 'broken'
          if (!isResting) tell({ kind: 'closed', id, atMs: Date.now(), why })
          resolve()
        })
      })
    })
    await closed
    await pause(Math.max(AFTER_BREAK_MS, waitMs))
  }
}

let machine: Machine | undefined
process.on('message', (order: Order) => {
  switch (order.do) {
    case 'start': {
      const started = MACHINES.find(({ name }) => name === order.machine)
      if (started === undefined) throw new Error(`no machine is called ${order.machine}`)
      machine = started
      port = order.port
      for (const poller of started.pollers) void poll(started, poller)
      for (const path of started.streams) void read(started, path)
      return
    }
    case 'scan':
      if (machine) scan(machine)
      return
    case 'rest':
      isResting = true
      tell({ kind: 'rested' })
      return
  }
})
process.on('disconnect', () => process.exit(0))
