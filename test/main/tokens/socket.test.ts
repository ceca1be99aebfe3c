import { expect, test } from 'vitest'
import type { KeyReport } from '../../../app/contract/events.ts'
import { nodeHttp } from '../../../main/network/http-client.ts'
import { proves } from '../../proof/proves.ts'
import { VirtualClock } from '../../simulation/virtual-clock.ts'
import { keeperOf } from './keeper-of.ts'
import { RecordingStore } from './recording-store.ts'
import { type RotatingServer, startRotatingServer } from './rotating-server.ts'

/** A keeper on real sockets. Only its waits are virtual, so that nothing is retried by itself. */
function keeperAt({ origin, current }: RotatingServer) {
  const clock = new VirtualClock()
  const store = new RecordingStore(current(), clock.wallMs())
  const events: KeyReport[] = []
  const keeper = keeperOf(
    store,
    {
      http: nodeHttp({}),
      clock,
      event: (event) => events.push(event),
    },
    { authUrl: origin, clientId: 'key-id' },
  )
  const intended = () => store.steps.filter((step) => step.startsWith('intend')).length
  return { keeper, store, events, intended }
}

test('a socket cut after the service rotated: within the overlap nobody has to sign in', async () => {
  const server = await startRotatingServer()
  server.overlap = 1
  let cut = 0
  server.afterRotation = (response) => {
    cut += 1
    if (cut === 1) response.destroy()
    return cut === 1
  }
  const { keeper, store, events, intended } = keeperAt(server)
  await keeper.refresh()
  expect(await keeper.access()).toEqual({ kind: 'token', value: 'a-1' })
  expect(store.stored.token.refreshToken).toBe(server.current())
  expect(server.sent).toEqual(['r-0', 'r-0'])
  expect(intended()).toBe(2)
  expect(events.map(({ kind }) => kind)).toEqual(['token-refreshed'])
  keeper.stop()
  proves('T1', { level: 3, cases: 1 })
})

test('the same outside the overlap: one rejection, one message, and the token is kept', async () => {
  const server = await startRotatingServer()
  server.afterRotation = (response) => {
    response.destroy()
    return true
  }
  const { keeper, store, events } = keeperAt(server)
  await keeper.refresh()
  await keeper.access()
  expect(server.sent).toEqual(['r-0', 'r-0'])
  expect(events.filter(({ kind }) => kind === 'sign-in-required')).toEqual([
    { kind: 'sign-in-required', reason: 'sign in again: the response was lost' },
  ])
  expect(store.stored.token.refreshToken).toBe('r-0')
  keeper.stop()
  proves('T2', { level: 3, cases: 1 })
})

test('a connection that is reset without a response is one send for each deliberate attempt', async () => {
  const server = await startRotatingServer()
  server.overlap = Number.POSITIVE_INFINITY
  server.afterRotation = (response) => {
    response.socket?.resetAndDestroy()
    return true
  }
  const { keeper, intended } = keeperAt(server)
  for (let attempt = 0; attempt < 5; attempt += 1) await keeper.refresh()
  // The first attempt is retried at once, but the others are not.
  expect(server.sent).toHaveLength(6)
  expect(intended()).toBe(6)
  server.afterRotation = () => false
  await keeper.refresh()
  expect(server.sent).toHaveLength(7)
  keeper.stop()
  proves('T4', { level: 3, cases: server.sent.length })
})

test('a response cut after any byte stores nothing partial and loses nothing', async () => {
  const server = await startRotatingServer()
  const head = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: '
  let whole = 1
  for (let length = 0; length < whole; length += 1) {
    server.overlap = 1
    const from = server.current()
    let cut = false
    server.afterRotation = (response, answer) => {
      if (cut) return false
      cut = true
      const bytes = Buffer.from(`${head}${Buffer.byteLength(answer)}\r\n\r\n${answer}`)
      whole = bytes.length
      response.socket?.end(bytes.subarray(0, length))
      return true
    }
    const { keeper, store } = keeperAt(server)
    await keeper.refresh()
    const saved = store.steps.filter((step) => step.startsWith('save')).map((step) => step.split(' ')[1])
    expect(saved).toEqual([server.current()])
    expect(server.current()).not.toBe(from)
    expect((await keeper.access()).kind).toBe('token')
    keeper.stop()
  }
  expect(whole).toBeGreaterThan(150)
  proves(['T1', 'T3'], { level: 3, cases: whole })
}, 60_000)
