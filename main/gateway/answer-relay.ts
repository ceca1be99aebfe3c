import type { ServerResponse } from 'node:http'
import type { ForwardAnswer } from '../network/forward-http.ts'
import { valuesOf } from '../network/request-gate.ts'
import type { Clock } from '../ports/ports.ts'
import { isNaming, withoutOwnMembers } from './named-members.ts'
import { GATEWAY_NAME, sendProblem } from './problem.ts'
import { FAILURES } from './refusals.ts'
import type { Begun, TokenRemoval } from './token-removal.ts'

/** Headers that the gateway does not relay: hop-by-hop headers (RFC 9110, section 7.6.1), and cookies. */
const DROPPED: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'set-cookie',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])
/** Maximum number of bytes by which a reader can lag behind the fastest reader of the same response. */
const MAX_BEHIND_BYTES = 8 << 20

/**
 * The headers that the gateway relays to a program. Hop-by-hop headers are left out (`DROPPED`). The access
 * token is removed (`removal`). Entries that name Headroom are removed from lists of proxies. The gateway's
 * own `Via` and `Proxy-Status` are added.
 */
export function passedHeaders(
  { status, rawHeaders }: Pick<ForwardAnswer, 'status' | 'rawHeaders'>,
  removal?: TokenRemoval,
): string[] {
  // No regular expression here: splitting with one takes quadratic time on a long run of spaces.
  const named = valuesOf(rawHeaders, 'connection').flatMap((value) =>
    value.split(',').map((name) => name.trim().toLowerCase()),
  )
  const passed: string[] = []
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] ?? ''
    const lower = name.toLowerCase()
    if (DROPPED.has(lower) || named.includes(lower)) continue
    const came = rawHeaders[i + 1] ?? ''
    const value = isNaming(lower) ? withoutOwnMembers(lower, came) : came
    if (value === undefined) continue
    if (removal?.isIn(lower)) continue
    passed.push(name, removal?.from(value) ?? value)
  }
  passed.push('Via', `1.1 ${GATEWAY_NAME}`, 'Proxy-Status', `${GATEWAY_NAME}; received-status=${status}`)
  return passed
}

/** A caller that receives a response. */
export interface Reader {
  readonly reply: ServerResponse
  /** Whether another caller's request fetched the response. */
  readonly isCoalesced: boolean
}

export interface Relayed {
  readonly answer: ForwardAnswer
  readonly begun?: Begun
  /** Removes the access token of the request from the response. */
  readonly removal: TokenRemoval
  readonly readers: readonly Reader[]
  /** Aborts the upstream request. */
  abort(): void
  /** Called once, when the body has ended or no reader is left. */
  ended(): void
  /** Whether the response is a stream. Only the service or the gateway ends a stream. */
  readonly isEndless: boolean
  readonly clock: Pick<Clock, 'after'>
  /** Called with an exception that relaying threw. Only this response ends. */
  readonly defect: (cause: unknown) => void
}

/** A response that is being relayed to its readers. */
export interface Relay {
  /**
   * Ends a stream as the service does: sends GoAway after the current frame. If the stream has a content
   * encoding, no line can be appended, so the stream is cut off.
   */
  goAway(): void
}

const LF = 0x0a
const CR = 0x0d

/**
 * Relays a response to its readers as it arrives, no faster than the fastest reader.
 *
 * A reader that is far behind the other readers is disconnected. Otherwise it would block the others or fill
 * the memory. If the service cuts off the response, the relay cuts off all readers.
 */
export function relay(relayed: Relayed): Relay {
  const { answer, begun, removal, readers, abort, ended, isEndless, clock, defect } = relayed
  const { body, status } = answer
  const headers = passedHeaders(answer, removal)
  const open = new Set<ServerResponse>()
  const blocked = new Set<ServerResponse>()
  const isChunked = valuesOf(answer.rawHeaders, 'content-length').length === 0
  let isOver = false
  let isGoing = false
  let isWithinFrame = false
  let lineEnd = '\n'
  const finish = () => {
    if (isOver) return
    isOver = true
    ended()
  }
  const contained =
    <T extends unknown[]>(run: (...args: T) => void) =>
    (...args: T): void => {
      try {
        run(...args)
      } catch (cause) {
        defect(cause)
        finish()
        abort()
        for (const { reply } of readers) {
          if (reply.headersSent) reply.destroy()
          else sendProblem(reply, FAILURES.broken)
        }
      }
    }
  const left = (reply: ServerResponse) => {
    open.delete(reply)
    blocked.delete(reply)
    if (isOver) return
    if (open.size === 0) {
      finish()
      abort()
    } else if (blocked.size < open.size) body.resume()
  }
  const leave = () => {
    finish()
    abort()
    for (const reply of open) endStream(reply, `${GO_AWAY}${lineEnd}`, clock)
  }
  const pass = (bytes: Buffer) => {
    if (isOver) return
    const frameEnd = isGoing ? bytes.indexOf(LF) : -1
    const chunk = frameEnd < 0 ? bytes : bytes.subarray(0, frameEnd + 1)
    isWithinFrame = chunk.at(-1) !== LF
    if (!isWithinFrame && chunk.at(-2) === CR) lineEnd = '\r\n'
    for (const reply of open) {
      if (reply.write(chunk)) continue
      blocked.add(reply)
      if (reply.writableLength > MAX_BEHIND_BYTES) reply.destroy()
    }
    if (frameEnd >= 0) leave()
    else if (blocked.size >= open.size) body.pause()
  }
  const goAway = () => {
    if (isOver || isGoing) return
    isGoing = true
    if (valuesOf(answer.rawHeaders, 'content-encoding').length > 0) {
      cut()
      abort()
    } else if (isWithinFrame) body.resume()
    else leave()
  }
  const begin = ({ reply, isCoalesced }: Reader) => {
    if (reply.destroyed) return
    open.add(reply)
    reply.on('close', () => left(reply))
    reply.on('drain', () => {
      blocked.delete(reply)
      body.resume()
    })
    const cache = isCoalesced ? ['Cache-Status', `${GATEWAY_NAME}; hit; detail=coalesced`] : []
    // Keeps Node from adding its own Date or other headers to the service's response.
    reply.sendDate = false
    reply.writeHead(status, [...headers, ...cache])
    // Sends the headers now, because a stream may have no data for a while. If the response's length is
    // known, Node sends the headers together with the body.
    if (isChunked) reply.flushHeaders()
  }
  const cut = () => {
    finish()
    for (const reply of open) reply.destroy()
  }
  const whole = () => {
    finish()
    for (const reply of open) {
      if (isEndless) endStream(reply, undefined, clock)
      else reply.end()
    }
  }
  const start = () => {
    for (const reader of readers) begin(reader)
    if (open.size === 0) {
      finish()
      abort()
      return
    }
    if (begun !== undefined && begun.bytes.length > 0) pass(begun.bytes)
    if (begun?.rest === 'none') return whole()
    // The response was cut off while it was buffered. The readers first get the received part.
    if (begun?.rest === 'cut' || body.destroyed) return void setImmediate(contained(cut))
    body.on('data', contained(pass))
    body.on(
      'end',
      contained(() => (body.complete ? whole() : cut())),
    )
    body.on('error', cut)
    body.on('close', () => {
      if (!isOver) cut()
    })
  }
  contained(start)()
  return { goAway: contained(goAway) }
}

/** Last line of a stream (service 12). The gateway sends the same line when it ends a stream itself. */
export const GO_AWAY = '{"StreamStatus":"GoAway"}'

/** Time in milliseconds within which a reader must read the rest of its stream. */
export const END_STREAM_MS = 10_000

/**
 * Ends a stream's reply, with a last line if given. If the reader does not read the rest within
 * `END_STREAM_MS`, the connection is closed.
 */
export function endStream(
  reply: ServerResponse,
  line: Uint8Array | string | undefined,
  clock: Pick<Clock, 'after'>,
): void {
  if (reply.destroyed || reply.writableEnded) return
  const cancel = clock.after(END_STREAM_MS, () => reply.destroy())
  reply.once('close', cancel)
  reply.end(line)
}
