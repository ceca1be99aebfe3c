import { createHash } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { RecentHistory } from '../../../app/history/recent.ts'
import { orderPathOf } from '../../../app/orders/order-paths.ts'
import type { JournalEntry, OrderEvent } from '../../../app/orders/ports.ts'
import { MeteredLedger } from '../../../app/quota/metered-ledger.ts'
import { CURRENT_REQUEST_QUOTAS, SLOT_QUOTAS } from '../../../app/service/categories.ts'
import { parseJson } from '../../../app/service/json.ts'
import { SlotLedger } from '../../../app/streams/slots.ts'
import { QuotaTap } from '../../../main/api/quota-tap.ts'
import { Forwarder } from '../../../main/gateway/forwarder.ts'
import type { AdmittedOrder } from '../../../main/gateway/order-lane.ts'
import { sendProblem } from '../../../main/gateway/problem.ts'
import type { ForwardAnswer, ForwardListener, ForwardRequest } from '../../../main/network/forward-http.ts'
import { Reachability } from '../../../main/network/reachability.ts'
import { Orders } from '../../../main/orders/orders.ts'
import { Redactor } from '../../../main/ports/redactor.ts'
import { Timeline } from '../../../main/ports/timeline.ts'
import { SimulatedService } from '../../../main/simulator/simulated-service.ts'
import type { Answer, ServiceReply } from '../../../main/simulator/wire.ts'
import { Streams } from '../../../main/streams/streams.ts'
import type { Access } from '../../../main/tokens/keeper.ts'
import { chanceFrom } from '../../app/quota/chance.ts'
import { VirtualClock } from '../../simulation/virtual-clock.ts'
import { FakeReply, program } from '../gateway/scripted-hub.ts'
import { ScriptedHttp } from '../scripted-http.ts'

const PROFILE = 'key-1'
const ROOT = '/v3/orderexecution'
const READ = '/v3/brokerage/accounts/SIM1001/positions'
const TROUBLES = [
  ...(['refused', 'request-lost', 'answer-lost', 'answer-cut', 'silent', 'late'] as const),
  ...(['killed-before', 'killed-after'] as const),
]
type Trouble = (typeof TROUBLES)[number]
const SERVICE_FAULTS = [
  ...(['order-lost-response', 'order-cut-response', 'order-silence', 'order-late-response'] as const),
  ...(['order-reset', 'order-401', 'order-429', 'order-500', 'order-502-taken', 'order-503'] as const),
  ...(['order-504-taken', 'resources-garbage', 'resources-503'] as const),
]

export type OrderFault =
  | Trouble
  | (typeof SERVICE_FAULTS)[number]
  | ('stopped' | 'refreshing' | 'no-token' | 'caller-gone' | 'killed' | 'sleep' | 'unreadable')

export interface OrderLife {
  readonly requests: number
  readonly sent: number
  readonly arrived: number
  readonly outcomes: Readonly<Partial<Record<JournalEntry['outcome'], number>>>
  readonly faults: Readonly<Partial<Record<OrderFault, number>>>
}

interface Asked {
  readonly method: AdmittedOrder['method']
  readonly path: string
  readonly body: string
  readonly program: string
  readonly reply: FakeReply
  /** Whether the program's process or the gateway's process ended, so that the program got no response. */
  isGone: boolean
  /** Position of the order among the orders that were sent. */
  send: number | undefined
}

/**
 * A short life of orders in virtual time, against the simulator's order book and ledger. Throws if one of
 * these promises is broken:
 *
 * - O1: A request reaches the service at most once, and never if its response was "not sent".
 * - O2: Nothing is sent while the switch is not on, or for a program without orders.
 * - O3: Each order that was sent is in the journal. Its outcome is that of the ledger, or it is unknown and
 *   shown as such.
 * - O4: An order is passed to the network at the time at which it arrives, however many reads wait.
 */
export async function liveOrders(seed: number, folder: string): Promise<OrderLife> {
  const chance = chanceFrom(seed)
  const pick = <T>(values: readonly T[]): T => values[Math.floor(chance() * values.length)]!
  const fail = (what: string): never => {
    throw new Error(`order life ${seed}: ${what}`)
  }
  const clock = new VirtualClock()
  const service = new SimulatedService(
    { clientId: 'key', refreshToken: 'refresh', trade: true, accessLifetimeSeconds: 86_400, seed },
    { nowMs: () => clock.worldMs(), random: chance },
  )
  /** A response without the orders of another program, which are in the simulated day's list. */
  const withoutOthers = (body: string): string => {
    const read = parseJson(body) as { Orders?: { OrderID: string }[] } | null | undefined
    if (!Array.isArray(read?.Orders)) return body
    const placed = new Set(service.orders.ledger.arrivals().flatMap(({ changed }) => changed))
    return JSON.stringify({ ...read, Orders: read.Orders.filter(({ OrderID }) => placed.has(OrderID)) })
  }
  const faults: Partial<Record<OrderFault, number>> = {}
  const count = (fault: OrderFault) => {
    faults[fault] = (faults[fault] ?? 0) + 1
  }
  const faulty = chance() * 0.5
  const asked: Asked[] = []
  const sends: { readonly of: Asked; isConclusive: boolean }[] = []
  const events: OrderEvent[] = []
  let switched: 'off' | 'on' | 'stopped' = 'on'
  let isRefreshing = false
  let isUnreadable = false
  let incarnation = 0
  let orders!: Orders
  let forwarder!: Forwarder
  /** When the order that is being served arrived. */
  let servedAtMs: number | undefined

  const handle = (method: string, url: string, token: string, body = ''): ServiceReply => {
    const [path = '', query = ''] = url.split('?')
    return service.handle({ method, path, query, headers: { authorization: `Bearer ${token}` }, body })
  }
  const newToken = (): string => {
    const form = 'grant_type=refresh_token&client_id=key&refresh_token=refresh'
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const reply = service.handle({ method: 'POST', path: '/oauth/token', query: '', headers, body: form })
    return reply.kind === 'answer' ? JSON.parse(reply.body).access_token : fail('no token')
  }
  let access: Access = { kind: 'token', value: newToken() }
  const startRefresh = () => {
    isRefreshing = true
    clock.happen(chance() * 2_000, () => {
      isRefreshing = false
      access = { kind: 'token', value: newToken() }
    })
  }

  /** The network, with the service behind it. */
  const network = (request: ForwardRequest, listener: ForwardListener, own: number): (() => void) => {
    const isAlive = () => own === incarnation
    const { once, method, pathAndQuery, headers, body } = request
    if (once !== undefined && servedAtMs !== clock.worldMs()) fail('an order waited (O4)')
    let isOver = false
    const settle = (afterMs: number, run: () => void) =>
      void clock.happen(afterMs, () => {
        if (isOver || !isAlive()) return
        isOver = true
        run()
      })
    const trouble = once !== undefined && chance() < faulty ? pick(TROUBLES) : undefined
    if (trouble !== undefined) count(trouble)
    const leave = () => {
      if (isOver || !isAlive()) return
      if (trouble === 'killed-before') return kill()
      if (once !== undefined && !once.mayGo()) {
        isOver = true
        return listener.failed('not-sent', 'held')
      }
      if (once !== undefined)
        sent(
          asked.findLast(
            ({ body: text, path, method: of }) =>
              of === method && path === pathAndQuery && text === (body?.toString() ?? ''),
          )!,
        )
      if (trouble === 'killed-after') return kill()
      const send = sends.at(-1)!
      if (trouble === 'request-lost') return settle(chance() * 500, () => listener.failed('cut', 'lost'))
      const lateMs = trouble === 'late' ? chance() * 15_000 : 0
      if (lateMs > 10_000) settle(10_000, () => listener.failed('timeout', 'timed out'))
      clock.happen(lateMs + chance() * 100, () => {
        const token = (headers['authorization'] ?? '').slice('Bearer '.length)
        const reply = handle(method, pathAndQuery, token, body?.toString())
        if (once === undefined) service.faults.set('order-reset', 0)
        const delayMs = reply.kind === 'answer' ? (reply.delayMs ?? 0) : 0
        if (trouble === 'silent' || reply.kind === 'silence' || delayMs > 10_000)
          return settle(10_000 - lateMs, () => listener.failed('timeout', 'timed out'))
        if (trouble === 'answer-lost' || reply.kind === 'reset')
          return settle(chance() * 100, () => listener.failed('cut', 'lost'))
        const answer =
          reply.kind === 'cut' ? reply.answer : reply.kind === 'answer' ? reply : fail('a stream')
        const isCut = reply.kind === 'cut' || trouble === 'answer-cut'
        settle(chance() * 100, () => {
          if (once !== undefined && !isCut && answer.status < 500) send.isConclusive = true
          answered(answer, isCut, listener)
        })
      })
    }
    if (trouble === 'refused') settle(chance() * 100, () => listener.failed('not-sent', 'refused'))
    else clock.happen(chance() * 300, leave)
    return () => {
      isOver = true
    }
  }

  const sent = (of: Asked) => {
    if (of.send !== undefined) fail(`${of.method} ${of.path} leaves twice (O1)`)
    if (switched !== 'on') fail(`${of.method} ${of.path} leaves while orders are ${switched} (O2)`)
    if (of.program === 'notes') fail('a program without orders sends one (O2)')
    of.send = sends.push({ of, isConclusive: false }) - 1
  }

  const answered = ({ status, headers, body }: Answer, isCut: boolean, listener: ForwardListener) => {
    const stream = Object.assign(new Readable({ read: () => {} }), { complete: false })
    const lower = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
    )
    const all = { ...lower, 'content-length': String(Buffer.byteLength(body)) }
    listener.answered({
      status,
      headers: all,
      rawHeaders: Object.entries(all).flat(),
      body: stream as unknown as ForwardAnswer['body'],
    })
    stream.push(Buffer.from(isCut ? body.slice(0, body.length / 2) : body))
    if (isCut) stream.destroy(new Error('cut'))
    else {
      stream.complete = true
      stream.push(null)
    }
  }

  const start = () => {
    const own = ++incarnation
    const isAlive = () => own === incarnation
    const ownClock = {
      wallMs: () => clock.wallMs(),
      monotonicMs: () => clock.monotonicMs(),
      after: (ms: number, run: () => void) => {
        return clock.after(ms, () => {
          if (isAlive()) run()
        })
      },
    }
    const timeline = new Timeline(ownClock, (fromMs, toMs) => forwarder.markClockUncertain(fromMs, toMs))
    const ledger = new MeteredLedger(CURRENT_REQUEST_QUOTAS, timeline.now())
    const secrets = new Redactor()
    const random = { next: chance }
    const [event, changed] = [() => {}, () => {}]
    const history = new RecentHistory()
    const tap = new QuotaTap({ ledger, history, timeline, random, secrets, report: event, changed, clock })
    const slots = new SlotLedger(SLOT_QUOTAS)
    const reachability = new Reachability(timeline, random, event)
    const bearer = {
      access: async () => access,
      usable: () => access,
      rejected: async () => {
        if (isAlive() && !isRefreshing) startRefresh()
      },
      accepted: () => {},
    }
    const key = {
      baseUrl: 'https://api.test',
      host: 'api.test',
      clock: ownClock,
      timeline,
      tap,
      slots,
      secrets,
    }
    const http = new ScriptedHttp()
    const streams = new Streams({ ...key, ...bearer, http, random, report: event, changed, reachability })
    orders = new Orders({
      switch: {
        state: () => switched,
        maxPerMinute: (id) => (id === 'notes' ? undefined : 12),
      },
      profiles: () => [PROFILE],
      keyMark: () => 'of the key',
      dataFolder: folder,
      hashKeys: () => [Buffer.from('key of the vault')],
      read: async (_, path) => {
        if (!isAlive() || isUnreadable || access.kind !== 'token') return undefined
        const reply = handle('GET', path, access.value)
        if (reply.kind !== 'answer' || reply.status !== 200) return undefined
        // In every eighth life, another program trades on the account. Then no order is certainly absent from
        // the list.
        return seed % 8 === 0 || !path.includes('orders') ? reply.body : withoutOthers(reply.body)
      },
      clock: ownClock,
      log: {
        note: (line, fields) =>
          /wrong|failed/.test(line) ? fail(`${line} ${String(fields?.['cause'])}`) : undefined,
      },
      randomBytes: (size) => Uint8Array.from({ length: size }, () => Math.floor(chance() * 256)),
      listener: { changed: () => {}, event: (_, happened) => void events.push(happened) },
      problem: (what) => fail(what),
    })
    forwarder = new Forwarder({
      ...{ ...key, ...bearer, ledger, event, changed, reachability, sharing: { streams, slots } },
      pausedUntilMs: () => undefined,
      defect: (cause) => fail(`a throw: ${cause instanceof Error ? cause.stack : String(cause)}`),
      forward: (request, listener) => (isAlive() ? network(request, listener, own) : () => {}),
      orders: {
        serve: (order, line) => orders.serve(order, line),
        profile: PROFILE,
        isRefreshing: () => isRefreshing,
      },
    })
  }

  const kill = () => {
    count('killed')
    for (const one of asked) {
      if (one.reply.writableEnded || one.reply.destroyed) continue
      one.isGone = true
      one.reply.removeAllListeners()
      one.reply.destroy()
    }
    start()
  }

  const ask = () => {
    const n = asked.length
    const terms = {
      AccountID: pick(['SIM1001', 'SIM1002']),
      Symbol: pick(['MSFT', 'AAPL', 'INVALID']),
      Quantity: pick(['1', '2']),
      ...(chance() < 0.5
        ? { OrderType: 'Market' }
        : { OrderType: 'Limit', LimitPrice: pick(['1', '2.50', '900']) }),
      TradeAction: pick(['BUY', 'SELL', 'SELLSHORT']),
      TimeInForce: { Duration: 'DAY' },
    }
    const placed = service.orders.ledger.arrivals().flatMap(({ changed }) => changed)
    const target = placed.length > 0 && chance() < 0.8 ? pick(placed) : `none-${n}`
    const [method, path, text] = pick<() => readonly [AdmittedOrder['method'], string, object | undefined]>([
      ...Array(5).fill(() => ['POST', `${ROOT}/orders`, terms]),
      () => [
        'POST',
        `${ROOT}/ordergroups`,
        { Type: pick(['NORMAL', 'OCO']), Orders: [terms, { ...terms, Quantity: '3' }] },
      ],
      () => ['PUT', `${ROOT}/orders/${target}`, { Quantity: pick(['4', '5']) }],
      () => ['DELETE', `${ROOT}/orders/${target}?n=${n}`, undefined],
    ])()
    const body = text === undefined ? '' : JSON.stringify({ ...text, Note: n })
    const name = pick(['bot', 'bot', 'scanner', 'notes'])
    const one: Asked = {
      method,
      path,
      body,
      program: name,
      reply: new FakeReply(),
      isGone: false,
      send: undefined,
    }
    asked.push(one)
    const verdict = orders.judge(method, path, program(name))
    const order = orderPathOf(method, path)
    if (verdict.kind === 'off') return void one.reply.destroy()
    if (verdict.kind === 'refused')
      return sendProblem(one.reply as unknown as ServerResponse, verdict.problem)
    if (order === undefined || order.kind === 'read') return fail('an order is none')
    servedAtMs = clock.worldMs()
    forwarder.serveOrder({
      program: program(name),
      ...{ method, pathAndQuery: path, order },
      ...{ accept: undefined, acceptEncoding: undefined, contentEncoding: undefined },
      contentType: 'application/json',
      body: text === undefined ? undefined : Buffer.from(body),
      reply: one.reply as unknown as ServerResponse,
    })
    servedAtMs = undefined
    if (chance() < 0.1) {
      clock.happen(chance() * 1_000, () => {
        if (one.reply.writableEnded || one.reply.destroyed) return
        count('caller-gone')
        one.isGone = true
        one.reply.destroy()
      })
    }
  }

  const read = () =>
    void forwarder.serve({
      program: program('reader', { class: 'critical' }),
      method: 'GET',
      pathAndQuery: `${READ}?n=${chance()}`,
      ...{ accept: undefined, acceptEncoding: undefined, contentType: undefined, contentEncoding: undefined },
      maxWaitMs: 60_000,
      body: undefined,
      reply: new FakeReply() as unknown as ServerResponse,
    })

  const lastsMs = 5_000 + chance() * 90_000
  const sometime = (run: () => void) => clock.happen(chance() * lastsMs, run)
  start()
  for (let i = 2 + Math.floor(chance() * 24); i > 0; i -= 1) sometime(ask)
  for (let i = Math.floor(chance() * 40); i > 0; i -= 1) sometime(read)
  for (let i = Math.floor(chance() * 4); i > 0; i -= 1)
    sometime(() => {
      const fault = pick(SERVICE_FAULTS)
      count(fault)
      service.faults.set(fault, 1)
    })
  if (chance() < 0.3)
    sometime(() => {
      count('stopped')
      switched = 'stopped'
      clock.happen(chance() * 30_000, () => {
        switched = 'on'
      })
    })
  if (chance() < 0.3)
    sometime(() => {
      count('refreshing')
      startRefresh()
    })
  if (chance() < 0.2)
    sometime(() => {
      count('no-token')
      access = { kind: 'none', why: 'refresh-failed' }
      startRefresh()
    })
  if (chance() < 0.2) sometime(kill)
  if (chance() < 0.3)
    sometime(() => {
      count('unreadable')
      isUnreadable = true
      clock.happen(chance() * 90_000, () => {
        isUnreadable = false
      })
    })
  let sleepMs = 0
  if (chance() < 0.15)
    sometime(() => {
      count('sleep')
      sleepMs = chance() * 120_000
    })
  for (let atMs = 0; atMs < lastsMs + 300_000; atMs += 2_500) {
    await clock.advance(2_500)
    if (sleepMs > 0) clock.sleep(sleepMs)
    sleepMs = 0
  }

  const entries = orders.entries(0, Number.MAX_SAFE_INTEGER / 2) ?? fail('the journal can’t be read')
  if (entries.length !== sends.length)
    fail(`${sends.length} orders left, ${entries.length} are in the journal (O3)`)
  const arrivals = service.orders.ledger.arrivals()
  const arrivalsOf = ({ method, path, body }: Asked) => {
    const bodyHash = createHash('sha256').update(body).digest('hex')
    return arrivals.filter(
      (arrival) =>
        arrival.method === method && arrival.path === path.split('?')[0] && arrival.bodyHash === bodyHash,
    )
  }
  const known = new Set(events.flatMap((event) => (event.kind === 'order-unknown' ? [event.id] : [])))
  const shown = orders.summary(PROFILE).unknown
  const outcomes: Partial<Record<JournalEntry['outcome'], number>> = {}
  const byId = new Map(entries.map((entry) => [entry.id, entry]))
  for (const [n, { of, isConclusive }] of sends.entries()) {
    const entry = entries[n] ?? fail('an entry is missing')
    const name = `${n}. ${of.method} ${of.path} ${of.body}`
    outcomes[entry.outcome] = (outcomes[entry.outcome] ?? 0) + 1
    if (entry.program !== of.program || entry.method !== of.method) fail(`${name} has another entry`)
    if (entry.outcome === 'sent' || entry.outcome === 'looking')
      fail(`${name} is ${entry.outcome} for ever (O3)`)
    const isUnknown = entry.outcome !== 'answered'
    if (isUnknown && !(known.has(entry.id) && shown.some(({ id }) => id === entry.id)))
      fail(`${name} is silent (O3)`)
    if (!isUnknown && !isConclusive) fail(`${name} is answered, and was not (O3)`)
    const own = of.method === 'DELETE' ? [] : arrivalsOf(of)
    const changed = own.flatMap((arrival) => arrival.changed)
    if (
      of.method === 'POST' &&
      entry.outcome === 'found' &&
      [...entry.orderIds].sort().join() !== [...changed].sort().join()
    )
      fail(`${name} is found as ${entry.orderIds.join()}, and is ${changed.join()} (O3)`)
    if (entry.outcome === 'not-found' && changed.length > 0)
      fail(`${name} is ${changed.join()}, and was not found (O3)`)
  }
  for (const one of asked) {
    const name = `${one.method} ${one.path} ${one.body}`
    // A cancel has no body, so equal cancels are counted together.
    const alike =
      one.method === 'DELETE'
        ? asked.filter(
            ({ method, path }) => method === 'DELETE' && path.split('?')[0] === one.path.split('?')[0],
          )
        : [one]
    const arrived = arrivalsOf(one).length
    if (arrived > alike.length) fail(`${name} arrived ${arrived} times (O1)`)
    if (arrived > alike.filter(({ send }) => send !== undefined).length)
      fail(`${name} arrived and never left`)
    const { reply, isGone, send } = one
    if (isGone) continue
    if (!reply.writableEnded) fail(`${name} has no answer`)
    const said = reply.headers.join('\n')
    const isService = said.includes('received-status=')
    if (isService && send === undefined) fail(`${name} has an answer of the service, and never left`)
    if (!isService && !said.includes('headroom; error=')) fail(`${name}: nothing says who answered`)
    const isLost = reply.text.includes('"outcome-unknown"')
    if (isLost !== (send !== undefined && !isService)) fail(`${name}: ${reply.status} ${reply.text} (O3)`)
    if (isLost && !byId.has(JSON.parse(reply.text).journalId)) fail(`${name} names an entry that is none`)
  }
  orders.stop()
  return { requests: asked.length, sent: sends.length, arrived: arrivals.length, outcomes, faults }
}
