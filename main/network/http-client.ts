import type http from 'node:http'
import type { Http, HttpOutcome, HttpRequest, HttpStreamListener } from '../ports/ports.ts'
import { type HttpRoutes, httpRoutes } from './http-agents.ts'
import { CONNECTION_LOST, headersOf, nodeWire, type WireRequest, wordsOf } from './node-wire.ts'

const MAX_ANSWER_BYTES = 8 << 20
/**
 * Maximum size of a response on the wire: `maxBytes`, plus `maxFactor` times the size of its body. Each chunk
 * of a body has its own header. One-byte chunks take six times the size of the body, so only a small body can
 * arrive in this way.
 */
const FRAMING = { maxBytes: 256 << 10, maxFactor: 4 } as const
const MIN_BUFFER_BYTES = 16 << 10
/**
 * Maximum number of bytes that are read from a stream before other connections are served. Without this
 * maximum, libuv would read 2 MB.
 */
const MAX_TURN_BYTES = 64 << 10

/** The reason reported when a body ends because it is complete. */
export const ENDED_BY_SERVICE = 'ended by the service'

/**
 * `Http` with one connection per request. Proxies come from the environment, see `httpRoutes`.
 *
 * If a reused connection failed during a refresh, it would be unknown whether the service rotated the token.
 * New connections are cheap enough for a few checks a minute.
 */
export function nodeHttp(environment: NodeJS.ProcessEnv, routes: HttpRoutes = httpRoutes(environment)): Http {
  const wire = nodeWire(routes)
  return {
    send: (request) =>
      new Promise<HttpOutcome>((resolve) => {
        const finish = (outcome: HttpOutcome) => {
          abort()
          resolve(outcome)
        }
        const failed = (why: string) => finish({ kind: 'unknown', why })
        // `nodeHttp` does not decode codings. Without this field, any coding is allowed (RFC 9110, section
        // 12.5.3).
        const headers = { 'accept-encoding': 'identity', ...request.headers }
        const abort = wire.send(
          { ...wired({ ...request, headers }), isWholeInTime: true },
          {
            answered: (answer) => readWhole(answer, { whole: finish, failed }),
            failed: (how, why) => finish({ kind: how === 'not-sent' ? how : 'unknown', why }),
          },
        )
      }),

    reach: (url, timeoutMs) => wire.reach(url, timeoutMs),

    open: (request, listener) => {
      let isOver = false
      const end: HttpStreamListener['ended'] = (why, how) => {
        if (isOver) return
        close()
        listener.ended(why, how)
      }
      const abort = wire.send(wired(request), {
        answered: (answer) => {
          listener.opened(answer.statusCode ?? 0, headersOf(answer))
          let turnBytes = 0
          answer.on('data', (part: Buffer) => {
            if (!isOver) listener.chunk(part)
            turnBytes += part.length
            if (turnBytes < MAX_TURN_BYTES || answer.isPaused()) return
            answer.pause()
            setImmediate(() => {
              turnBytes = 0
              answer.resume()
            })
          })
          answer.on('end', () => end(answer.complete ? ENDED_BY_SERVICE : CONNECTION_LOST))
          answer.on('error', (error) => end(wordsOf(error)))
          answer.on('close', () => end(CONNECTION_LOST))
        },
        failed: (how, why) => end(why, how === 'broken' ? 'broken-head' : undefined),
      })
      const close = () => {
        isOver = true
        abort()
      }
      return close
    },
  }
}

function wired({ url, ...request }: HttpRequest): WireRequest {
  const { origin, pathname = '', search = '' } = URL.parse(url) ?? { origin: url }
  return { ...request, origin, pathAndQuery: `${pathname}${search}` }
}

interface WholeListener {
  whole(outcome: HttpOutcome): void
  failed(why: string): void
}

function readWhole(answer: http.IncomingMessage, { whole, failed }: WholeListener): void {
  const body = new GrowingBuffer()
  answer.on('data', (part: Buffer) => {
    const isTooLong = body.bytes + part.length > MAX_ANSWER_BYTES
    const mayBeRead = FRAMING.maxBytes + FRAMING.maxFactor * body.bytes
    if (isTooLong || answer.socket.bytesRead > mayBeRead + part.length) failed('the response is too long')
    else body.add(part)
  })
  answer.on('end', () => {
    const status = answer.statusCode ?? 0
    if (!answer.complete) failed('the response was cut off')
    else whole({ kind: 'answer', status, headers: headersOf(answer), body: body.text() })
  })
  answer.on('error', (error) => failed(wordsOf(error)))
  answer.on('close', () => failed('the response was cut off'))
}

/** A growing contiguous buffer. A list of small parts would cost a hundred bytes per part. */
class GrowingBuffer {
  #buffer = Buffer.alloc(0)
  #bytes = 0

  get bytes(): number {
    return this.#bytes
  }

  add(part: Buffer): void {
    const needed = this.#bytes + part.length
    if (needed > this.#buffer.length) {
      const grown = Buffer.allocUnsafe(Math.max(needed, 2 * this.#buffer.length, MIN_BUFFER_BYTES))
      this.#buffer.copy(grown, 0, 0, this.#bytes)
      this.#buffer = grown
    }
    part.copy(this.#buffer, this.#bytes)
    this.#bytes = needed
  }

  text(): string {
    return this.#buffer.toString('utf8', 0, this.#bytes)
  }
}
