import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { connect, createServer, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { callerOf, type Peer, peerSocket } from '../../../main/gateway/peer-user.ts'

const HEAD =
  '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n'
const line = (local: string, remote: string, uid: number) =>
  `   1: ${local} ${remote} 01 00000000:00000000 00:00000000 00000000  ${uid}        0 12345 1 0000000000000000 20 4 0 10 -1\n`

const userOf = (peer: Peer) => (typeof peer === 'object' ? peer.userId : peer)
const failing = (code: string) => () => {
  throw Object.assign(new Error('no table'), { code })
}

test('the user is that of the end of the connection that called, not of ours', () => {
  const table =
    HEAD +
    line('0100007F:12B7', '0100007F:C350', 1000) +
    line('0100007F:C350', '0100007F:12B7', 1001) +
    line('0100007F:C351', '0100007F:12B7', 1002)
  const read = (file: string) => (file === '/proc/net/tcp' ? table : HEAD)
  const connection = { remoteAddress: '127.0.0.1', remotePort: 50_000, localPort: 4791 }
  expect(peerSocket(connection, read)).toEqual({ userId: 1001, inode: '12345' })
  expect(userOf(peerSocket({ ...connection, remotePort: 50_001 }, read))).toBe(1002)
  expect(peerSocket({ ...connection, remotePort: 50_002 }, read)).toBe('gone')
  const files: string[] = []
  const noting = (file: string) => {
    files.push(file)
    return line('00000000000000000000000001000000:C350', '00000000000000000000000001000000:12B7', 7)
  }
  expect(userOf(peerSocket({ ...connection, remoteAddress: '::1' }, noting))).toBe(7)
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
])('the user of %s is found too', (_, remoteAddress, local, remote, wanted) => {
  const read = (file: string) => (file === wanted ? HEAD + line(local, remote, 1001) : HEAD)
  const connection = { remoteAddress, remotePort: 50_000, localPort: 4791 }
  expect(userOf(peerSocket(connection, read))).toBe(1001)
})

test('a row that was passed over is found when it is looked for again', () => {
  const connection = { remoteAddress: '127.0.0.1', remotePort: 50_000, localPort: 4791 }
  const row = line('0100007F:C350', '0100007F:12B7', 1001)
  let reads = 0
  const read = (file: string) => (file === '/proc/net/tcp' && ++reads > 1 ? row : HEAD)
  expect(userOf(peerSocket(connection, read))).toBe(1001)
})

test('a socket that its program has closed has no user, though the table says root', () => {
  const closed = line('0100007F:C350', '0100007F:12B7', 0).replace('12345', '0')
  const connection = { remoteAddress: '127.0.0.1', remotePort: 50_000, localPort: 4791 }
  expect(peerSocket(connection, () => closed)).toBe('gone')
})

test('a row that is cut short, or has no number for its user, tells of none', () => {
  const connection = { remoteAddress: '127.0.0.1', remotePort: 50_000, localPort: 4791 }
  const row = line('0100007F:C350', '0100007F:12B7', 1001)
  expect(peerSocket(connection, () => row.slice(0, row.indexOf('1001')))).toBe('gone')
  expect(peerSocket(connection, () => row.replace('1001', 'nobody'))).toBe('gone')
})

test('a row is looked for three times in both tables', () => {
  const files: string[] = []
  const read = (file: string) => {
    files.push(file)
    return HEAD
  }
  expect(peerSocket({ remoteAddress: '127.0.0.1', remotePort: 1, localPort: 2 }, read)).toBe('gone')
  expect(files).toEqual(Array(3).fill(['/proc/net/tcp', '/proc/net/tcp6']).flat())
})

test('where the system has no table all are let in; where it cannot be read now, or has no row, none is', () => {
  const connection = { remoteAddress: '127.0.0.1', remotePort: 1, localPort: 2 }
  expect(['ENOENT', 'EACCES'].map((code) => peerSocket(connection, failing(code)))).toEqual([
    'untold',
    'untold',
  ])
  expect(['EMFILE', 'EIO'].map((code) => peerSocket(connection, failing(code)))).toEqual(['gone', 'gone'])
  for (const ports of [{}, { remotePort: 1 }, { localPort: 2 }])
    expect(peerSocket({ remoteAddress: '127.0.0.1', ...ports }, failing('ENOENT'))).toBe('gone')
  const of = (userId: number): Peer => ({ userId, inode: '1' })
  const peers = ['untold', of(0), of(1000), of(1001), 'gone'] as const
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
    expect(userOf(peerSocket(socket))).toBe(process.getuid?.())
  }
})

test.skipIf(process.platform !== 'linux')(
  'each of hundreds of connections is found, and one that is closed is not',
  async () => {
    const server = createServer()
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const clients = Array.from({ length: 300 }, () => connect({ port, host: '127.0.0.1' }))
    onTestFinished(() => {
      for (const client of clients) client.destroy()
      server.close()
    })
    await Promise.all(clients.map((client) => once(client, 'connect')))
    const openFiles = readdirSync('/proc/self/fd').length
    const peers = clients.map(({ localPort }) =>
      peerSocket({ remoteAddress: '127.0.0.1', remotePort: localPort, localPort: port }),
    )
    expect(new Set(peers.map((peer) => (typeof peer === 'object' ? peer.inode : peer))).size).toBe(
      clients.length,
    )
    expect(new Set(peers.map(userOf))).toEqual(new Set([process.getuid?.()]))
    expect(readdirSync('/proc/self/fd').length).toBeLessThan(openFiles + 100)
    expect(peerSocket({ remoteAddress: '127.0.0.1', remotePort: 1, localPort: port })).toBe('gone')
  },
)
