import { type ChildProcess, spawn } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { DEFAULT_SIMULATOR_OPTIONS } from '../../../main/simulator/options.ts'
import { position } from '../../../main/simulator/rules/payloads-brokerage.ts'
import { accessTokenOf } from '../simulator/refreshed.ts'

const ACCOUNT = 'SIM1001'
const PATH = `/v3/brokerage/stream/accounts/${ACCOUNT}/positions`
const CATEGORY = 'Positions Stream'
const CONTROL = 'a-secret-of-this-machine-only'
const KEYS = { bot: 'k3y-of-the-bot-0123456789', notes: 'k3y-of-the-notes-0123456789' }
const { seed, clientId, refreshToken } = DEFAULT_SIMULATOR_OPTIONS
/**
 * After a fault, each client must read more frames than this. Fewer may have been in flight when the fault
 * began.
 */
const MORE_FRAMES = 60
/** Longer than the silence limit plus an outage that is hidden from programs plus the recovery. */
const RECOVERED_WITHIN_MS = 120_000
/** Well below the 30 s of silence after which a stream is opened again. */
const QUIET_MS = 1_500

type Frame = Readonly<Record<string, unknown>>
type Control = (name: string, body?: object) => Promise<unknown>

const simulatorState = z.object({ streams: z.array(z.object({ id: z.string() })) })

/** A fault of the service, and the action that ends it if it does not end by itself. */
export interface Fault {
  readonly what: string
  /** How long the stream runs before the fault strikes, in milliseconds. */
  readonly afterMs?: number
  readonly strike: (control: Control) => Promise<unknown>
  readonly lift?: (control: Control) => Promise<unknown>
}

const cut = (how: string) => (control: Control) => control('cut-streams', { how })

/** A fault that begins when a stream is opened. A cut makes the gateway open one. */
const atOpening =
  (name: string, times: number, how = 'end') =>
  async (control: Control) => {
    await control('fault', { name, on: times })
    await cut(how)(control)
  }

/**
 * Minimum age of a stream in milliseconds for a GoAway to be a planned restart. Before that, it counts as a
 * failure, and the backoff grows.
 */
const AGE_MS = 1_500
const goAway: Fault = { what: 'a GoAway', afterMs: AGE_MS, strike: cut('goaway-v3') }

/** Faults that are over within seconds. */
export const SHORT_FAULTS: readonly Fault[] = [
  {
    what: 'silence for 2 s',
    strike: async (control) => {
      await control('fault', { name: 'silent-stream', on: true })
      await pause(2_000)
      await control('fault', { name: 'silent-stream', on: false })
    },
  },
  { what: 'a reset inside a frame', strike: cut('reset') },
  { what: 'the end of the body', strike: cut('end') },
  goAway,
  { what: 'a 401', strike: atOpening('resources-401', 1) },
  { what: 'the other GoAway', afterMs: AGE_MS, strike: cut('goaway-v2') },
  { what: '503, twice', strike: atOpening('resources-503', 2, 'reset') },
]

/** All faults, including those that take the service away for longer. */
export const ALL_FAULTS: readonly Fault[] = [
  ...SHORT_FAULTS,
  goAway,
  {
    what: 'an access token that has expired',
    strike: async (control) => {
      await control('expire-access', {})
      await cut('end')(control)
    },
  },
  { what: 'an error in the stream, 10 s after its opening', strike: atOpening('stream-error', 1) },
  { what: 'a reset inside a frame, 5 s after its opening', strike: atOpening('stream-reset', 1) },
  { what: 'a stream that is opened and says nothing for 30 s', strike: atOpening('silent-stream', 1) },
  { what: 'a request that is never answered', strike: atOpening('black-hole', 1) },
  { what: 'an answer of something else', strike: atOpening('resources-garbage', 1) },
  {
    what: 'a GoAway while others hold all other slots',
    strike: async (control) => {
      await control('slots-elsewhere', { [CATEGORY]: 39 })
      await cut('goaway-v3')(control)
    },
    lift: (control) => control('slots-elsewhere', { [CATEGORY]: 0 }),
  },
  {
    what: 'answers that take up to 2 s',
    strike: async (control) => {
      await control('fault', { name: 'slow-answers', on: true })
      await cut('reset')(control)
    },
    lift: (control) => control('fault', { name: 'slow-answers', on: false }),
  },
]

/** The data that one client read from the stream. */
export class ReadPositions {
  readonly objects = new Map<string, Frame>()
  frames = 0
  snapshots = 0
  /** Lines that a program must not receive while the service recovers. */
  readonly strange: string[] = []
  /** Why it is no longer connected. */
  end: string | undefined
  longestGapMs = 0
  lastMs = performance.now()
  readonly #decoder = new TextDecoder()
  #rest = ''

  push(bytes: Uint8Array): void {
    const nowMs = performance.now()
    this.longestGapMs = Math.max(this.longestGapMs, nowMs - this.lastMs)
    this.lastMs = nowMs
    const lines = `${this.#rest}${this.#decoder.decode(bytes, { stream: true })}`.split('\n')
    this.#rest = lines.pop() ?? ''
    for (const line of lines) this.#read(line)
  }

  #read(line: string): void {
    this.frames += 1
    let frame: Frame
    try {
      frame = JSON.parse(line) as Frame
    } catch {
      this.strange.push(`not a whole frame: ${line.slice(0, 80)}`)
      return
    }
    const id = frame['PositionID']
    if (frame['StreamStatus'] === 'EndSnapshot') this.snapshots += 1
    else if (typeof id !== 'string') {
      if (!('Heartbeat' in frame)) this.strange.push(line.slice(0, 80))
    } else if (frame['Deleted'] === true) this.objects.delete(id)
    else this.objects.set(id, frame)
  }
}

export interface TwoClients {
  readonly seconds: number
  /** In the order in which they struck. */
  readonly faults: readonly string[]
  readonly clients: readonly { readonly name: string; readonly read: ReadPositions }[]
  /** Requests for the stream that the service received, and streams that it opened. */
  readonly asked: number
  readonly opened: number
  /** Open streams at the end, according to the simulator. */
  readonly open: number
  /** One sentence for each problem. */
  readonly problems: readonly string[]
}

export interface TwoClientsAsked {
  /** The faults strike one after the other until this much time has passed. Each strikes at least once. */
  readonly seconds: number
  readonly faults: readonly Fault[]
  /** Frames that the service sends each second. */
  readonly perSecond: number
  /** Minimum time between the end of a fault and the start of the next one, in milliseconds. */
  readonly pauseMs: number
  readonly say?: (line: string) => void
}

/**
 * Two different HTTP clients, Node's fetch and curl, read one stream through a gateway while the service
 * fails.
 *
 * The simulator, the gateway and curl are separate processes. At the end, the objects of each client are
 * compared value by value: with each other, with what the simulated service computes for their time, and with
 * a fresh stream.
 */
export async function readByTwo({
  seconds,
  faults,
  perSecond,
  pauseMs,
  say,
}: TwoClientsAsked): Promise<TwoClients> {
  const children: ChildProcess[] = []
  const abort = new AbortController()
  try {
    const service = await started(children, [
      ...['simulate', '--port', '0', '--client-id', clientId],
      ...['--stream-rate', String(perSecond), '--fault', 'split-frames:always'],
    ])
    const gateway = await started(children, [
      ...['gateway', '--port', '0', '--probe', 'none', '--client-id', clientId],
      ...['--auth-url', service.url, '--base-url', service.url],
    ])
    const control = controlOf(service.url)
    const clients = [
      { name: 'fetch', read: await readByFetch(gateway.url, KEYS.bot, abort.signal) },
      { name: 'curl', read: readByCurl(gateway.url, KEYS.notes, children) },
    ]
    const all = (isTrue: (read: ReadPositions) => boolean) => clients.every(({ read }) => isTrue(read))
    await until(() => all(({ snapshots }) => snapshots > 0), 'a client got no state')

    const beganMs = performance.now()
    const struck: string[] = []
    while (struck.length < faults.length || performance.now() - beganMs < seconds * 1000) {
      const fault = faults[struck.length % faults.length]
      if (fault === undefined) break
      const { afterMs = 0 } = fault
      await pause(Math.max(pauseMs, afterMs))
      const before = clients.map(({ read }) => read.frames)
      const fromMs = performance.now()
      await fault.strike(control)
      const goesOn = () => clients.every(({ read }, at) => read.frames > (before[at] ?? 0) + MORE_FRAMES)
      await until(
        () => goesOn() || !all(({ end }) => end === undefined),
        `${fault.what} was not recovered from`,
      )
      await fault.lift?.(control)
      struck.push(fault.what)
      say?.(`${fault.what}: on after ${Math.round(performance.now() - fromMs)} ms`)
      if (!all(({ end }) => end === undefined)) break
    }

    // Nothing is sent for a while, but the stream is not opened again yet.
    await control('fault', { name: 'silent-stream', on: true })
    await until(() => all(({ lastMs }) => performance.now() - lastMs > QUIET_MS), 'the service went on')
    const open = simulatorState.parse(await control('state')).streams.length
    const ends = clients.flatMap(({ name, read: { end } }) => (end === undefined ? [] : [`${name} ${end}`]))
    const [byFetch, byCurl] = clients.map(({ read }) => new Map(read.objects))
    await control('fault', { name: 'silent-stream', on: false })
    const fresh = await freshStream(service.url)
    const requests = z
      .object({ requests: z.array(z.object({ path: z.string(), outcome: z.string() })) })
      .parse(await control('ledger'))
      .requests.filter(({ path }) => path === PATH)
    return {
      seconds: (performance.now() - beganMs) / 1000,
      faults: struck,
      clients,
      asked: requests.length - 1,
      opened: requests.filter(({ outcome }) => outcome === 'stream').length - 1,
      open,
      problems: [
        ...ends,
        ...(open === 1 ? [] : [`the service has ${open} open streams`]),
        ...clients.flatMap(({ name, read }) => problemsOf(read).map((what) => `${name} ${what}`)),
        ...problemsIn(byFetch ?? new Map(), fresh, 1000 / perSecond),
        ...(isDeepStrictEqual(byFetch, byCurl) ? [] : ['the two clients ended with different states']),
      ],
    }
  } finally {
    abort.abort()
    for (const child of children) child.kill('SIGKILL')
  }
}

const problemsOf = ({ snapshots, strange }: ReadPositions): readonly string[] => [
  ...strange.map((line) => `was told ${line}`),
  ...(snapshots === 1 ? [] : [`got ${snapshots} ends of its snapshot`]),
]

type Objects = ReadonlyMap<string, Frame>

/** Differences between the state of a client and that of a fresh stream. */
function problemsIn(objects: Objects, fresh: Objects, stepMs: number): readonly string[] {
  const problems: string[] = []
  if (objects.size === 0 || !isDeepStrictEqual(new Set(objects.keys()), new Set(fresh.keys())))
    problems.push(`there is ${[...objects.keys()].join()}, in a fresh stream ${[...fresh.keys()].join()}`)
  // Each object is as it was on the service at the time that the object contains.
  for (const [id, object] of [...objects, ...fresh]) {
    const atMs = Date.parse(String(object['Timestamp']))
    const own: unknown = JSON.parse(JSON.stringify(position(seed, ACCOUNT, String(object['Symbol']), atMs)))
    if (!isDeepStrictEqual(object, own))
      problems.push(`${id} is ${JSON.stringify(object)}, at the service ${JSON.stringify(own)}`)
  }
  // The objects change in turn, one every `stepMs`. A larger gap between their newest states means that a
  // message is missing.
  const timesMs = [...objects.values()].map((object) => Date.parse(String(object['Timestamp'])))
  const sortedMs = timesMs.toSorted((a, b) => a - b)
  const gapsMs = sortedMs.slice(1).map((atMs, at) => atMs - (sortedMs[at] ?? 0))
  if (gapsMs.some((gapMs) => gapMs !== stepMs))
    problems.push(`between the newest states are ${gapsMs.join(', ')} ms: one is not the last`)
  return problems
}

/** Starts `headroom` as a process. Resolves when it reports the address at which it is ready. */
function started(children: ChildProcess[], args: readonly string[]): Promise<{ readonly url: string }> {
  const headroom = fileURLToPath(new URL('../../../main/hosts/terminal/headroom.ts', import.meta.url))
  const child = spawn(process.execPath, [headroom, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      HEADROOM_REFRESH_TOKEN: refreshToken,
      HEADROOM_CLIENT_SECRET: '',
      HEADROOM_PASSPHRASE: '',
      HEADROOM_SIMULATOR_CONTROL: CONTROL,
      HEADROOM_GATEWAY_KEYS: Object.entries(KEYS)
        .map(([name, key]) => `${name}=${key}`)
        .join(','),
    },
  })
  children.push(child)
  return new Promise((resolve, reject) => {
    let out = ''
    let errors = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      errors += text
    })
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      out += text
      const [, url] = /^\w+ ready: (\S+)$/m.exec(out) ?? []
      if (url !== undefined) resolve({ url })
    })
    child.on('error', reject)
    child.on('exit', (code) => reject(new Error(`headroom ${args[0]} ended with ${code}: ${errors}`)))
  })
}

function controlOf(origin: string): Control {
  return async (name, body) => {
    const answer = await fetch(`${origin}/control/${name}`, {
      headers: { 'x-simulator-control': CONTROL },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    })
    if (answer.status !== 200) throw new Error(`${name}: ${answer.status} ${await answer.text()}`)
    return answer.json()
  }
}

async function readByFetch(url: string, key: string, signal: AbortSignal): Promise<ReadPositions> {
  const read = new ReadPositions()
  const answer = await fetch(`${url}${PATH}`, { headers: { authorization: `Bearer ${key}` }, signal })
  if (answer.status !== 200 || answer.body === null) throw new Error(`fetch was answered ${answer.status}`)
  const { body } = answer
  const reading = async () => {
    for await (const bytes of body) read.push(bytes)
    read.end = 'was disconnected'
  }
  void reading().catch((error: unknown) => {
    if (!signal.aborted) read.end = `was disconnected: ${String(error)}`
  })
  return read
}

function readByCurl(url: string, key: string, children: ChildProcess[]): ReadPositions {
  const read = new ReadPositions()
  // Its options are passed through stdin, because an argument list must not contain a key.
  const child = spawn('curl', ['--silent', '--show-error', '--fail', '--no-buffer', '--config', '-'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  children.push(child)
  child.stdin.end(`url = "${url}${PATH}"\nheader = "Authorization: Bearer ${key}"\n`)
  child.stdout.on('data', (bytes: Buffer) => read.push(bytes))
  child.on('error', (error) => {
    read.end = `could not be started: ${error.message}`
  })
  child.on('close', (code) => {
    read.end ??= `ended with ${code}`
  })
  return read
}

/** The first response of a stream that is opened now, without the gateway. */
async function freshStream(origin: string): Promise<Objects> {
  const token = await accessTokenOf(origin, { clientId, refreshToken })
  const abort = new AbortController()
  const read = await readByFetch(origin, token, abort.signal)
  await until(() => read.snapshots > 0, 'a fresh stream has no end of its snapshot')
  abort.abort()
  return read.objects
}

async function until(isTrue: () => boolean, orElse: string): Promise<void> {
  const fromMs = performance.now()
  while (!isTrue()) {
    if (performance.now() - fromMs > RECOVERED_WITHIN_MS) throw new Error(orElse)
    await pause(20)
  }
}
