import { closeSync, openSync, readSync } from 'node:fs'
import { endianness } from 'node:os'

/** The ends of a connection on loopback, as its server sees them. */
export interface Connection {
  readonly remoteAddress?: string | undefined
  readonly remotePort?: number | undefined
  readonly localPort?: number | undefined
}

/** Linux's tables of TCP sockets, by the family of the socket that called. */
const TABLES = { four: '/proc/net/tcp', six: '/proc/net/tcp6' } as const
/** The server's own address in each: it listens on no other. */
const OWN = { four: '127.0.0.1', six: '::1' } as const
/** An IPv4 address as a socket of IPv6 has it. */
const MAPPED = '::ffff:'

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

/**
 * What the system tells of the other end of a connection. `gone`: there is no such socket, or it belongs to no process any more,
 * as after its caller has closed it. `untold`: the system has no such table, or lets it not be read, as anywhere but on Linux.
 */
export type Peer = PeerSocket | 'gone' | 'untold'

/** A table is not read at one moment, so that a row may be passed over while others come and go. */
const TRIES = 3

/**
 * The socket at the other end of a connection to this machine, whatever local address it was bound to. A socket of IPv6 that called
 * an address of IPv4 stands in the table of IPv6.
 */
export function peerSocket(
  { remoteAddress = '', remotePort, localPort }: Connection,
  read: (file: string, wanted: string) => string = readUntil,
): Peer {
  if (remotePort === undefined || localPort === undefined) return 'gone'
  const ends = (address: string, own: string): string =>
    ` ${hexOf(address)}:${portHex(remotePort)} ${hexOf(own)}:${portHex(localPort)} `
  const places = remoteAddress.includes(':')
    ? [{ file: TABLES.six, wanted: ends(remoteAddress, OWN.six) }]
    : [
        { file: TABLES.four, wanted: ends(remoteAddress, OWN.four) },
        { file: TABLES.six, wanted: ends(`${MAPPED}${remoteAddress}`, `${MAPPED}${OWN.four}`) },
      ]
  let areTold = false
  for (let tried = 0; tried < TRIES; tried += 1) {
    for (const { file, wanted } of places) {
      const text = tableOf(file, wanted, read)
      if (text === undefined) continue
      areTold = true
      const found = socketIn(text, wanted)
      if (found !== undefined) return found
    }
    if (!areTold) return 'untold'
  }
  return 'gone'
}

const MEANS_UNTOLD = new Set<unknown>(['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM'])

/** `undefined` where this system does not let it be read; empty where it cannot be read now. */
function tableOf(
  file: string,
  wanted: string,
  read: (file: string, wanted: string) => string,
): string | undefined {
  try {
    return read(file, wanted)
  } catch (error) {
    return MEANS_UNTOLD.has((error as NodeJS.ErrnoException).code) ? undefined : ''
  }
}

/** The socket of a row. One that no process holds any more has neither inode nor user: the table says 0 of both. */
function socketIn(text: string, wanted: string): PeerSocket | undefined {
  const at = text.indexOf(wanted)
  if (at < 0) return undefined
  // Local, remote, state, queues, timer, retransmits, uid, timeout, inode.
  const [, , , , , , uid, , inode = '0'] = text.slice(at, text.indexOf('\n', at)).trim().split(/\s+/)
  const userId = Number(uid)
  return Number.isInteger(userId) && inode !== '0' ? { userId, inode } : undefined
}

const portHex = (port: number): string => port.toString(16).toUpperCase().padStart(4, '0')

/** An address as the tables write it: words of four bytes, each as a number of this machine, in hex. */
function hexOf(address: string): string {
  const bytes = bytesOf(address)
  const words = Array.from({ length: bytes.length / 4 }, (_, i) => bytes.slice(4 * i, 4 * i + 4))
  const ordered = endianness() === 'LE' ? words.map((word) => word.toReversed()) : words
  return ordered
    .flat()
    .map((byte) => byte.toString(16).toUpperCase().padStart(2, '0'))
    .join('')
}

function bytesOf(address: string): readonly number[] {
  if (!address.includes(':')) return address.split('.').map(Number)
  const [head = '', tail] = (address.split('%')[0] ?? '').split('::')
  const groups = (text: string): readonly number[] =>
    text === ''
      ? []
      : text.split(':').flatMap((group) => {
          if (group.includes('.')) return bytesOf(group)
          const value = Number.parseInt(group, 16)
          return [value >> 8, value & 0xff]
        })
  const [before, after] = [groups(head), tail === undefined ? [] : groups(tail)]
  return [...before, ...Array<number>(Math.max(0, 16 - before.length - after.length)).fill(0), ...after]
}

/** Whose connection it is: of this user, or of root, who may read everything anyway; `own` where the system does not tell. */
export function callerOf(peer: Peer, ownUserId: number | undefined): 'own' | 'other' | 'gone' {
  if (peer === 'untold' || ownUserId === undefined) return 'own'
  if (peer === 'gone') return 'gone'
  return peer.userId === ownUserId || peer.userId === 0 ? 'own' : 'other'
}
