import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { limitConnections } from '../../../main/network/connection-limit.ts'
import { listening, portOf } from '../loopback-server.ts'
import { silentSockets } from '../silent-sockets.ts'

async function limited(most: number, longestMs?: number) {
  const open: Socket[] = []
  const server = createServer((socket) => {
    open.push(socket)
    socket.on('error', () => {}).on('close', () => open.splice(open.indexOf(socket), 1))
  })
  const limit = limitConnections([server], { most, longestMs })
  const port = portOf(await listening(server))
  onTestFinished(() => {
    for (const socket of [...open]) socket.destroy()
  })
  const newcomer = async () => {
    const accepted = once(server, 'connection')
    await silentSockets(1, { port, host: '127.0.0.1' })
    const [socket] = (await accepted) as [Socket]
    return socket
  }
  return { open, limit, newcomer }
}

test('the oldest unauthenticated connection is closed for the next one', async () => {
  const { newcomer } = await limited(2)
  const [first, second, third] = [await newcomer(), await newcomer(), await newcomer()]
  expect([first.destroyed, second.destroyed, third.destroyed]).toEqual([true, false, false])
  await newcomer()
  expect([second.destroyed, third.destroyed]).toEqual([true, false])
})

test('an authenticated connection stays, and frees its unauthenticated place', async () => {
  const { limit, newcomer } = await limited(2)
  const kept = await newcomer()
  limit.keep(kept)
  const [second, third] = [await newcomer(), await newcomer()]
  expect([kept.destroyed, second.destroyed, third.destroyed]).toEqual([false, false, false])
  await newcomer()
  expect([kept.destroyed, second.destroyed, third.destroyed]).toEqual([false, true, false])
})

test('a connection that ended by itself closes no other', async () => {
  const { newcomer } = await limited(2)
  const [first, second] = [await newcomer(), await newcomer()]
  first.destroy()
  await once(first, 'close')
  await newcomer()
  expect(second.destroyed).toBe(false)
})

test('a connection that does not authenticate in time is closed; an authenticated one is not', async () => {
  const { limit, newcomer } = await limited(9, 1_000)
  const kept = await newcomer()
  limit.keep(kept)
  const stranger = await newcomer()
  await once(stranger, 'close')
  // It was opened first, so its time would have ended first.
  expect(kept.destroyed).toBe(false)
})

test('the servers of two addresses share one limit', async () => {
  const [four, six] = [createServer(), createServer()]
  limitConnections([four, six], { most: 1 })
  const accepted: Socket[] = []
  for (const server of [four, six]) {
    const port = portOf(await listening(server))
    const next = once(server, 'connection')
    await silentSockets(1, { port, host: '127.0.0.1' })
    accepted.push((await next)[0] as Socket)
  }
  expect(accepted.map(({ destroyed }) => destroyed)).toEqual([true, false])
  for (const socket of accepted) socket.destroy()
})
