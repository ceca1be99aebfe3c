import { closeSync, openSync, readSync } from 'node:fs'

/** The ends of a connection on loopback, as its server sees them. */
export interface Connection {
  readonly remoteAddress?: string | undefined
  readonly remotePort?: number | undefined
  readonly localPort?: number | undefined
}

/** Linux's tables of TCP sockets, with the address of this machine in each: bytes of a word in reverse, in hex. */
const TABLES = {
  '127.0.0.1': { file: '/proc/net/tcp', address: '0100007F' },
  '::1': { file: '/proc/net/tcp6', address: '00000000000000000000000001000000' },
} as const

/** Longer than a row. */
const ROW_BYTES = 256
const CHUNK_BYTES = 64 << 10

/**
 * The part of a table that has the row with this text. The system writes a table while it is read, which takes milliseconds where
 * there are hundreds of sockets, so it is read no further than to that row.
 */
function readUntil(file: string, wanted: string): string {
  const table = openSync(file, 'r')
  try {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES)
    let text = ''
    for (let length = readSync(table, chunk); length > 0; length = readSync(table, chunk)) {
      text = `${text.slice(-ROW_BYTES)}${chunk.toString('latin1', 0, length)}`
      const at = text.indexOf(wanted)
      if (at >= 0 && text.includes('\n', at)) break
    }
    return text
  } finally {
    closeSync(table)
  }
}

/** The socket at the other end of a connection. */
export interface PeerSocket {
  /** The id of the user whose process made the connection. */
  readonly userId: number
  /** Its number in `/proc/PID/fd`. */
  readonly inode: string
}

/** The other end of a connection to this machine; `undefined` where the system does not tell, as anywhere but on Linux. */
export function peerSocket(
  { remoteAddress = '', remotePort, localPort }: Connection,
  read: (file: string, wanted: string) => string = readUntil,
): PeerSocket | undefined {
  const table = Object.entries(TABLES).find(([address]) => address === remoteAddress)?.[1]
  if (table === undefined || remotePort === undefined || localPort === undefined) return undefined
  const end = (port: number) => `${table.address}:${port.toString(16).toUpperCase().padStart(4, '0')}`
  const wanted = ` ${end(remotePort)} ${end(localPort)} `
  let text: string
  try {
    text = read(table.file, wanted)
  } catch {
    return undefined
  }
  const at = text.indexOf(wanted)
  if (at < 0) return undefined
  // Local, remote, state, queues, timer, retransmits, uid, timeout, inode.
  const fields = text.slice(at, text.indexOf('\n', at)).trim().split(/\s+/)
  const userId = Number(fields[6])
  return Number.isInteger(userId) ? { userId, inode: fields[8] ?? '' } : undefined
}

/** Whether a connection is of this user, or of root, who may read everything anyway; true where that is not known. */
export function isOwnUser(peer: number | undefined, ownUserId: number | undefined): boolean {
  return peer === undefined || ownUserId === undefined || peer === ownUserId || peer === 0
}
