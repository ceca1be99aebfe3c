import type { TLSSocket } from 'node:tls'

/**
 * Maximum number of extra bytes that count as `close_notify`. An alert record has 23 to 85 bytes, depending
 * on the cipher. If there are more bytes, another record was cut off.
 */
const MAX_ALERT_BYTES = 96

/** The number of encrypted bytes that a connection has received. Node has no public API for it. */
interface Counted {
  readonly _handle?: { readonly _parent?: { readonly bytesRead?: number } } | null
}
const receivedBytes = (socket: TLSSocket): number | undefined =>
  (socket as unknown as Counted)._handle?._parent?.bytesRead

const cutShort = new WeakSet<TLSSocket>()
const watched = new WeakSet<TLSSocket>()

/**
 * Whether a TLS connection ended without `close_notify` (RFC 8446, section 6.1). A body that ends with the
 * connection may be incomplete. Known only for connections that were watched from their first byte on.
 */
export const endedWithoutNotice = (socket: TLSSocket): boolean => cutShort.has(socket)

/**
 * Detects whether a TLS connection ends with `close_notify` or is cut off. Node reports both endings alike,
 * so `close_notify` is recognised by its size.
 *
 * The alert arrives in a separate read, or together with the last data. If it arrives with data, Node reports
 * the end in the same turn of the event loop as the data.
 */
export function watchTlsEnd(socket: TLSSocket): void {
  if (watched.has(socket)) return
  watched.add(socket)
  const push = socket.push.bind(socket)
  let atLastData = 0
  let isSameTurn = false
  socket.push = (chunk: unknown, encoding?: BufferEncoding) => {
    const received = receivedBytes(socket)
    if (chunk !== null) {
      atLastData = received ?? 0
      isSameTurn = true
      setImmediate(() => {
        isSameTurn = false
      })
    } else if (received !== undefined && !isSameTurn) {
      const excess = received - atLastData
      if (excess === 0 || excess > MAX_ALERT_BYTES) cutShort.add(socket)
    }
    return push(chunk, encoding)
  }
}
