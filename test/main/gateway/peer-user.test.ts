import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { connect, createServer, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { isOwnUser, peerSocket } from '../../../main/gateway/peer-user.ts'

const HEAD =
  '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n'
const line = (local: string, remote: string, uid: number) =>
  `   1: ${local} ${remote} 01 00000000:00000000 00:00000000 00000000  ${uid}        0 12345 1 0000000000000000 20 4 0 10 -1\n`

test('the user is that of the end of the connection that called, not of ours', () => {
  const table =
    HEAD +
    line('0100007F:12B7', '0100007F:C350', 1000) +
    line('0100007F:C350', '0100007F:12B7', 1001) +
    line('0100007F:C351', '0100007F:12B7', 1002)
  const read = () => table
  const connection = { remoteAddress: '127.0.0.1', remotePort: 50_000, localPort: 4791 }
  expect(peerSocket(connection, read)).toEqual({ userId: 1001, inode: '12345' })
  expect(peerSocket({ ...connection, remotePort: 50_001 }, read)?.userId).toBe(1002)
  expect(peerSocket({ ...connection, remotePort: 50_002 }, read)).toBeUndefined()
  const files: string[] = []
  const noting = (file: string) => {
    files.push(file)
    return line('00000000000000000000000001000000:C350', '00000000000000000000000001000000:12B7', 7)
  }
  expect(peerSocket({ ...connection, remoteAddress: '::1' }, noting)?.userId).toBe(7)
  expect(files).toEqual(['/proc/net/tcp6'])
})

test('where the system does not tell, nobody is kept out; else the user and root get in, and no other', () => {
  const unreadable = () => {
    throw new Error('no /proc')
  }
  const connection = { remoteAddress: '127.0.0.1', remotePort: 1, localPort: 2 }
  expect(peerSocket(connection, unreadable)).toBeUndefined()
  expect(peerSocket({}, unreadable)).toBeUndefined()
  expect([undefined, 0, 1000, 1001].map((peer) => isOwnUser(peer, 1000))).toEqual([true, true, true, false])
  expect([0, 1000].map((peer) => isOwnUser(peer, 0))).toEqual([true, false])
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
    expect(peerSocket(socket)?.userId).toBe(process.getuid?.())
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
    const peers = clients.map(({ localPort }) =>
      peerSocket({ remoteAddress: '127.0.0.1', remotePort: localPort, localPort: port }),
    )
    expect(new Set(peers.map((peer) => peer?.inode)).size).toBe(clients.length)
    expect(new Set(peers.map((peer) => peer?.userId))).toEqual(new Set([process.getuid?.()]))
    expect(peerSocket({ remoteAddress: '127.0.0.1', remotePort: 1, localPort: port })).toBeUndefined()
  },
)
