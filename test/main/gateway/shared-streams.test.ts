import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { expect, onTestFinished, test, vi } from 'vitest'
import { proves } from '../../proof/proves.ts'
import { SkippingClock } from '../skipping-clock.ts'
import { type GatewayTraits, type StartedGateway, startGateway } from './started-gateway.ts'

const SOON = { timeout: 60_000, interval: 20 }
const POSITIONS = '/v3/brokerage/stream/accounts/SIM1001/positions'
const CHAIN = '/v3/marketdata/stream/options/chains/MSFT'
const CONTROL = 'a-secret-of-this-test'

type Frame = Readonly<Record<string, unknown>>

/** The frames and objects that a client reads from a stream. */
class StreamedLines {
  readonly frames: Frame[] = []
  hasEnded = false
  #rest = ''

  push(text: string): void {
    const lines = `${this.#rest}${text}`.split(/\r?\n/)
    this.#rest = lines.pop() ?? ''
    // Every line must be a whole frame, because a part of one can't be parsed.
    for (const line of lines.filter(Boolean)) this.frames.push(JSON.parse(line) as Frame)
  }

  get objects(): ReadonlySet<unknown> {
    const ids = new Set<unknown>()
    for (const { PositionID, Deleted } of this.frames) {
      if (PositionID === undefined) continue
      if (Deleted === true) ids.delete(PositionID)
      else ids.add(PositionID)
    }
    return ids
  }

  count(name: string): number {
    return this.frames.filter((frame) => frame['StreamStatus'] === name || name in frame).length
  }
}

/** Reads by Node's fetch. `cut` ends the connection. */
async function readByFetch({ get }: StartedGateway, path: string, key: string) {
  const lines = new StreamedLines()
  const answer = await get(path, key)
  expect(answer.status).toBe(200)
  const reader = answer.body!.getReader()
  const decoder = new TextDecoder()
  void (async () => {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) break
      lines.push(decoder.decode(value, { stream: true }))
    }
    lines.hasEnded = true
  })().catch(() => {
    lines.hasEnded = true
  })
  return { lines, cut: () => reader.cancel() }
}

/** Reads with curl, a different client. */
function readByCurl({ url }: StartedGateway, path: string, key: string) {
  const lines = new StreamedLines()
  // Its options are passed through stdin, because an argument list must not contain a key.
  const child = spawn('curl', ['--silent', '--no-buffer', '--config', '-'], {
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  child.stdin.end(`url = "${url}${path}"\nheader = "Authorization: Bearer ${key}"\n`)
  const decoder = new TextDecoder()
  child.stdout.on('data', (bytes: Buffer) => lines.push(decoder.decode(bytes, { stream: true })))
  child.on('close', () => {
    lines.hasEnded = true
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  return { lines, kill: () => child.kill('SIGKILL') }
}

async function started(simulator: GatewayTraits['simulator'] = {}) {
  const clock = new SkippingClock()
  const gateway = await startGateway({
    simulator: { streamRate: 20, controlSecret: CONTROL, ...simulator },
    clock,
  })
  const control = async (name: string, body?: object) => {
    const answer = await fetch(`${gateway.service.origin}/control/${name}`, {
      headers: { 'x-simulator-control': CONTROL },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    })
    expect(answer.status).toBe(200)
    return (await answer.json()) as { readonly streams?: readonly unknown[] }
  }
  const openStreams = async () => (await control('state')).streams?.length
  return { ...gateway, clock, control, openStreams }
}

test('fetch and curl read one stream through faults, each with the whole state at the end', async () => {
  const gateway = await started({ faults: ['split-frames:always'] })
  const [bot, notes] = [gateway.add('bot'), gateway.add('notes')]
  const byFetch = await readByFetch(gateway, POSITIONS, bot)
  const byCurl = readByCurl(gateway, POSITIONS, notes)
  const clients = [byFetch.lines, byCurl.lines]
  const expectWhole = () =>
    vi.waitFor(() => {
      for (const lines of clients) expect(lines.count('EndSnapshot')).toBe(1)
      for (const lines of clients) expect(lines.objects.size).toBe(4)
    }, SOON)
  await expectWhole()
  for (const how of ['goaway-v3', 'goaway-v2', 'reset', 'end']) {
    const before = clients.map(({ frames }) => frames.length)
    await gateway.control('cut-streams', { how })
    await vi.waitFor(() => {
      // Lets the backoff and the time for new frames pass.
      gateway.clock.skip(250)
      for (const [at, lines] of clients.entries())
        expect(lines.frames.length).toBeGreaterThan(before[at]! + 10)
    }, SOON)
  }
  await vi.waitFor(async () => expect(await gateway.openStreams()).toBe(1), SOON)
  await expectWhole()
  for (const lines of clients) {
    expect(lines.hasEnded).toBe(false)
    expect(lines.count('GoAway')).toBe(0)
    expect(lines.count('Error')).toBe(0)
  }
  expect(gateway.monitor.snapshot('key-1')?.streams).toMatchObject([
    {
      target: 'SIM1001',
      readers: 2,
      readBy: [
        { program: 'bot', readers: 1 },
        { program: 'notes', readers: 1 },
      ],
    },
  ])
  proves('G9', { level: 3, cases: clients.length })
})

test('a dead reader frees everything within a second; the others continue', async () => {
  const gateway = await started()
  const [bot, notes] = [gateway.add('bot'), gateway.add('notes')]
  const dies = readByCurl(gateway, CHAIN, bot)
  const stays = await readByFetch(gateway, CHAIN, notes)
  const readers = () => gateway.monitor.snapshot('key-1')?.streams[0]?.readers
  await vi.waitFor(() => expect(readers()).toBe(2), SOON)
  const diedAtMs = performance.now()
  dies.kill()
  await vi.waitFor(() => expect(readers()).toBe(1), { ...SOON, interval: 5 })
  expect(performance.now() - diedAtMs).toBeLessThan(1_000)
  const before = stays.lines.frames.length
  gateway.clock.skip(2_000)
  await vi.waitFor(() => expect(stays.lines.frames.length).toBeGreaterThan(before + 20), SOON)
  expect(gateway.monitor.snapshot('key-1')?.programs).toMatchObject([{ streams: 0 }, { streams: 1 }])
  expect(gateway.monitor.snapshot('key-1')?.slots).toContainEqual(
    expect.objectContaining({ category: 'Option Chain Stream', own: 1 }),
  )
})

/** The newest frame of each object of an option chain. */
const newestOf = ({ frames }: StreamedLines): ReadonlyMap<string, Frame> =>
  new Map(frames.flatMap((frame) => ('Legs' in frame ? [[JSON.stringify(frame['Legs']), frame]] : [])))

test('a reader that reads nothing stops neither the others nor the stream', async () => {
  const gateway = await started({ streamRate: 1_000 })
  const headers = { authorization: `Bearer ${gateway.add('frozen')}` }
  const outgoing = request({ port: gateway.port, path: CHAIN, headers }).end()
  onTestFinished(() => void outgoing.destroy())
  const [frozen] = (await once(outgoing, 'response')) as [IncomingMessage]
  const reads = await readByFetch(gateway, CHAIN, gateway.add('bot'))
  const readers = () => gateway.monitor.snapshot('key-1')?.streams[0]?.readers
  await vi.waitFor(() => expect(readers()).toBe(2), SOON)
  // The system and Node buffer 4 of 9 MB for a reader. After a skip of the clock, the service sends at most
  // 10 s of missed frames.
  for (let skips = 0; skips < 3; skips += 1) {
    const before = reads.lines.frames.length
    gateway.clock.skip(9_000)
    await vi.waitFor(() => expect(reads.lines.frames.length).toBeGreaterThan(before + 9_000), SOON)
  }
  expect(readers()).toBe(2)
  // The other frames were merged instead of being stored.
  gateway.service.faults.set('silent-stream', true)
  const late = new StreamedLines()
  frozen.setEncoding('utf8').on('data', (text: string) => late.push(text))
  await vi.waitFor(() => expect(newestOf(late)).toEqual(newestOf(reads.lines)), SOON)
  expect(newestOf(late).size).toBeGreaterThan(1)
  expect(late.frames.length).toBeLessThan(reads.lines.frames.length)
  proves('G9', { level: 3, cases: 1 })
})

test('seven programs read one option chain on one slot', async () => {
  const gateway = await started()
  for (let i = 0; i < 7; i += 1) await readByFetch(gateway, CHAIN, gateway.add(`bot-${i}`))
  const snapshot = gateway.monitor.snapshot('key-1')
  expect(snapshot?.streams).toMatchObject([{ target: 'MSFT', readers: 7 }])
  expect(snapshot?.programs?.map(({ streams }) => streams)).toEqual([1, 1, 1, 1, 1, 1, 1])
  expect(snapshot?.slots.find(({ category }) => category === 'Option Chain Stream')).toMatchObject({ own: 1 })
  expect(await gateway.openStreams()).toBe(1)
})
