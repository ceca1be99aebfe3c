import { expect, test } from 'vitest'
import { MemberQueue } from '../../../app/desk/member-queue.ts'
import type { Ask, Ended } from '../../../app/desk/queue-messages.ts'
import type { Decision } from '../../../app/gateway/decisions.ts'
import { Scheduler } from '../../../app/gateway/scheduler.ts'

function member() {
  const time = { ms: 10_000 }
  const scheduler = new Scheduler()
  const messages: (Omit<Ask, 'epoch'> | Omit<Ended, 'epoch'>)[] = []
  const decisions: Decision[] = []
  const queue = new MemberQueue(
    { scheduler, now: () => time.ms, apply: (more) => void decisions.push(...more) },
    {
      now: () => time.ms,
      maySpend: () => true,
      toDispatcher: (message) => void messages.push(message),
      touch: () => {},
      isOnlyMember: () => false,
      left: () => {},
    },
  )
  queue.setGranted()
  const offer = (id: number) =>
    decisions.push(
      ...queue.offer(
        { id, program: 'bot', class: 'normal', weight: 1, bucket: 'Accounts', maxWaitMs: 30_000 },
        time.ms,
      ),
    )
  const asked = () => messages.flatMap((message) => (message.kind === 'ask' ? message.asks : []))
  const withdrawn = () => messages.flatMap((message) => (message.kind === 'ask' ? message.withdrawn : []))
  const grant = (id: number, attempt: number) =>
    queue.answers({
      ...{ kind: 'grant', epoch: 1, number: 1, spendWithinMs: 1_500, declined: [], turns: [] },
      granted: [{ id, attempt }],
    })
  const sent = () => decisions.flatMap((one) => (one.kind === 'send' ? [one.upstream] : []))
  return { time, queue, messages, decisions, offer, asked, withdrawn, grant, sent }
}

test('the ask for a request is sent at once, and the request when its grant arrives', () => {
  const { offer, asked, grant, sent } = member()
  offer(1)
  expect(asked()).toMatchObject([{ id: 1, attempt: 1, program: 'bot', bucket: 'Accounts', age: 0 }])
  expect(sent()).toEqual([])
  grant(1, 1)
  grant(1, 1)
  expect(sent()).toEqual([1])
})

test('after a second’s wait the ask is sent again, and the earlier grant is void', () => {
  const { time, queue, offer, asked, grant, sent } = member()
  offer(1)
  time.ms += 999
  queue.ask()
  expect(asked()).toHaveLength(1)
  time.ms += 1
  queue.ask()
  expect(asked().map(({ attempt, age }) => [attempt, age])).toEqual([
    [1, 0],
    [2, 1_000],
  ])
  grant(1, 1)
  expect(sent()).toEqual([])
  grant(1, 2)
  expect(sent()).toEqual([1])
})

test('a grant expires some time after its ask was sent, and a new one is requested', () => {
  for (const [lateMs, isUsed] of [
    [1_500, true],
    [1_501, false],
  ] as const) {
    const { time, offer, asked, grant, sent } = member()
    offer(1)
    time.ms += lateMs
    grant(1, 1)
    expect(sent()).toEqual(isUsed ? [1] : [])
    expect(asked()).toHaveLength(isUsed ? 1 : 2)
  }
})

test('a request that no longer waits is withdrawn', () => {
  const { time, queue, offer, withdrawn, grant, sent } = member()
  offer(1)
  queue.drop(1, time.ms)
  expect(withdrawn()).toEqual([1])
  grant(1, 1)
  expect(sent()).toEqual([])
})

test('the outcome of a granted request is reported once, and its resend needs a new grant', () => {
  const { time, queue, messages, offer, asked, grant } = member()
  offer(1)
  grant(1, 1)
  queue.answered(1, { kind: 'cut' }, time.ms)
  expect(messages.at(-2)).toEqual({ kind: 'ended', used: [], ended: [{ id: 1, outcome: { kind: 'cut' } }] })
  expect(asked().map(({ attempt }) => attempt)).toEqual([1, 2])
  queue.answered(1, { kind: 'cut' }, time.ms)
  expect(messages.filter(({ kind }) => kind === 'ended')).toHaveLength(1)
})

test('a declined request gets the dispatcher’s answer', () => {
  const { queue, decisions, offer } = member()
  offer(1)
  queue.answers({
    ...{ kind: 'grant', epoch: 1, number: 1, spendWithinMs: 1_500, granted: [], turns: [] },
    declined: [{ id: 1, attempt: 1, why: 'too-late', retryAfterSeconds: 7 }],
  })
  expect(decisions.at(-1)).toEqual({ kind: 'refuse', request: 1, why: 'too-late', retryAfterSeconds: 7 })
})

test('an order is sent at once, and reported to the dispatcher', () => {
  const { time, queue, messages } = member()
  expect(queue.goAtOnce(9, 'Orders', time.ms)).toBeUndefined()
  expect(messages).toEqual([{ kind: 'ended', used: [{ id: 9, bucket: 'Orders' }], ended: [] }])
  expect(queue.present.underWay).toEqual([{ id: 9, bucket: 'Orders' }])
})

test('a share that a request without a response has used up stays used up', () => {
  const { time, queue, offer, sent } = member()
  queue.setAlone({
    ...{ members: 3, fraction: 1 / 3, hasAllowance: true, heardMs: time.ms },
    ...{ stoodStillMs: Number.NEGATIVE_INFINITY, split: new Set(), scarce: new Set() },
  })
  offer(1)
  expect(sent()).toEqual([1])
  queue.drop(1, time.ms)
  queue.answered(1, { kind: 'cut' }, time.ms)
  offer(2)
  expect(sent()).toEqual([1])
})
