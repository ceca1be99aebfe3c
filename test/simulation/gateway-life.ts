import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { RecentHistory } from '../../app/history/recent.ts'
import { MeteredLedger } from '../../app/quota/metered-ledger.ts'
import { CURRENT_REQUEST_QUOTAS, SLOT_QUOTAS } from '../../app/service/categories.ts'
import { SlotLedger } from '../../app/streams/slots.ts'
import { QuotaTap } from '../../main/api/quota-tap.ts'
import { Forwarder } from '../../main/gateway/forwarder.ts'
import type { ForwardAnswer, ForwardListener, ForwardRequest } from '../../main/network/forward-http.ts'
import { Reachability } from '../../main/network/reachability.ts'
import { Redactor } from '../../main/ports/redactor.ts'
import { Timeline } from '../../main/ports/timeline.ts'
import { Streams } from '../../main/streams/streams.ts'
import type { Access } from '../../main/tokens/keeper.ts'
import { chanceFrom } from '../app/quota/chance.ts'
import { ReferenceService } from '../app/quota/reference-service.ts'
import { FakeReply, program } from '../main/gateway/scripted-hub.ts'
import { quotaHeaders } from '../main/quota-headers.ts'
import { ScriptedHttp } from '../main/scripted-http.ts'
import { VirtualClock } from './virtual-clock.ts'

/** What may happen to one request upstream, besides a response. */
const FAULTS = [
  ...(['cut', 'cut-after', 'cut-body', '401', 'bare-429'] as const),
  ...(['portal', 'redirect', 'timeout', 'not-sent'] as const),
]
export type GatewayFault =
  | (typeof FAULTS)[number]
  | (
      | '429'
      | 'offline'
      | 'sleep'
      | 'gateway-killed'
      | 'caller-killed'
      | 'revoked'
      | 'no-token'
      | 'token-refused'
    )

/** Why a request may be sent again, each once. */
const RESENT_AFTER: Readonly<Partial<Record<string, 'cut' | '401' | '429'>>> = {
  cut: 'cut',
  'cut-after': 'cut',
  '401': '401',
  '429': '429',
  'bare-429': '429',
}

export interface GatewayLife {
  readonly calls: number
  readonly sends: number
  readonly resends: number
  /** Number of times that each fault occurred. */
  readonly faults: Readonly<Partial<Record<GatewayFault, number>>>
}

interface Call {
  readonly path: string
  readonly reply: FakeReply
  /** Whether the request ended because its caller or the gateway died. */
  killed: boolean
}

interface Send {
  readonly path: string
  readonly incarnation: number
  fate: string
}

const PATH = '/v3/brokerage/accounts'
const REVOKED = 'the tokens of this key are revoked; sign in again in Headroom'

/**
 * A short life of a gateway in virtual time, with programs that call, a service that counts, and faults
 * between them. Throws if one of these laws is broken:
 *
 * - A request is sent twice only after a cut, after a 401 and after a 429, once each.
 * - Each request ends with a response of the service, whole or visibly cut, or with the gateway's own
 *   response, unless its caller or the gateway died.
 * - A response belongs to its own request, and nothing is sent after a revocation.
 * - At the end, no request is queued, and no timer and no connection is left.
 */
export async function liveGateway(seed: number): Promise<GatewayLife> {
  const chance = chanceFrom(seed)
  const pick = <T>(values: readonly T[]): T => values[Math.floor(chance() * values.length)]!
  const fail = (what: string): never => {
    throw new Error(`gateway life ${seed}: ${what}`)
  }
  const clock = new VirtualClock()
  const rule = {
    limit: 5 + Math.floor(chance() * 40),
    periodSeconds: 20 + Math.floor(chance() * 60),
    window: pick(['rolling', 'rolling', 'fixed'] as const),
  }
  const service = new ReferenceService(rule, rule.limit, clock.worldMs())
  const faults: Partial<Record<GatewayFault, number>> = {}
  const count = (fault: GatewayFault) => {
    faults[fault] = (faults[fault] ?? 0) + 1
  }
  const faulty = chance() * 0.4
  const calls: Call[] = []
  const sends: Send[] = []
  let tokens = 1
  let access: Access = { kind: 'token', value: 'token-1' }
  let offlineUntilMs = 0
  let isRevoked = false
  let incarnation = 0
  let forwarder: Forwarder
  let timers = 0
  const open = new Map<symbol, number>()

  const started = () => {
    const own = ++incarnation
    timers = 0
    open.clear()
    const isAlive = () => own === incarnation
    /** A clock whose timers end with the process. */
    const ownClock = {
      wallMs: () => clock.wallMs(),
      monotonicMs: () => clock.monotonicMs(),
      after: (ms: number, run: () => void) => {
        // Code of a killed process may still run here and would set a timer.
        if (!isAlive()) return () => {}
        timers += 1
        let isOver = false
        const over = () => {
          if (isOver || !isAlive()) return false
          isOver = true
          timers -= 1
          return true
        }
        const cancel = clock.after(ms, () => {
          if (over()) run()
        })
        return () => {
          over()
          cancel()
        }
      },
    }
    const timeline = new Timeline(ownClock, (fromMs, toMs) => forwarder.markClockUncertain(fromMs, toMs))
    const ledger = new MeteredLedger(CURRENT_REQUEST_QUOTAS, timeline.now())
    const random = { next: chance }
    const secrets = new Redactor()
    const event = () => {}
    const changed = () => {}
    const history = new RecentHistory()
    const tap = new QuotaTap({ ledger, history, timeline, random, secrets, report: event, changed, clock })
    const slots = new SlotLedger(SLOT_QUOTAS)
    const bearer = {
      access: async () => access,
      usable: () => access,
      rejected: async (token: string) => {
        if (access.kind !== 'token' || access.value !== token) return
        await new Promise<void>((resolve) => void clock.after(200 * chance(), resolve))
        if (isRevoked) return
        const how = chance()
        if (how < 0.6) access = { kind: 'token', value: `token-${++tokens}` }
        else count('token-refused')
        if (how > 0.8) access = { kind: 'none', why: 'sign-in-required' }
      },
      accepted: () => {},
    }
    const baseUrl = 'https://api.test'
    const http = new ScriptedHttp()
    const reachability = new Reachability(timeline, random, event)
    const key = { baseUrl, host: 'api.test', clock: ownClock, timeline, tap, slots, secrets, ...bearer }
    const streams = new Streams({ ...key, http, random, report: event, changed, reachability })
    forwarder = new Forwarder({
      ...{ ...key, ledger, event, changed, reachability, sharing: { streams, slots } },
      pausedUntilMs: () => undefined,
      defect: (cause) => fail(`a throw while an answer was handled: ${String(cause)}`),
      forward: (request, listener) => upstream(request, listener, own),
    })
  }

  /** The service, and the network before it. */
  const upstream = (
    { pathAndQuery, headers }: ForwardRequest,
    listener: ForwardListener,
    own: number,
  ): (() => void) => {
    // Code of a dead process may still send. Such requests are ignored.
    if (own !== incarnation) return () => {}
    if (isRevoked) fail(`${pathAndQuery} is sent after the revocation`)
    if (access.kind !== 'token' || headers['authorization'] !== `Bearer ${access.value}`)
      fail(`${pathAndQuery} is sent with another token than the newest`)
    const send: Send = { path: pathAndQuery, incarnation: own, fate: 'ok' }
    sends.push(send)
    const id = Symbol()
    open.set(id, sends.length)
    let isOver = false
    const settle = (run: () => void) => {
      if (isOver || own !== incarnation) return
      isOver = true
      run()
    }
    const failed = (how: Parameters<ForwardListener['failed']>[0], afterMs: number) =>
      void clock.after(afterMs, () =>
        settle(() => {
          open.delete(id)
          listener.failed(how, how)
        }),
      )
    let body: Readable | undefined
    const abort = () => {
      isOver = true
      open.delete(id)
      body?.destroy()
    }
    const tripMs = chance() * 200
    const isOffline = clock.worldMs() < offlineUntilMs
    // A fault often lasts, so a fault that occurred once is likely to occur again.
    const former = sends.findLast((one) => one !== send && one.path === pathAndQuery)?.fate
    const again = chance() < 0.4 ? FAULTS.find((one) => one === former) : undefined
    const fault = isOffline ? 'not-sent' : (again ?? (chance() < faulty ? pick(FAULTS) : undefined))
    if (isOffline) count('offline')
    if (fault !== undefined) {
      count(fault)
      send.fate = fault
    }
    if (fault === 'not-sent' || fault === 'cut') {
      failed(fault, tripMs)
      return abort
    }
    clock.after(tripMs, () => {
      if (own !== incarnation || (isOver && chance() < 0.5)) return
      const accepted = fault === 'portal' || fault === 'redirect' ? undefined : service.spend(clock.worldMs())
      const { limit, periodSeconds, remaining, resetSeconds } = service.headers(clock.worldMs())
      if (fault === 'timeout' || fault === 'cut-after') {
        failed(fault === 'timeout' ? 'timeout' : 'cut', fault === 'timeout' ? 30_000 : tripMs)
        return
      }
      const quota = {
        'x-ratelimit-resource': 'Accounts',
        ...quotaHeaders(remaining, resetSeconds, { limit, periodSeconds }),
      }
      const json = { 'content-type': 'application/json' }
      const page = { 'content-type': 'text/html' }
      const [status, fields, text]: readonly [number, Readonly<Record<string, string>>, string] =
        fault === 'portal'
          ? [200, page, '<html>sign in to this network</html>']
          : fault === 'redirect'
            ? [302, { ...page, location: 'https://portal.test/' }, '']
            : fault === 'bare-429'
              ? [429, json, '{}']
              : accepted === false
                ? [429, { ...json, ...quota }, '{"Error":"TooManyRequests","Message":"Rate quota exceeded"}']
                : fault === '401'
                  ? [401, json, '{}']
                  : [200, { ...json, ...quota }, JSON.stringify({ path: pathAndQuery })]
      if (accepted === false && status === 429 && fault !== 'bare-429') {
        count('429')
        send.fate = '429'
      }
      clock.after(chance() * 200, () =>
        settle(() => {
          const cutAt =
            fault === 'cut-body' && status === 200 ? Math.floor(chance() * text.length) : undefined
          const stream = Object.assign(new Readable({ read: () => {} }), { complete: false })
          body = stream
          stream.on('close', () => open.delete(id))
          const all = { ...fields, 'content-length': String(text.length) }
          listener.answered({
            status,
            headers: all,
            rawHeaders: Object.entries(all).flat(),
            body: stream as unknown as ForwardAnswer['body'],
          })
          stream.push(Buffer.from(text.slice(0, cutAt)))
          clock.after(chance() * 50, () => {
            if (cutAt === undefined) {
              stream.complete = true
              stream.push(null)
            } else stream.destroy(new Error('cut'))
          })
        }),
      )
    })
    return abort
  }

  const call = () => {
    const isShared = chance() < 0.15
    const path = `${PATH}?${isShared ? `same=${Math.floor(chance() * 4)}` : `n=${calls.length}`}`
    const one: Call = { path, reply: new FakeReply(), killed: false }
    calls.push(one)
    const name = pick(['bot', 'scanner', 'notes'])
    const request = {
      program: program(name, { class: pick(['critical', 'normal', 'background'] as const) }),
      method: 'GET' as const,
      pathAndQuery: path,
      accept: undefined,
      acceptEncoding: undefined,
      contentType: undefined,
      contentEncoding: undefined,
      maxWaitMs: chance() < 0.5 ? 1000 * Math.floor(chance() * 120) : 30_000,
      body: undefined,
      reply: one.reply as unknown as ServerResponse,
    }
    void forwarder.serve(request)
    if (chance() < 0.08) {
      clock.after(chance() * 5_000, () => {
        if (one.reply.writableEnded || one.reply.destroyed) return
        count('caller-killed')
        one.killed = true
        one.reply.destroy()
      })
    }
  }

  const lastsMs = 5_000 + chance() * 90_000
  const sometime = () => chance() * lastsMs
  started()
  for (let i = 3 + Math.floor(chance() * 60); i > 0; i -= 1) {
    const atMs = chance() < 0.3 ? 1_000 : sometime()
    clock.happen(atMs, call)
  }
  for (let i = Math.floor(chance() * 3); i > 0; i -= 1) {
    clock.happen(sometime(), () => {
      for (let n = chance() * rule.limit; n > 0; n -= 1) service.spend(clock.worldMs())
    })
  }
  if (chance() < 0.2) {
    clock.happen(sometime(), () => {
      offlineUntilMs = clock.worldMs() + chance() * 20_000
    })
  }
  if (chance() < 0.15) {
    clock.happen(sometime(), () => {
      if (isRevoked) return
      count('no-token')
      const before = access
      access = { kind: 'none', why: 'refresh-failed' }
      clock.happen(chance() * 10_000, () => {
        if (access.kind === 'none' && access.why === 'refresh-failed') access = before
      })
    })
  }
  let sleepMs = 0
  if (chance() < 0.15) {
    clock.happen(sometime(), () => {
      count('sleep')
      sleepMs = chance() * 120_000
    })
  }
  if (chance() < 0.15) {
    clock.happen(sometime(), () => {
      count('gateway-killed')
      for (const one of calls) {
        if (one.reply.writableEnded || one.reply.destroyed) continue
        one.killed = true
        // Ends the response without an event for the gateway, which is dead.
        one.reply.removeAllListeners()
        one.reply.destroy()
      }
      started()
    })
  }
  if (chance() < 0.15) {
    clock.happen(sometime(), () => {
      count('revoked')
      isRevoked = true
      access = { kind: 'none', why: 'revoked' }
      forwarder.refuseWaiting(REVOKED)
      if (forwarder.hasWaiting) fail('a request goes on waiting after the revocation')
    })
  }
  // A machine does not fall asleep between two timers that are due together.
  for (let atMs = 0; atMs < lastsMs + 900_000; atMs += 5_000) {
    await clock.advance(5_000)
    if (sleepMs > 0) clock.sleep(sleepMs)
    sleepMs = 0
  }

  for (const { path, reply, killed } of calls) {
    if (killed) continue
    if (!reply.writableEnded && !reply.destroyed) fail(`${path} has no answer`)
    const own = sends.filter((send) => send.path === path)
    if (!reply.writableEnded) {
      if (!own.some(({ fate }) => fate === 'cut-body')) fail(`${path} was cut, though its answer was not`)
      continue
    }
    const said = reply.headers.join('\n')
    if (!said.includes('received-status=')) {
      if (!said.includes('error=')) fail(`${path}: nothing says who answered ${reply.status}`)
      if (reply.status === 502 && own.filter(({ fate }) => RESENT_AFTER[fate] === 'cut').length < 2)
        fail(`${path}: 502 without two cuts`)
      if (![429, 502, 503, 504].includes(reply.status ?? 0)) fail(`${path}: own answer ${reply.status}`)
    } else if (own.length === 0) fail(`${path} has an answer of the service, and was never sent`)
    else if (reply.status === 200 && !reply.text.includes(path) && !reply.text.startsWith('<'))
      fail(`${path} has the answer of another one`)
  }
  let resends = 0
  for (const path of new Set(sends.map((send) => send.path))) {
    const askedBy = calls.filter((one) => one.path === path).length
    const own = sends.filter((send) => send.path === path)
    const allowed = own.slice(0, -1).flatMap(({ fate }) => RESENT_AFTER[fate] ?? [])
    const once = askedBy === 1 ? new Set(allowed).size : allowed.length
    if (own.length - askedBy > once) {
      fail(`${path}, asked for ${askedBy} times, was sent after ${own.map(({ fate }) => fate).join(', ')}`)
    }
    resends += Math.max(0, own.length - askedBy)
  }
  for (const name of ['bot', 'scanner', 'notes'])
    if (forwarder!.nowOf(program(name)).waiting.length > 0) fail(`${name} waits for ever`)
  if (forwarder!.hasWaiting) fail('something waits for ever')
  if (open.size > 0) fail(`${open.size} connections to the service are left`)
  let isDrained = false
  void forwarder!.drain('the life is over').then(() => {
    isDrained = true
  })
  await clock.advance(0)
  if (!isDrained) fail('something is under way for ever')
  if (timers > 0) fail(`${timers} timers are left`)
  return { calls: calls.length, sends: sends.length, resends, faults }
}
