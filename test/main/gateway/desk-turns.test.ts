import { expect, test } from 'vitest'
import type { DeskTurns, JoinQueue, LocalTurns } from '../../../app/gateway/turns.ts'
import type { SessionDesk } from '../../../main/api/session-desk.ts'
import { PATIENT } from '../../patient.ts'
import { startGateway } from './started-gateway.ts'

const ACCOUNTS = '/v3/brokerage/accounts'

/** A desk whose dispatcher grants turns when the test says so. */
function scriptedQueue() {
  const asked: number[] = []
  const outcomes: string[] = []
  let joined: LocalTurns | undefined
  let left = 0
  const join: JoinQueue = (local) => {
    joined = local
    const { scheduler } = local
    scheduler.isGranted = true
    const own: DeskTurns = {
      goAtOnce: (...given) => scheduler.goAtOnce(...given),
      refreshed: (...given) => scheduler.refreshed(...given),
      refuseWaiting: (nowMs) => scheduler.refuseWaiting(nowMs),
      drop: (...given) => scheduler.drop(...given),
      due: (nowMs) => scheduler.due(nowMs),
      turnAtMs: (request) => scheduler.turnAtMs(request),
      offer: (offered, nowMs) => {
        asked.push(offered.id)
        return scheduler.offer(offered, nowMs)
      },
      answered: (id, outcome, nowMs) => {
        outcomes.push(outcome.kind)
        return scheduler.answered(id, outcome, nowMs)
      },
      lapsed: () => undefined,
      leave: () => {
        scheduler.isGranted = false
        left += 1
      },
    }
    return own
  }
  const grant = () => {
    const id = asked.shift()
    if (id === undefined) throw new Error('nothing was asked')
    joined?.apply(joined.scheduler.grant(id, joined.now()))
  }
  const desk = {
    queue: join,
    slots: () => {},
    partOf: () => undefined,
    summary: () => undefined,
  } as unknown as SessionDesk
  return { desk, asked, outcomes, grant, left: () => left }
}

const NO_OBSERVATIONS = {
  sent: () => {},
  answered: () => {},
  lost: () => {},
  notSent: () => {},
  checked: () => {},
  judgeAfterMs: 0,
  yieldMs: () => 0,
}

test('a program’s request is sent when the desk grants its turn, and its outcome is reported', async () => {
  const { add, get, monitor, service } = await startGateway()
  const queue = scriptedQueue()
  const attach = (desk: SessionDesk | undefined) =>
    monitor.withProfile('key-1', (session) => {
      session.attachDesk(desk)
      return { ok: true }
    })
  const key = add('bot')
  expect((await get(ACCOUNTS, key)).status).toBe(200)
  attach({ ...NO_OBSERVATIONS, ...queue.desk })
  let counted = 0
  const handle = service.service.handle.bind(service.service)
  service.service.handle = (request) => {
    counted += 1
    return handle(request)
  }
  const answer = get(ACCOUNTS, key)
  await expect.poll(() => queue.asked.length, PATIENT).toBe(1)
  expect(counted).toBe(0)
  queue.grant()
  expect((await answer).status).toBe(200)
  expect(counted).toBe(1)
  expect(queue.outcomes).toEqual(['answer'])
  attach(undefined)
  expect(queue.left()).toBe(1)
  expect((await get(ACCOUNTS, key)).status).toBe(200)
  expect(queue.outcomes).toEqual(['answer'])
})

test('a gateway that is turned on after the desk joins the queue, and leaves when it is turned off', async () => {
  const { add, get, monitor, gateway, port } = await startGateway()
  const queue = scriptedQueue()
  const key = add('bot')
  await gateway.turnOff()
  monitor.withProfile('key-1', (session) => {
    session.attachDesk({ ...NO_OBSERVATIONS, ...queue.desk })
    return { ok: true }
  })
  await gateway.turnOn(port)
  const answer = get(ACCOUNTS, key)
  await expect.poll(() => queue.asked.length, PATIENT).toBe(1)
  // What waits is answered before the gateway leaves.
  const off = gateway.turnOff()
  expect((await answer).status).toBe(503)
  await off
  expect(queue.left()).toBe(1)
})
