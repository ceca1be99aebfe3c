import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { limitConnections } from '../../../main/network/connection-limit.ts'
import { silentSockets } from '../silent-sockets.ts'

async function limited(most: number) {
  const open: Socket[] = []
  const server = createServer((socket) => {
    open.push(socket)
    socket.on('error', () => {}).on('close', () => open.splice(open.indexOf(socket), 1))
  })
  const limit = limitConnections(server, most)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    for (const socket of [...open]) socket.destroy()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const newcomer = async () => {
    const accepted = once(server, 'connection')
    await silentSockets(1, { port, host: '127.0.0.1' })
    const [socket] = (await accepted) as [Socket]
    return socket
  }
  return { open, limit, newcomer }
}

test('the oldest stranger makes room for the next', async () => {
  const { newcomer } = await limited(2)
  const [first, second, third] = [await newcomer(), await newcomer(), await newcomer()]
  expect([first.destroyed, second.destroyed, third.destroyed]).toEqual([true, false, false])
  await newcomer()
  expect([second.destroyed, third.destroyed]).toEqual([true, false])
})

test('one that is kept stays, and leaves its place to others', async () => {
  const { limit, newcomer } = await limited(2)
  const kept = await newcomer()
  limit.keep(kept)
  const [second, third] = [await newcomer(), await newcomer()]
  expect([kept.destroyed, second.destroyed, third.destroyed]).toEqual([false, false, false])
  await newcomer()
  expect([kept.destroyed, second.destroyed, third.destroyed]).toEqual([false, true, false])
})

test('one that ended by itself takes nobody along', async () => {
  const { newcomer } = await limited(2)
  const [first, second] = [await newcomer(), await newcomer()]
  first.destroy()
  await once(first, 'close')
  await newcomer()
  expect(second.destroyed).toBe(false)
})
