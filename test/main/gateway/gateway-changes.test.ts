import { rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { PATIENT } from '../../patient.ts'
import { listening, portOf } from '../loopback-server.ts'
import { SkippingClock } from '../skipping-clock.ts'
import { temporaryFolder } from '../storage/temporary-folder.ts'
import { before } from './raw-service.ts'
import { startGateway } from './started-gateway.ts'

const ACCOUNTS = '/v3/brokerage/accounts'

/** A port of this machine that is in use by another server until it is freed. */
async function takenPort(): Promise<{ readonly taken: number; free(): Promise<void> }> {
  const server = createServer()
  return {
    taken: portOf(await listening(server)),
    free: () => new Promise((resolve) => void server.close(() => resolve())),
  }
}

/** A port of this machine that nothing serves. */
async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

test('with several keys a program must name its key, and without any it is rejected', async () => {
  const { gateway, monitor, service } = await startGateway()
  const bot = { name: 'bot', class: 'normal', weight: 1 } as const
  expect(gateway.add({ ...bot, name: 'first' })).toMatchObject({ ok: true, program: { profile: 'key-1' } })
  const first = monitor.profile('key-1')
  if (first === undefined) throw new Error('not connected')
  monitor.connect({ ...first, id: 'key-2', name: 'Other', baseUrl: service.origin })
  expect(gateway.add(bot)).toEqual({ ok: false, why: 'choose one of the connected keys: key-1, key-2' })
  expect(gateway.add({ ...bot, profile: 'key-3' })).toEqual({
    ok: false,
    why: "no key 'key-3' is connected; choose one of: key-1, key-2",
  })
  expect(gateway.add({ ...bot, profile: 'key-2' })).toMatchObject({ ok: true, program: { profile: 'key-2' } })
  expect(gateway.programsOf('key-1').map(({ name }) => name)).toEqual(['first'])
  expect(gateway.programs().map(({ name, profile }) => [name, profile])).toEqual([
    ['first', 'key-1'],
    ['bot', 'key-2'],
  ])
  for (const key of ['key-1', 'key-2']) monitor.disconnect(key)
  expect(gateway.add({ ...bot, name: 'third' })).toEqual({
    ok: false,
    why: 'connect a key first',
  })
  expect(gateway.add({ ...bot, name: 'third', profile: 'key-1' })).toMatchObject({
    ok: false,
    why: "no key 'key-1' is connected; choose one of: none",
  })
})

test('a port in use is a reported failure, until the gateway is turned on elsewhere', async () => {
  const { gateway, port, add, get } = await startGateway()
  const key = add('bot')
  await gateway.turnOff()
  const { taken } = await takenPort()
  const why = `port ${taken} is taken; choose another one`
  expect(await gateway.turnOn(taken)).toEqual({ ok: false, why })
  expect(gateway.summary).toEqual({ state: 'failed', why })
  await expect(get(ACCOUNTS, key)).rejects.toThrow()
  expect(await gateway.turnOn(port)).toEqual({ ok: true })
  expect(gateway.summary).toMatchObject({ state: 'serving', url: `http://127.0.0.1:${port}` })
  expect((await get(ACCOUNTS, key)).status).toBe(200)
})

test('a gateway that can’t move to a port that is taken continues on its own one', async () => {
  const { gateway, add, get } = await startGateway()
  const key = add('bot')
  const { summary } = gateway
  const { taken } = await takenPort()
  const why = `port ${taken} is taken; choose another one`
  expect(await gateway.turnOn(taken)).toEqual({ ok: false, why })
  expect([gateway.summary, gateway.nextPort]).toEqual([summary, 0])
  expect((await get(ACCOUNTS, key)).status).toBe(200)
})

test('turned on again, the gateway continues; at another port it moves', async () => {
  const { gateway, port, add, get } = await startGateway()
  const key = add('bot')
  const { summary } = gateway
  expect(await gateway.turnOn(port)).toEqual({ ok: true })
  expect(await gateway.turnOn(0)).toEqual({ ok: true })
  // Programs know the current port. A later start must not replace it with another one.
  expect([gateway.summary, gateway.nextPort]).toEqual([summary, port])
  const free = await freePort()
  expect(await gateway.turnOn(free)).toEqual({ ok: true })
  await expect(get(ACCOUNTS, key)).rejects.toThrow()
  const moved = await fetch(`http://127.0.0.1:${free}${ACCOUNTS}`, {
    headers: { authorization: `Bearer ${key}` },
  })
  expect(moved.status).toBe(200)
})

test('while the gateway moves, both ports name the new one until the sent requests have ended', async () => {
  let finish = () => {}
  const { add, get, gateway, count } = await before((socket) => {
    finish = () => void socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}')
  })
  const key = add('bot')
  const sent = get(ACCOUNTS, key)
  await vi.waitFor(() => expect(count()).toBe(1), PATIENT)
  const port = await freePort()
  const moving = gateway.turnOn(port)
  await vi.waitFor(() => expect(gateway.summary.state).toBe('off'), PATIENT)
  const there = await fetch(`http://127.0.0.1:${port}${ACCOUNTS}`, {
    headers: { authorization: `Bearer ${key}` },
  })
  for (const answer of [there, await get(ACCOUNTS, key)])
    expect(await answer.json()).toMatchObject({
      status: 503,
      detail: `Not sent: the gateway is moving to port ${port}.`,
    })
  finish()
  expect([(await sent).status, await moving]).toEqual([200, { ok: true }])
})

test('turned off and on again, the gateway serves on its last port', async () => {
  const { gateway } = await startGateway()
  await gateway.turnOff()
  expect(gateway.summary).toEqual({ state: 'off' })
  expect(await gateway.turnOn()).toEqual({ ok: true })
  const { url } = gateway.summary
  expect([await gateway.turnOn(), gateway.summary.url]).toEqual([{ ok: true }, url])
  const chosen = await freePort()
  await gateway.turnOn(chosen)
  await gateway.turnOff()
  await gateway.turnOff()
  expect(gateway.nextPort).toBe(chosen)
  expect(await gateway.turnOn()).toEqual({ ok: true })
  expect(gateway.summary.url).toBe(`http://127.0.0.1:${chosen}`)
})

test('reports what applies only until Headroom ends, because it cannot be stored', async () => {
  const { gateway, add, dataFolder } = await startGateway()
  add('bot')
  rmSync(dataFolder, { recursive: true })
  expect(await gateway.turnOn(0)).toEqual({
    ok: false,
    why: 'the gateway serves only until Headroom quits, because saving failed: not found',
  })
  expect(gateway.cut('bot')).toEqual({
    ok: false,
    why: 'the program is cut off only until Headroom quits, because saving failed: not found',
  })
  expect(gateway.programs()).toEqual([])
  expect(await gateway.turnOff()).toEqual({
    ok: false,
    why: 'the gateway is off only until the next start, because saving failed: not found',
  })
  expect(gateway.summary).toEqual({ state: 'off' })
})

test('a program from the environment is cut off until the next start; a save is blamed only if it failed', async () => {
  const given = (name: string) => ({ name, class: 'normal', weight: 1, key: `long-key-of-${name}` }) as const
  const dataFolder = temporaryFolder()
  const earlier = await startGateway({ dataFolder })
  earlier.add('notes')
  await earlier.gateway.stop()
  const { gateway } = await startGateway({ dataFolder, given: [given('bot'), given('notes')] })
  const until = 'the program is cut off only until Headroom quits'
  const advice = '; remove its key from HEADROOM_GATEWAY_KEYS'
  expect(gateway.cut('bot')).toEqual({ ok: false, why: `${until}${advice}` })
  rmSync(dataFolder, { recursive: true })
  expect(gateway.cut('notes')).toEqual({
    ok: false,
    why: `${until}, because saving failed: not found${advice}`,
  })
  expect(gateway.programs()).toEqual([])
})

test('the gateway starts where it last served or as configured, and stays off after it was turned off', async () => {
  const { gateway } = await startGateway()
  await gateway.stop()
  expect(gateway.summary).toEqual({ state: 'off' })
  expect(await gateway.start()).toEqual({ ok: true })
  expect(gateway.summary.state).toBe('serving')
  await gateway.turnOff()
  expect(await gateway.start()).toEqual({ ok: true })
  expect(gateway.summary).toEqual({ state: 'off' })
  expect(await gateway.start(0)).toEqual({ ok: true })
  expect(gateway.summary.state).toBe('serving')
})

test('a port that was taken at the start is served once it is free, without a restart', async () => {
  const clock = new SkippingClock()
  const { gateway, monitor, notes } = await startGateway({ clock })
  await gateway.stop()
  const { taken, free } = await takenPort()
  const why = `port ${taken} is taken; retrying`
  expect(await gateway.start(taken, { retries: true })).toMatchObject({ ok: false, why })
  clock.skip(1_000)
  await vi.waitFor(() => expect(gateway.summary).toEqual({ state: 'failed', why }), PATIENT)
  expect(notes.filter((note) => note.includes(why))).toHaveLength(1)
  await free()
  await vi.waitFor(() => {
    clock.skip(30_000)
    expect(gateway.summary.url).toBe(`http://127.0.0.1:${taken}`)
  }, PATIENT)
  expect(monitor.snapshot('key-1')?.gateway).toMatchObject({ state: 'serving' })
})

test.each(['turned off', 'stopped', 'turned on elsewhere'] as const)(
  'a gateway that waits for its port waits no more once it is %s',
  async (how) => {
    const clock = new SkippingClock()
    const { gateway } = await startGateway({ clock })
    await gateway.stop()
    const { taken, free } = await takenPort()
    await gateway.start(taken, { retries: true })
    if (how === 'turned off') await gateway.turnOff()
    else if (how === 'stopped') await gateway.stop()
    else await gateway.turnOn(0)
    await free()
    clock.skip(60_000)
    // Changes run one after another. If the gateway had waited for its old port, it would serve there by now,
    // and a change to port 0 would keep that port.
    await gateway.turnOn(0)
    expect(gateway.summary).toMatchObject({
      state: 'serving',
      url: expect.not.stringContaining(`:${taken}`),
    })
  },
)

test('describes a program: use by category, and waiting requests with their turns', async () => {
  const { gateway, add, get } = await startGateway({ reserve: { Accounts: 1_000 } })
  const [key, guard] = [add('bot', { class: 'background' }), add('guard', { class: 'critical' })]
  expect((await get(ACCOUNTS, key)).status).toBe(200)
  const told = (name = 'bot') => gateway.programs().find((program) => program.name === name)
  const passed = told()
  expect(passed).toMatchObject({
    class: 'background',
    forwarded: 1,
    waiting: 0,
    longestWaitMs: 0,
    lastSeenAt: expect.any(Number),
    use: [{ category: 'Accounts', forwarded: 1, perSecond: passed?.perSecond, waiting: 0 }],
  })
  // Each of these requests takes a second to refill. With this reserve, a background program may only send
  // while the quota is full.
  await Promise.all(Array.from({ length: 60 }, (_, i) => get(`${ACCOUNTS}?of=${i}`, guard)))
  expect(told('guard')).toMatchObject({ forwarded: 60, coalesced: 0, refused: 0 })
  const late = [100, 200].map((patience) =>
    get(`${ACCOUNTS}?for=${patience}`, key, { prefer: `wait=${patience}` }),
  )
  onTestFinished(() => void Promise.allSettled(late))
  await vi.waitFor(() => expect(told()?.waiting).toBe(2), PATIENT)
  const [use] = told()?.use ?? []
  expect(use).toMatchObject({ category: 'Accounts', forwarded: 1, waiting: 2 })
  expect(use?.nextTurnAt ?? 0).toBeLessThan(use?.lastTurnAt ?? 0)
  expect(use?.nextTurnAt ?? 0).toBeGreaterThan(use?.nextCameAt ?? 0)
  expect([100_000, 200_000]).toContain((use?.nextPatientUntil ?? 0) - (use?.nextCameAt ?? 0))
})
