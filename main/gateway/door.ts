import { type IncomingMessage, type RequestListener, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { maxWaitMsOf } from '../../app/gateway/request-fields.ts'
import { pathOf } from '../../app/service/categories.ts'
import { LOOPBACK_LIMITS, type LoopbackLimits, type LoopbackTraits } from '../network/loopback-servers.ts'
import { isFramedPlainly } from '../network/node-wire.ts'
import type { AdmittedRequest } from './admitted-request.ts'
import { callerGate, destinationOf, READING_POST } from './caller-gate.ts'
import { type AdmittedOrder, MAX_ORDER_BYTES, type OrderLane } from './order-lane.ts'
import type { Connection } from './peer-user.ts'
import {
  denied,
  type Problem,
  problemBody,
  problemHeaders,
  sendJson,
  sendProblem,
  unauthorized,
} from './problem.ts'
import { LOCAL_TOKEN_SECONDS, type Program, type Programs } from './programs.ts'

export interface DoorDeps {
  readonly port: number
  readonly programs: Pick<Programs, 'ofBearer' | 'tokenFor'>
  /** Finds the user who owns the calling process, if the system reports that user. */
  readonly callerOf: (connection: Connection) => Promise<'own' | 'other' | 'gone'>
  /** The scopes of the access token with which a program's requests are sent. */
  readonly scopesOf: (program: Program) => readonly string[]
  /**
   * Called when a request with a valid key has arrived. From then on, its connection is allowed to stay idle.
   */
  readonly keyShown: (request: IncomingMessage) => void
  readonly serve: (request: AdmittedRequest) => void
  /** Whether orders are off for all keys. */
  readonly ordersAreOff: () => boolean
  /** Decides whether a request under the order path may be sent. */
  readonly judgeOrder: OrderLane['judge']
  readonly serveOrder: (order: AdmittedOrder) => void
}

/** Lets a connection idle for over a minute, so that a program that polls each minute stays connected. */
export const GATEWAY_LIMITS: LoopbackLimits = {
  ...LOOPBACK_LIMITS,
  unauthenticatedMs: 10_000,
  idleMs: 75_000,
}

const MAX_BODY_BYTES = 1 << 20
/**
 * Maximum length of a form. A caller can send forms without a key, and parsing their fields takes quadratic
 * time.
 */
const MAX_FORM_BYTES = 16 << 10
const HEALTH = '/headroom/health'
const TOKEN = '/oauth/token'
const REVOKE = '/oauth/revoke'

/**
 * The entrance of the gateway: serves requests of known programs, and declines all others with a reason.
 *
 * Order of checks: Host, Origin, path and size, health, key, the user of the calling process, method. The
 * lookup of the user takes milliseconds, so it comes after the key. A declined request is never sent
 * upstream.
 */
export function door(deps: DoorDeps): (...args: Parameters<RequestListener>) => Promise<void> {
  return async (request, reply) => {
    replies.set(request.socket, reply)
    const { url = '', rawHeaders, method = '' } = request
    const problem = callerGate({ url, rawHeaders }, deps.port)
    if (problem !== undefined) return sendProblem(reply, problem)
    if (pathOf(url) === TOKEN && bodyIsTooLong(request, MAX_FORM_BYTES))
      return sendProblem(reply, FORM_TOO_LONG)
    if (bodyIsTooLong(request, MAX_BODY_BYTES)) {
      const isOrder = destinationOf(pathOf(url)) === 'orders' && !deps.ordersAreOff()
      return sendProblem(reply, isOrder ? ORDER_TOO_LONG : TOO_LONG)
    }
    if (!isFramedPlainly(request.headers)) return sendProblem(reply, CODED_TRANSFER)
    if (!/^100-continue$/i.test(expectationOf(request) ?? '100-continue'))
      return sendProblem(reply, OTHER_EXPECTATION)
    const path = pathOf(url)
    if (path === HEALTH) return answerHealth(reply)
    if (path === TOKEN && method === 'POST') return answerToken(reply, deps)
    if (path === REVOKE)
      return sendProblem(reply, denied(403, "Programs can't revoke tokens. Revoke them in Headroom."))
    if (request.headers.authorization === undefined) return sendProblem(reply, NO_KEY)
    const bearer = bearerOf(request)
    const program = bearer === undefined ? undefined : deps.programs.ofBearer(bearer)
    if (program === undefined) return sendProblem(reply, UNKNOWN_KEY)
    await answerProgram(reply, program, deps)
  }
}

async function answerProgram(reply: ServerResponse, program: Program, deps: DoorDeps): Promise<void> {
  const { url = '', method = '' } = reply.req
  const path = pathOf(url)
  if (!(await mayUseKeys(reply, deps))) return
  const destination = destinationOf(path)
  if (destination === 'orders') return answerOrder(reply, program, deps)
  if (method === 'POST' && path === READING_POST) {
    const body = await bodyOf(reply, MAX_BODY_BYTES, TOO_LONG)
    return body && admit(reply, { program, method, body }, deps)
  }
  if (method !== 'GET' && method !== 'HEAD') return sendProblem(reply, READS_ONLY)
  if (destination === 'too-long') return sendProblem(reply, PATH_TOO_LONG)
  if (destination === 'nowhere') return sendProblem(reply, denied(404, NOWHERE))
  if (hasBody(reply.req)) return sendProblem(reply, denied(400, `Send the ${method} without a body.`))
  admit(reply, { program, method, body: undefined }, deps)
}

/** Answers requests under the order path. The order lane alone decides whether they may be sent. */
async function answerOrder(reply: ServerResponse, program: Program, deps: DoorDeps): Promise<void> {
  const { url = '', method = '' } = reply.req
  const verdict = deps.judgeOrder(method, url, program)
  if (verdict.kind === 'off') return sendProblem(reply, NO_ORDERS)
  if (verdict.kind === 'refused') return sendProblem(reply, verdict.problem)
  const { path } = verdict
  const mayHaveBody = method === 'POST' || method === 'PUT'
  if (!mayHaveBody && hasBody(reply.req))
    return sendProblem(reply, denied(400, `Send the ${method} without a body.`))
  const body = mayHaveBody ? await bodyOf(reply, MAX_ORDER_BYTES, ORDER_TOO_LONG) : undefined
  if (mayHaveBody && body === undefined) return
  if (path.kind === 'read')
    return admit(reply, { program, method: method === 'GET' ? method : 'POST', body, isAlone: true }, deps)
  deps.serveOrder({
    ...partsOf(reply, { program, body }),
    method: method as AdmittedOrder['method'],
    order: path,
  })
}

/** Whether a request with a valid key comes from a process of this user. If not, sends the error. */
async function mayUseKeys(reply: ServerResponse, { keyShown, callerOf }: DoorDeps): Promise<boolean> {
  keyShown(reply.req)
  const caller = await callerOf(reply.req.socket)
  if (caller !== 'own') sendProblem(reply, caller === 'other' ? OTHER_USER : NO_USER)
  return caller === 'own' && !reply.destroyed
}

/**
 * How long the rest of an unreadable request is read, in milliseconds. The system resets a connection that
 * closes with unread data, and the response might then be lost.
 */
const LINGER_MS = 2_000
const answered = new WeakSet<Duplex>()
/** The reply to the latest readable request, by connection. */
const replies = new WeakMap<Duplex, ServerResponse>()

/**
 * Answers a request that can't be parsed or stays incomplete, and closes the connection. Earlier requests of
 * the connection are answered first.
 */
function malformed(error: NodeJS.ErrnoException, socket: Duplex): void {
  // Node may report several errors of the same request. Only the first one is answered.
  if (answered.has(socket)) return
  answered.add(socket)
  const problem = UNREADABLE[error.code ?? ''] ?? NO_HTTP
  const before = replies.get(socket)
  // If the latest readable request still lacks a part of its body, the invalid data is in that body. That
  // request then gets the error.
  if (before?.req.complete === false && !before.headersSent) sendProblem(before, problem)
  else if (before === undefined || before.writableFinished) endWith(socket, problem)
  else before.once('finish', () => endWith(socket, problem))
}

function endWith(socket: Duplex, problem: Problem): void {
  if (!socket.writable) {
    socket.destroy()
    return
  }
  const body = problemBody(problem)
  const headers = Object.entries({ ...problemHeaders(problem, body), connection: 'close' })
  const head = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  socket.end(`HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}\r\n${head}\r\n${body}`)
  setTimeout(() => socket.destroy(), LINGER_MS).unref()
}

/** Settings of the gateway's server. `door` handles its requests. */
export const GATEWAY_TRAITS: LoopbackTraits = { limits: GATEWAY_LIMITS, malformed, judgesExpect: true }

type Admission = Pick<AdmittedRequest, 'program' | 'method' | 'body' | 'isAlone'>

function admit(reply: ServerResponse, admission: Admission, { serve }: DoorDeps): void {
  const maxWaitMs = maxWaitMsOf(textOf(reply.req.headers['prefer']))
  serve({ ...partsOf(reply, admission), ...admission, maxWaitMs })
}

/** The parts of a request that are forwarded, apart from the method. */
function partsOf(reply: ServerResponse, { program, body }: Pick<Admission, 'program' | 'body'>) {
  const { url = '/', headers } = reply.req
  return {
    program,
    body,
    pathAndQuery: url,
    accept: headers.accept,
    acceptEncoding: textOf(headers['accept-encoding']),
    contentType: body === undefined ? undefined : headers['content-type'],
    contentEncoding: body === undefined ? undefined : headers['content-encoding'],
    reply,
  }
}

/** The token endpoint for programs (service 4.1). A program's key acts as its refresh token. */
async function answerToken(reply: ServerResponse, deps: DoorDeps): Promise<void> {
  const { programs, scopesOf } = deps
  const body = await bodyOf(reply, MAX_FORM_BYTES, FORM_TOO_LONG)
  if (body === undefined) return
  const form = new URLSearchParams(body.toString('utf8'))
  if (form.get('grant_type') !== 'refresh_token')
    return sendJson(reply, 400, {
      error: 'unsupported_grant_type',
      error_description: "Send grant_type=refresh_token, with the program's key as refresh_token.",
    })
  const key = form.get('refresh_token') ?? ''
  const isKnown = programs.ofBearer(key) !== undefined
  if (isKnown && !(await mayUseKeys(reply, deps))) return
  const issued = programs.tokenFor(key)
  if (issued === undefined)
    return sendJson(reply, 400, { error: 'invalid_grant', error_description: 'No program has this key.' })
  sendJson(reply, 200, {
    access_token: issued.token,
    expires_in: LOCAL_TOKEN_SECONDS,
    token_type: 'Bearer',
    scope: scopesOf(issued.program).join(' '),
  })
}

function answerHealth(reply: ServerResponse): void {
  const isRead = reply.req.method === 'GET' || reply.req.method === 'HEAD'
  // Closes the connection. Without a key, it would be closed after ten seconds anyway.
  reply.setHeader('connection', 'close')
  if (isRead) sendJson(reply, 200, { status: 'ok' })
  else sendProblem(reply, denied(403, 'Send the health check as GET.'))
}

/** The bearer token of a request. `undefined` unless there is exactly one. */
function bearerOf({ rawHeaders, headers: { authorization = '' } }: IncomingMessage): string | undefined {
  const names = rawHeaders.filter((name, i) => i % 2 === 0 && name.toLowerCase() === 'authorization')
  if (names.length !== 1) return undefined
  return /^bearer +([\w.~+/=-]{1,512}) *$/i.exec(authorization)?.[1]
}

const textOf = (value: string | readonly string[] | undefined): string | undefined =>
  typeof value === 'object' ? value.join(', ') : value

/** The `Expect` header of a request. HTTP/1.0 has none (RFC 9110, section 10.1.1). */
const expectationOf = ({ httpVersion, headers: { expect } }: IncomingMessage): string | undefined =>
  httpVersion === '1.1' ? expect : undefined

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

const bodyIsTooLong = ({ headers }: IncomingMessage, maxBytes: number): boolean =>
  Number(headers['content-length'] ?? 0) > maxBytes

/**
 * The body of a request. Sends 100 Continue if the caller expects it. `undefined` if the body exceeds
 * `maxBytes`, which is answered with `tooLong`, or if the caller disconnected.
 */
async function bodyOf(
  reply: ServerResponse,
  maxBytes: number,
  tooLong: Problem,
): Promise<Buffer | undefined> {
  const body = bodyIsTooLong(reply.req, maxBytes) ? 'too-long' : await readBody(reply, maxBytes)
  if (body === 'too-long') sendProblem(reply, tooLong)
  return typeof body === 'string' ? undefined : body
}

function readBody(reply: ServerResponse, maxBytes: number): Promise<Buffer | 'too-long' | 'gone'> {
  const request = reply.req
  if (expectationOf(request) !== undefined) reply.writeContinue()
  return new Promise((resolve) => {
    const parts: Buffer[] = []
    let bytes = 0
    request.on('data', (part: Buffer) => {
      bytes += part.length
      if (bytes > maxBytes) {
        request.pause()
        resolve('too-long')
      } else parts.push(part)
    })
    request.on('end', () => resolve(Buffer.concat(parts)))
    request.on('error', () => resolve('gone'))
    request.on('close', () => resolve('gone'))
  })
}

const NO_HTTP = denied(400, "Can't parse this request. Send valid HTTP/1.1.")
/** The problem for each Node error code. */
const UNREADABLE: Readonly<Record<string, Problem>> = {
  HPE_HEADER_OVERFLOW: denied(431, 'The address and headers are over 16 KiB. Send shorter ones.'),
  ERR_HTTP_REQUEST_TIMEOUT: denied(408, 'The request timed out before it was complete. Send it again.'),
}
const CODED_TRANSFER = denied(
  400,
  'Send the body with Content-Length, or with only chunked as Transfer-Encoding.',
)
const OTHER_EXPECTATION = denied(417, 'Send no Expect header other than 100-continue.')

const TOO_LONG = denied(400, 'The body is over 1 MiB. Send a shorter one.')
const PATH_TOO_LONG = denied(414, 'The path is over 8 KiB. Send a shorter one.')
const FORM_TOO_LONG = denied(413, 'The form is over 16 KiB. Send a shorter one.')
const ORDER_TOO_LONG = denied(413, 'The order is over 64 KiB. Send a shorter one.')
const NO_ORDERS = denied(
  403,
  'Headroom forwards reads, but not orders. To allow orders, run headroom orders allow.',
)
const READS_ONLY = denied(403, 'Headroom forwards only GET and HEAD on this path.')
const OTHER_USER = denied(403, 'Only programs of the user who runs Headroom may call the gateway.')
const NO_USER = denied(403, "Couldn't identify the calling user. Reconnect.")
const NOWHERE = 'Call a path under /v3/ or /v2/stream/.'
const NO_KEY = unauthorized("Send the program's key: Authorization: Bearer KEY.")
const UNKNOWN_KEY = unauthorized('Unknown program key, or expired token.')
