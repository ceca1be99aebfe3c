import { connect, type Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { GRACE_MS } from '../../../../main/hosts/browser/browser-windows.ts'
import { KEEP_ALIVE_MS } from '../../../../main/hosts/browser/push-stream.ts'
import { PATIENT } from '../../../patient.ts'
import { snapshotOf } from './fake-windows.ts'
import { bearing, type StartedHost, startHost } from './started-host.ts'

/**
 * Time limit for a close. A quiet machine needs some milliseconds; with a defect, the close would wait for
 * the slow request forever.
 */
const CLOSED_WITHIN_MS = 5_000
let started: StartedHost
const sockets: Socket[] = []
beforeEach(async () => {
  started = await startHost()
})
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  await started.stop()
})

/** A window's push stream over a bare socket: what arrived so far, and a way to hang up. */
async function openPushes(bearer: string): Promise<{ text(): string; socket: Socket }> {
  const socket = connect({ port: started.port, host: '127.0.0.1' })
  sockets.push(socket)
  let text = ''
  socket.setEncoding('utf8').on('data', (chunk) => {
    text += chunk
  })
  socket.write(
    `GET /api/pushes HTTP/1.1\r\nhost: 127.0.0.1:${started.port}\r\nauthorization: Bearer ${bearer}\r\n\r\n`,
  )
  await vi.waitFor(() => expect(text).toContain('\r\n\r\n'), PATIENT)
  return { text: () => text, socket }
}

const session = (index = 0) => {
  const found = started.windows.sessions[index]
  if (found === undefined) throw new Error(`no session ${index}`)
  return found
}

describe('a push stream', () => {
  it('requires the bearer', async () => {
    expect((await started.get('/api/pushes')).status).toBe(401)
    expect((await started.get('/api/pushes', bearing('x'.repeat(43)))).status).toBe(401)
    expect((await started.get(`/api/pushes?bearer=${await started.bearer()}`)).status).toBe(401)
  })

  it('delivers each push as one line of JSON', async () => {
    const pushes = await openPushes(await started.bearer())
    expect(pushes.text()).toContain('content-type: application/x-ndjson')
    session().pushes.snapshotChanged(snapshotOf('p1', 7))
    session().pushes.profileRemoved({ profile: 'p1' })
    await vi.waitFor(() => expect(pushes.text()).toContain('profileRemoved'), PATIENT)
    const lines = pushes
      .text()
      .split(/\r?\n/)
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line))
    expect(lines).toEqual([
      { channel: 'snapshotChanged', value: snapshotOf('p1', 7) },
      { channel: 'profileRemoved', value: { profile: 'p1' } },
    ])
  })

  it('sends a blank line every five seconds', async () => {
    const pushes = await openPushes(await started.bearer())
    const blank = () => pushes.text().split('1\r\n\n\r\n').length - 1
    await vi.waitFor(() => expect(blank()).toBe(1), PATIENT)
    started.clock.advance(KEEP_ALIVE_MS - 1)
    started.clock.advance(1)
    await vi.waitFor(() => expect(blank()).toBe(2), PATIENT)
    started.clock.advance(2 * KEEP_ALIVE_MS)
    await vi.waitFor(() => expect(blank()).toBe(4), PATIENT)
  })

  it('of a duplicated tab gets the same pushes', async () => {
    const bearer = await started.bearer()
    const [one, two] = [await openPushes(bearer), await openPushes(bearer)]
    expect(started.windows.sessions).toHaveLength(1)
    session().pushes.profileRemoved({ profile: 'p9' })
    await vi.waitFor(() => expect(one.text()).toContain('p9'), PATIENT)
    await vi.waitFor(() => expect(two.text()).toContain('p9'), PATIENT)
  })
})

describe("a window's session", () => {
  it('ends when its push stream has been closed for the grace period, not before', async () => {
    const pushes = await openPushes(await started.bearer())
    started.clock.advance(10 * GRACE_MS)
    expect(session().isOpen).toBe(true)
    const pending = started.clock.pending
    pushes.socket.destroy()
    // The keep-alive is cancelled and the grace period begins.
    await vi.waitFor(() => expect(started.clock.pending).toBe(pending), PATIENT)
    await vi.waitFor(() => {
      started.clock.advance(GRACE_MS)
      expect(session().isOpen).toBe(false)
    }, PATIENT)
  })

  it('continues if the stream is back in time', async () => {
    const bearer = await started.bearer()
    const first = await openPushes(bearer)
    await openPushes(bearer)
    first.socket.destroy()
    started.clock.advance(2 * GRACE_MS)
    expect(session().isOpen).toBe(true)
    expect(started.windows.sessions).toHaveLength(1)
  })

  it('is reopened by the same bearer after it ended: a laptop that slept needs no new code', async () => {
    const bearer = bearing(await started.bearer())
    expect((await started.post('/api/command/hello', null, bearer)).status).toBe(200)
    started.clock.advance(GRACE_MS)
    expect(session(0).isOpen).toBe(false)
    expect((await started.post('/api/command/hello', null, bearer)).status).toBe(200)
    expect(session(1).isOpen).toBe(true)
  })

  it('is rejected if too many windows are open', async () => {
    for (let i = 0; i < 32; i++)
      await started.post('/api/command/hello', null, bearing(await started.bearer()))
    expect((await started.post('/api/session', { code: started.code() })).status).toBe(503)
    // Once they are gone, their places are free.
    started.clock.advance(GRACE_MS)
    expect((await started.post('/api/session', { code: started.code() })).status).toBe(200)
  })
})

describe('closing', () => {
  it('ends open streams, sessions and timers within a second', async () => {
    await openPushes(await started.bearer())
    // A request whose body never arrives. The server's 100 shows that it waits for the body.
    const slow = connect({ port: started.port, host: '127.0.0.1' })
    sockets.push(slow)
    const at = `127.0.0.1:${started.port}`
    const head = `host: ${at}\r\norigin: http://${at}\r\ncontent-type: application/json\r\ncontent-length: 9`
    slow.write(`POST /api/session HTTP/1.1\r\n${head}\r\nexpect: 100-continue\r\n\r\n`)
    await new Promise((resolve) => slow.once('data', resolve))
    slow.on('error', () => {})
    const before = performance.now()
    await started.host.close()
    expect(performance.now() - before).toBeLessThan(CLOSED_WITHIN_MS)
    expect(session().isOpen).toBe(false)
    expect(started.clock.pending).toBe(0)
  })
})
