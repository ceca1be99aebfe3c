import { SLOT_QUOTAS } from '../../../app/service/categories.ts'
import type { HttpHeaders } from '../../../app/service/headers.ts'
import type { StreamRequest } from '../../../app/service/stream-kinds.ts'
import { SlotLedger } from '../../../app/streams/slots.ts'
import type { AcquireStreamPermit } from '../../../main/api/permit.ts'
import { Redactor } from '../../../main/ports/redactor.ts'
import type { Pins } from '../../../main/streams/pinned-streams.ts'
import { Streams } from '../../../main/streams/streams.ts'
import type { Access } from '../../../main/tokens/keeper.ts'
import { startedTap } from '../api/started-tap.ts'
import { ScriptedHttp } from '../scripted-http.ts'

export const POSITIONS: StreamRequest = { kind: 'positions', target: 'SIM1001', options: {} }
export const DEPTH: StreamRequest = { kind: 'depth', target: 'MSFT', options: {} }
export const SLOTS = JSON.stringify({ Error: 'TooManyRequests', Message: 'Stream quota exceeded' })
export const RATE = JSON.stringify({ Error: 'TooManyRequests', Message: 'Rate quota exceeded' })
const STREAM: HttpHeaders = { 'content-type': 'application/vnd.tradestation.streams.v3+json' }
export const bytes = (text: string) => new TextEncoder().encode(text)

/** The streams of one key in virtual time, with a network that the test controls. */
export function setUp(pins?: Pins, acquirePermit?: AcquireStreamPermit) {
  const { clock, timeline, ledger, events, event, random, tap } = startedTap()
  const http = new ScriptedHttp()
  const slots = new SlotLedger(SLOT_QUOTAS)
  const rejected: string[] = []
  const reached: boolean[] = []
  const state: { access: Access } = { access: { kind: 'token', value: 'a1' } }
  const streams = new Streams({
    baseUrl: 'https://api.test',
    http,
    secrets: new Redactor(),
    clock,
    random,
    timeline,
    tap,
    slots,
    access: async () => state.access,
    usable: () => state.access,
    rejected: async (value) => void rejected.push(value),
    accepted: () => {},
    host: 'api.test',
    reachability: { answered: () => reached.push(true), failed: () => reached.push(false) },
    report: event,
    changed: () => {},
    turns: () => acquirePermit,
    ...(pins && { pins }),
  })
  const summary = () => streams.summaries()[0]!
  const own = (category: string) => slots.view().find((row) => row.category === category)?.own
  const kinds = () => events.map(({ kind }) => kind)
  /** The newest connection, fed with a service's data. */
  const service = {
    opens: (headers: HttpHeaders = STREAM) => http.streams.at(-1)!.listener.opened(200, headers),
    says: (text: string) => http.streams.at(-1)!.listener.chunk(bytes(text)),
    ends: (why = 'connection lost') => http.streams.at(-1)!.listener.ended(why),
    refuses: (status: number, body = '', headers: HttpHeaders = {}) => {
      const { listener } = http.streams.at(-1)!
      listener.opened(status, headers)
      listener.chunk(bytes(body))
      listener.ended('ended by the service')
    },
  }
  const open = async (request = POSITIONS, replace?: string) => {
    const outcome = streams.open(request, replace)
    await clock.advance(0)
    return outcome
  }
  return {
    clock,
    timeline,
    http,
    streams,
    slots,
    events,
    rejected,
    reached,
    state,
    summary,
    own,
    kinds,
    service,
    open,
    ledger,
  }
}

/** The same with one stream whose connection is open. */
export async function openStream(request = POSITIONS) {
  const set = setUp()
  await set.open(request)
  set.service.opens()
  return set
}

/** The same with one stream that has sent its snapshot. */
export async function liveStream() {
  const set = await openStream()
  set.service.says('{"StreamStatus":"EndSnapshot"}\n')
  return set
}
