import { fieldsOf, jsonOf } from '../../app/service/json.ts'
import { isSameSecret } from '../network/random-secret.ts'
import { faultProblem } from './options.ts'
import { GO_AWAY_V2, GO_AWAY_V3 } from './rules/stream-frames.ts'
import type { SimulatedService } from './simulated-service.ts'
import { type Answer, errorAnswer, jsonAnswer, type ServiceRequest } from './wire.ts'

const PREFIX = '/control/'

export const isControl = (request: ServiceRequest): boolean => request.path.startsWith(PREFIX)

type Order = (service: SimulatedService, body: Readonly<Record<string, unknown>>) => Answer

const DONE = jsonAnswer(200, { done: true })
const bad = (message: string): Answer => errorAnswer(400, 'BadRequest', message)

/** The operations on the running simulator for a test or a person. Each is a POST with a JSON body. */
const ORDERS: Readonly<Record<string, Order>> = {
  'expire-access': (service) => {
    service.tokens.expireAccess(service.nowMs())
    return DONE
  },
  'end-sign-ins': (service) => {
    service.tokens.endEverySignIn()
    return DONE
  },
  /** Body: `{"how":"end"|"reset"|"goaway-v2"|"goaway-v3","category"?:…}` */
  'cut-streams': (service, body) => {
    const { how = 'end', category: named } = body
    const category = typeof named === 'string' ? named : undefined
    switch (how) {
      case 'end':
      case 'reset':
        return jsonAnswer(200, { cut: service.cutStreams(how, category) })
      case 'goaway-v2':
        return jsonAnswer(200, { cut: service.cutStreams('end', category, JSON.stringify(GO_AWAY_V2)) })
      case 'goaway-v3':
        return jsonAnswer(200, { cut: service.cutStreams('end', category, JSON.stringify(GO_AWAY_V3)) })
      default:
        return bad('The value of "how" must be end, reset, goaway-v2 or goaway-v3.')
    }
  },
  /**
   * Body: `{"Positions":1.5}`, requests per second by category. Traffic stops in every category that the body
   * omits.
   */
  traffic: (service, body) => {
    const rates: Record<string, number> = {}
    for (const [category, rate] of Object.entries(body)) {
      if (!service.quotas.has(category)) return bad(`${category} is not a category with a request quota`)
      if (typeof rate !== 'number' || !(rate >= 0 && rate <= 1000))
        return bad(`The value of "${category}" must be from 0 to 1000.`)
      rates[category] = rate
    }
    service.setTraffic(rates)
    return DONE
  },
  /** Body: `{"Positions Stream":2}`, the number of slots used by other programs. */
  'slots-elsewhere': (service, body) => {
    for (const [category, slots] of Object.entries(body)) {
      if (service.slots.reading(category) === undefined)
        return bad(`${category} is not a category with slots`)
      if (typeof slots !== 'number' || !Number.isInteger(slots) || slots < 0)
        return bad(`The value of "${category}" must be a whole number, 0 or more.`)
    }
    for (const [category, slots] of Object.entries(body)) service.slots.setElsewhere(category, Number(slots))
    return DONE
  },
  /** Body: `{"name":"goaway-v2","on":true}`. If `on` is a number, the fault occurs this many times. */
  fault: (service, body) => {
    const { name, on } = body
    if (typeof name !== 'string' || faultProblem(name) !== undefined)
      return bad('The value of "name" must be the name of a fault.')
    if (typeof on !== 'boolean' && !(typeof on === 'number' && on >= 0))
      return bad('The value of "on" must be true, false or a number.')
    service.faults.set(name, on)
    return DONE
  },
}

/** Answers a request to the control surface. The surface is off by default and requires its secret. */
export function answerControl(service: SimulatedService, secret: string, request: ServiceRequest): Answer {
  if (!isSameSecret(request.headers['x-simulator-control'] ?? '', secret)) {
    return errorAnswer(403, 'Forbidden', 'X-Simulator-Control is missing or wrong.')
  }
  const name = request.path.slice(PREFIX.length)
  if (request.method === 'GET' && name === 'ledger') {
    return jsonAnswer(200, { requests: service.ledger.entries() })
  }
  if (request.method === 'GET' && name === 'orders') return jsonAnswer(200, ordersOf(service))
  if (request.method === 'GET' && name === 'state') return jsonAnswer(200, stateOf(service))
  const order = Object.hasOwn(ORDERS, name) ? ORDERS[name] : undefined
  if (request.method !== 'POST' || order === undefined) return errorAnswer(404, 'NotFound', 'No such order.')
  const body = request.body === '' ? {} : fieldsOf(jsonOf(request.body))
  return body === undefined ? bad('The body must be a JSON object.') : order(service, body)
}

const ordersOf = ({ orders: { ledger } }: SimulatedService) => ({
  total: ledger.total(),
  arrivals: ledger.arrivals(),
  repeated: ledger.repeated(),
})

function stateOf(service: SimulatedService) {
  const atMs = service.nowMs()
  return {
    at: Math.floor(atMs),
    faults: service.faults.names(),
    requests: service.quotas.categories().map((category) => ({
      category,
      ...service.quotas.reading(category, atMs),
      elsewhere: service.quotas.elsewhere(category, atMs),
    })),
    slots: service.slots.categories().flatMap((category) => {
      const reading = service.slots.reading(category)
      return reading === undefined ? [] : [{ category, ...reading, own: service.slots.own(category) }]
    }),
    streams: service.streams().map(({ id, category, openedAtMs }) => ({ id, category, openedAtMs })),
  }
}
