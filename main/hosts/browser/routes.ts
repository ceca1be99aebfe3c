import type { Socket } from 'node:net'
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { z } from 'zod'
import { contract } from '../../../app/contract/contract.ts'
import { pathOf } from '../../../app/service/categories.ts'
import { HEALTH_PATH } from '../../network/loopback-servers.ts'
import { isApi } from '../../network/request-gate.ts'
import { securityHeaders } from '../../network/security-headers.ts'
import type { Log, RandomBytes } from '../../ports/ports.ts'
import { answerCommand } from '../answer-command.ts'
import { isWindowPage, PAGE_CONTENT_TYPE, type WindowFiles } from '../window-files.ts'
import type { Admission } from './admission.ts'
import type { BrowserWindow, BrowserWindows } from './browser-windows.ts'

export interface RoutesDeps {
  readonly files: WindowFiles
  readonly admission: Admission
  readonly windows: BrowserWindows
  readonly randomBytes: RandomBytes
  readonly log: Log
  /** Called after a code was used. The caller can then print the new code. */
  readonly codeUsed: () => void
  /** Called with the connection of each request that has a valid bearer. */
  readonly admittedOn: (socket: Socket) => void
}

const MAX_BODY_BYTES = 64 * 1024
const sessionBody = z.object({ code: z.string() })
const JSON_TYPE = /^application\/json(?:; ?charset=utf-8)?$/i
const BEARER = /^Bearer ([\w-]{16,128})$/

/** The routes of the browser host, for requests that `gate` has accepted. */
export function routes(deps: RoutesDeps): FastifyInstance {
  const app = fastify({ logger: false, bodyLimit: MAX_BODY_BYTES, exposeHeadRoutes: false })
  const admitted = new WeakMap<FastifyRequest, BrowserWindow>()
  const windowOf = (request: FastifyRequest): BrowserWindow => {
    const window = admitted.get(request)
    if (window === undefined) throw new Error('a route of the API ran without its bearer')
    return window
  }

  // Accepts only JSON: another site's form could send text/plain without a CORS preflight.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'string', bodyLimit: MAX_BODY_BYTES },
    app.getDefaultJsonParser('error', 'error'),
  )

  // Runs before the body is read, so an unauthorised request's body is never read.
  app.addHook('onRequest', async (request, reply) => {
    if (!isApi(request.url)) return
    reply.header('cache-control', 'no-store')
    if (request.url !== '/api/session') {
      const window = bearerWindow(request, deps.windows)
      if (window === undefined)
        // Closes the connection, so that the rest of the request is not read.
        return refuse(reply.header('connection', 'close'), 401, "this run's bearer token is missing")
      admitted.set(request, window)
      deps.admittedOn(request.raw.socket)
    }
    if (request.method === 'POST' && !JSON_TYPE.test(request.headers['content-type'] ?? ''))
      return refuse(reply.header('connection', 'close'), 415, 'the content type must be application/json')
  })

  app.post('/api/session', (request, reply) => {
    const { data: body } = sessionBody.safeParse(request.body)
    if (body === undefined) return refuse(reply, 400, 'session: code must be a string')
    const verdict = deps.admission.offer(body.code)
    switch (verdict.kind) {
      case 'refused':
        return refuse(reply, 401, 'invalid or used code; the terminal shows a new one')
      case 'too-many':
        reply.header('retry-after', String(verdict.retryAfterSeconds))
        return refuse(reply, 429, 'too many wrong codes; wait a minute')
      case 'admitted': {
        deps.codeUsed()
        const bearer = deps.windows.admit()
        return bearer === undefined
          ? refuse(reply, 503, 'too many windows are open; close one')
          : reply.send({ bearer })
      }
    }
  })

  app.post<{ Params: { name: string } }>('/api/command/:name', async (request, reply) => {
    const { name } = request.params
    const { handlers } = windowOf(request).session()
    const answer = await answerCommand(contract, handlers, name, request.body)
    switch (answer.kind) {
      case 'value':
        return reply.send({ value: answer.value ?? null })
      case 'unknown-command':
        return refuse(reply, 404, 'no such command')
      case 'bad-argument':
        return refuse(reply, 400, answer.error)
      case 'failed':
        deps.log.note('a command of a window failed', { command: name, cause: answer.cause })
        return refuse(reply, 500, answer.error)
    }
  })

  app.get('/api/pushes', (request, reply) => {
    // The window is looked up before `hijack`, because the framework reports no errors afterwards.
    const window = windowOf(request)
    reply.hijack()
    reply.raw.writeHead(200, { 'content-type': 'application/x-ndjson', 'cache-control': 'no-store' })
    window.stream(reply.raw)
  })

  // A health check for containers and supervisors, without a bearer.
  app.get(HEALTH_PATH, (_request, reply) =>
    reply.header('cache-control', 'no-store').type('text/plain; charset=utf-8').send('ok\n'),
  )

  app.route({
    method: ['GET', 'HEAD'],
    url: '/*',
    handler: (request, reply) => {
      const path = pathOf(request.url)
      if (isWindowPage(path)) return sendPage(reply, deps)
      const file = isApi(path) ? undefined : deps.files.find(path)
      if (file === undefined) return refuse(reply, 404, 'not found')
      return reply.header('cache-control', file.cacheControl).type(file.contentType).send(file.bytes)
    },
  })

  app.setNotFoundHandler((_request, reply) => refuse(reply, 404, 'not found'))
  app.setErrorHandler((error: { readonly statusCode?: number }, _request, reply) => {
    const status = error.statusCode ?? 500
    if (status >= 500) deps.log.note('a request of a window failed', { cause: error })
    return refuse(reply, status, complaint(status))
  })
  return app
}

function bearerWindow(request: FastifyRequest, windows: BrowserWindows): BrowserWindow | undefined {
  const [, bearer] = BEARER.exec(request.headers.authorization ?? '') ?? []
  return bearer === undefined ? undefined : windows.find(bearer)
}

/** Sends the page with a new nonce. Only the page has a nonce. */
function sendPage(reply: FastifyReply, { files, randomBytes }: RoutesDeps): FastifyReply {
  const { html, nonce } = files.page(randomBytes)
  return reply
    .headers({ ...securityHeaders({ connectSrc: "'self'", nonce }), 'cache-control': 'no-store' })
    .type(PAGE_CONTENT_TYPE)
    .send(html)
}

const refuse = (reply: FastifyReply, status: number, error: string): FastifyReply =>
  reply.code(status).header('cache-control', 'no-store').send({ error })

/** Fixed error lines, because a parser's own message may quote its input. */
function complaint(status: number): string {
  switch (status) {
    case 400:
      return 'the request is not valid JSON'
    case 413:
      return 'the request is larger than 64 kB'
    case 415:
      return 'the content type must be application/json'
    default:
      return 'the request failed'
  }
}
