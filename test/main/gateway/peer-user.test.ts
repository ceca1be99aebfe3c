import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { connect, createServer, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { type Connection, callerOf, type Peer, PeerSockets } from '../../../main/gateway/peer-user.ts'

const HEAD =
  '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n'
const line = (local: string, remote: string, uid: number) =>
  `   1: ${local} ${remote} 01 00000000:00000000 00:00000000 00000000  ${uid}        0 12345 1 0000000000000000 20 4 0 10 -1\n`

const userOf = (peer: Peer) => (typeof peer === 'object' ? peer.userId : peer)
/** A table in parts of a few bytes, as the system returns it. */
async function* inParts(table: string, bytes = 100) {
  for (let at = 0; at < table.length; at += bytes) yield table.slice(at, at + bytes)
}
const failing = (code: string) =>
  // biome-ignore lint/correctness/useYield: it fails before its first part.
  async function* (): AsyncIterable<string> {
    throw Object.assign(new Error('no table'), { code })
  }
const peerSocket = (connection: Connection, read?: (file: string) => AsyncIterable<string>) =>
  new PeerSockets(read).of(connection)

test('the user is that of the calling end, not of ours', async () => {
  const table =
    HEAD +
    line('0100007F:12B7', '0100007F:C350', 1000) +
    line('0100007F:C350', '0100007F:12B7', 1001) +
    line('0100007F:C351', '0100007F:12B7', 1002)
  const read = (file: string) => inParts(file === '/proc/net/tcp' ? table : HEAD)
  const connection = { remoteAddress: '127.0.0.1', remotePort: 50_000, localPort: 4791 }
  expect(await peerSocket(connection, read)).toEqual({ userId: 1001, inode: '12345' })
  expect(userOf(await peerSocket({ ...connection, remotePort: 50_001 }, read))).toBe(1002)
  expect(await peerSocket({ ...connection, remotePort: 50_002 }, read)).toBe('gone')
  const files: string[] = []
  const noting = (file: string) => {
    files.push(file)
    return inParts(line('00000000000000000000000001000000:C350', '00000000000000000000000001000000:12B7', 7))
  }
  expect(userOf(await peerSocket({ ...connection, remoteAddress: '::1' }, noting))).toBe(7)
  expect(files).toEqual(['/proc/net/tcp6'])
})

test.each([
  ['another address of loopback', '127.0.0.2', '0200007F:C350', '0100007F:12B7', '/proc/net/tcp'],
  ['an address of a network', '192.168.1.20', '1401A8C0:C350', '0100007F:12B7', '/proc/net/tcp'],
  [
    'a socket of IPv6 that called IPv4',
    '127.0.0.1',
    '0000000000000000FFFF00000100007F:C350',
    '0000000000000000FFFF00000100007F:12B7',
    '/proc/net/tcp6',
  ],
  [
    'an address of IPv6 of its own',
    'fd00::1:20',
    '000000FD000000000000000020000100:C350',
    '00000000000000000000000001000000:12B7',
    '/proc/net/tcp6',
  ],
  [
    'an address of IPv6 in full',
    'fd00:1:2:3:4:5:6:abcd',
    '010000FD0300020005000400CDAB0600:C350',
    '00000000000000000000000001000000:12B7',
    '/proc/net/tcp6',
  ],
])('the user of %s is found too', async (_, remoteAddress, local, remote, wanted) => {
  const read = (file: string) => inParts(file === wanted ? HEAD + line(local, remote, 1001) : HEAD)
  const connection = { remoteAddress, remotePort: 50_000, localPort: 4791 }
  expect(userOf(await peerSocket(connection, read))).toBe(1001)
})

test('finds a missed row at the next attempt', async () => {
  const connection = { remoteAddress: '127.0.0.1', remotePort: 50_000, localPort: 4791 }
  const row = line('0100007F:C350', '0100007F:12B7', 1001)
  let reads = 0
  const read = (file: string) => inParts(file === '/proc/net/tcp' && ++reads > 1 ? row : HEAD)
  expect(userOf(await peerSocket(connection, read))).toBe(1001)
})

test('a socket closed by its program has no user, although the table says root', async () => {
  const closed = line('0100007F:C350', '0100007F:12B7', 0).replace('12345', '0')
  const connection = { remoteAddress: '127.0.0.1', remotePort: 50_000, localPort: 4791 }
  expect(await peerSocket(connection, () => inParts(closed))).toBe('gone')
})

test('a truncated row, or one without a user number, shows no user', async () => {
  const connection = { remoteAddress: '127.0.0.1', remotePort: 50_000, localPort: 4791 }
  const row = line('0100007F:C350', '0100007F:12B7', 1001)
  const short = row.slice(0, row.indexOf('1001'))
  for (const text of [short, `${short}\n`, row.replace('1001', 'nobody')])
    expect(await peerSocket(connection, () => inParts(text))).toBe('gone')
})

test('looks for a row three times in both tables', async () => {
  const files: string[] = []
  const read = (file: string) => {
    files.push(file)
    return inParts(HEAD)
  }
  expect(await peerSocket({ remoteAddress: '127.0.0.1', remotePort: 1, localPort: 2 }, read)).toBe('gone')
  expect(files).toEqual(Array(3).fill(['/proc/net/tcp', '/proc/net/tcp6']).flat())
})

test('without a table everyone is admitted; with an unreadable one, or without a row, nobody is', async () => {
  const connection = { remoteAddress: '127.0.0.1', remotePort: 1, localPort: 2 }
  const saidAfter = (codes: readonly string[]) =>
    Promise.all(codes.map((code) => peerSocket(connection, failing(code))))
  expect(await saidAfter(['ENOENT', 'EACCES'])).toEqual(['unknown', 'unknown'])
  expect(await saidAfter(['EMFILE', 'EIO'])).toEqual(['gone', 'gone'])
  for (const ports of [{}, { remotePort: 1 }, { localPort: 2 }])
    expect(await peerSocket({ remoteAddress: '127.0.0.1', ...ports }, failing('ENOENT'))).toBe('gone')
  const of = (userId: number): Peer => ({ userId, inode: '1' })
  const peers = ['unknown', of(0), of(1000), of(1001), 'gone'] as const
  expect(peers.map((peer) => callerOf(peer, 1000))).toEqual(['own', 'own', 'own', 'other', 'gone'])
  expect([of(0), of(1000)].map((peer) => callerOf(peer, 0))).toEqual(['own', 'other'])
  expect(callerOf(of(1001), undefined)).toBe('own')
})

test.skipIf(process.platform !== 'linux')('a real connection is of this process’s user', async () => {
  for (const host of ['127.0.0.1', '::1']) {
    const server = createServer()
    await new Promise<void>((resolve) => void server.listen(0, host, resolve))
    const client = connect({ port: (server.address() as AddressInfo).port, host })
    onTestFinished(() => {
      client.destroy()
      server.close()
    })
    const [socket] = (await once(server, 'connection')) as [Socket]
    expect(userOf(await peerSocket(socket))).toBe(process.getuid?.())
  }
})

test.skipIf(process.platform !== 'linux')(
  'finds each of hundreds of connections, and no closed one',
  async () => {
    const { promise: allAccepted, resolve } = Promise.withResolvers<void>()
    let accepted = 0
    const server = createServer(() => {
      accepted += 1
      if (accepted === 300) resolve()
    })
    await new Promise<void>((ready) => void server.listen(0, '127.0.0.1', ready))
    const { port } = server.address() as AddressInfo
    const clients = Array.from({ length: 300 }, () => connect({ port, host: '127.0.0.1' }))
    onTestFinished(() => {
      for (const client of clients) client.destroy()
      server.close()
    })
    await Promise.all(clients.map((client) => once(client, 'connect')))
    await allAccepted
    const openFiles = readdirSync('/proc/self/fd').length
    const sockets = new PeerSockets()
    const peers = await Promise.all(
      clients.map(({ localPort }) =>
        sockets.of({ remoteAddress: '127.0.0.1', remotePort: localPort, localPort: port }),
      ),
    )
    expect(new Set(peers.map((peer) => (typeof peer === 'object' ? peer.inode : peer))).size).toBe(
      clients.length,
    )
    expect(new Set(peers.map(userOf))).toEqual(new Set([process.getuid?.()]))
    expect(readdirSync('/proc/self/fd').length).toBeLessThan(openFiles + 100)
    expect(await sockets.of({ remoteAddress: '127.0.0.1', remotePort: 1, localPort: port })).toBe('gone')
  },
)

test('simultaneous connections share a read, and later ones the next', async () => {
  const portOf = (at: number) => 50_000 + at
  const rows = Array.from({ length: 500 }, (_, at) =>
    line(`0100007F:${portOf(at).toString(16).toUpperCase()}`, '0100007F:12B7', 1000 + at),
  )
  const files: string[] = []
  const sockets = new PeerSockets((file) => {
    files.push(file)
    return inParts(HEAD + rows.join(''), 10_000)
  })
  const of = (at: number) =>
    sockets.of({ remoteAddress: '127.0.0.1', remotePort: portOf(at), localPort: 4791 })
  const peers = await Promise.all(rows.map((_, at) => of(at)))
  expect(peers.map(userOf)).toEqual(rows.map((_, at) => 1000 + at))
  expect(files).toEqual(['/proc/net/tcp', '/proc/net/tcp'])
})

test('a connection that arrives during a read waits for the next one', async () => {
  let table = HEAD
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
  const { promise: ended, resolve: end } = Promise.withResolvers<void>()
  const sockets = new PeerSockets(async function* () {
    const now = table
    begin()
    await ended
    yield now
  })
  const of = (remotePort: number) => sockets.of({ remoteAddress: '127.0.0.1', remotePort, localPort: 4791 })
  const former = of(50_001)
  await begun
  const latter = of(50_000)
  table += line('0100007F:C350', '0100007F:12B7', 1001)
  end()
  expect([await former, userOf(await latter)]).toEqual(['gone', 1001])
})

test('reads a table only up to the last needed row', async () => {
  let parts = 0
  async function* endless() {
    for (;;) {
      parts += 1
      yield parts === 2 ? line('0100007F:C350', '0100007F:12B7', 1001) : HEAD
    }
  }
  const found = await peerSocket({ remoteAddress: '127.0.0.1', remotePort: 50_000, localPort: 4791 }, endless)
  expect([userOf(found), parts]).toEqual([1001, 2])
})
