import { createReadStream } from 'node:fs'
import { endianness } from 'node:os'
import { systemErrorCode } from '../storage/system-error.ts'

/** The two ends of a loopback connection, as seen by its server. */
export interface Connection {
  readonly remoteAddress?: string | undefined
  readonly remotePort?: number | undefined
  readonly localPort?: number | undefined
}

/** Linux's tables of TCP sockets, by the caller's address family. */
const TABLES = { four: '/proc/net/tcp', six: '/proc/net/tcp6' } as const
/** The server's own address in each table. It listens only on these addresses. */
const OWN = { four: '127.0.0.1', six: '::1' } as const
/** Prefix of an IPv4 address on an IPv6 socket. */
const MAPPED = '::ffff:'

const CHUNK_BYTES = 64 << 10

/** Yields a system table in chunks. */
export type ReadTable = (file: string) => AsyncIterable<string>

/**
 * Reads a table on another thread, because the system needs milliseconds to generate the table.
 */
const readTable: ReadTable = (file) =>
  createReadStream(file, { encoding: 'latin1', highWaterMark: CHUNK_BYTES })

/** The socket at the calling end of a connection. */
export interface PeerSocket {
  /** The user id of the process that opened the connection. */
  readonly userId: number
  /** The socket's number in `/proc/PID/fd`. */
  readonly inode: string
}

/**
 * The system's report about the calling end of a connection.
 * - `gone`: there is no such socket, or no process owns it any more, for example after the caller closed it.
 * - `unknown`: the system has no readable table. Only Linux has one.
 */
export type Peer = PeerSocket | 'gone' | 'unknown'

/** Maximum reads of a table for one lookup. A read can miss a row if other rows change during the read. */
const TRIES = 3

const MEANS_UNKNOWN = new Set<unknown>(['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM'])

type Ends = Readonly<Partial<Record<keyof typeof TABLES, string>>>

interface Lookup {
  /**
   * Local and remote address of the calling end, in the format of each table that might list the connection.
   */
  readonly ends: Ends
  readonly resolve: (peer: Peer) => void
  /** Whether a table could be read. */
  isReadable: boolean
}

/**
 * Finds the sockets at the calling ends of connections to this machine.
 *
 * One read of a table serves all lookups that were requested before it began.
 */
export class PeerSockets {
  readonly #read: ReadTable
  #waiting: Lookup[] = []
  #isReading = false

  constructor(read: ReadTable = readTable) {
    this.#read = read
  }

  /** The socket at the other end of an open connection. Never rejects. */
  of(connection: Connection): Promise<Peer> {
    const ends = endsOf(connection)
    if (ends === undefined) return Promise.resolve('gone')
    return new Promise((resolve) => {
      this.#waiting.push({ ends, resolve, isReadable: false })
      if (!this.#isReading) void this.#readForAll()
    })
  }

  async #readForAll(): Promise<void> {
    this.#isReading = true
    while (this.#waiting.length > 0) await this.#find(this.#waiting.splice(0))
    this.#isReading = false
  }

  async #find(lookups: readonly Lookup[]): Promise<void> {
    let open = lookups
    for (let tried = 0; tried < TRIES && open.length > 0; tried += 1) {
      for (const family of ['four', 'six'] as const) open = await this.#lookIn(family, open)
      for (const { isReadable, resolve } of open) if (!isReadable) resolve('unknown')
      open = open.filter(({ isReadable }) => isReadable)
    }
    for (const { resolve } of open) resolve('gone')
  }

  /** Resolves the lookups whose sockets are in the table. Returns the unresolved lookups. */
  async #lookIn(family: keyof typeof TABLES, open: readonly Lookup[]): Promise<readonly Lookup[]> {
    const wanted = new Set(open.flatMap(({ ends }) => ends[family] ?? []))
    if (wanted.size === 0) return open
    const found = await socketsIn(this.#read(TABLES[family]), wanted)
    if (found === undefined) return open
    return open.filter((lookup) => {
      const ends = lookup.ends[family]
      if (ends === undefined) return true
      lookup.isReadable = true
      const socket = found.get(ends)
      if (socket !== undefined) lookup.resolve(socket)
      return socket === undefined
    })
  }
}

/**
 * Both ends of a connection, in the format of each table. An IPv6 socket that called an IPv4 address is in
 * the IPv6 table.
 */
function endsOf({ remoteAddress = '', remotePort, localPort }: Connection): Ends | undefined {
  if (remotePort === undefined || localPort === undefined) return undefined
  const ends = (address: string, own: string): string =>
    `${hexOf(address)}:${portHex(remotePort)} ${hexOf(own)}:${portHex(localPort)}`
  return remoteAddress.includes(':')
    ? { six: ends(remoteAddress, OWN.six) }
    : {
        four: ends(remoteAddress, OWN.four),
        six: ends(`${MAPPED}${remoteAddress}`, `${MAPPED}${OWN.four}`),
      }
}

/**
 * Finds the sockets whose addresses are in `wanted`. Stops reading once all are found. `undefined` if the
 * system denies access to the table. If reading fails midway, the result is partial.
 */
async function socketsIn(
  table: AsyncIterable<string>,
  wanted: ReadonlySet<string>,
): Promise<ReadonlyMap<string, PeerSocket> | undefined> {
  const missing = new Set(wanted)
  const found = new Map<string, PeerSocket>()
  let rest = ''
  try {
    for await (const part of table) {
      const rows = `${rest}${part}`.split('\n')
      rest = rows.pop() ?? ''
      for (const row of rows) {
        // Columns: number, local, remote, state, queues, timer, retransmits, uid, timeout, inode.
        const [, local, remote, , , , , uid, , inode = '0'] = row.trim().split(/\s+/, 10)
        const ends = `${local} ${remote}`
        if (!missing.delete(ends)) continue
        const userId = Number(uid)
        // A socket without an owning process is listed with inode 0 and user 0.
        if (Number.isInteger(userId) && inode !== '0') found.set(ends, { userId, inode })
      }
      if (missing.size === 0) break
    }
  } catch (error) {
    if (MEANS_UNKNOWN.has(systemErrorCode(error))) return undefined
  }
  return found
}

const portHex = (port: number): string => port.toString(16).toUpperCase().padStart(4, '0')

/** An address in the tables' format: four-byte words in the machine's byte order, in hex. */
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

/**
 * The owner of a connection. Root counts as `own`, because root can read everything anyway. An owner that the
 * system can't determine counts as `own` too.
 */
export function callerOf(peer: Peer, ownUserId: number | undefined): 'own' | 'other' | 'gone' {
  if (peer === 'unknown' || ownUserId === undefined) return 'own'
  if (peer === 'gone') return 'gone'
  return peer.userId === ownUserId || peer.userId === 0 ? 'own' : 'other'
}
