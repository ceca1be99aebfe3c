import { expect, test } from 'vitest'
import { LEASE_ANSWER_MS, LEASE_TTL_MS, type LeaseAnswer } from '../../../app/desk/queue-ports.ts'
import { deskNames } from '../../../main/desk/envelope.ts'
import { VirtualClock } from '../../simulation/virtual-clock.ts'
import { SECRET } from './virtual-desk.ts'
import { VirtualDeskServer } from './virtual-desk-server.ts'
import { VirtualMachine } from './virtual-machine.ts'

function started() {
  const clock = new VirtualClock()
  const server = new VirtualDeskServer(clock, 1, { delayMs: [2, 2] })
  const engine = () => {
    const machine = new VirtualMachine(clock)
    const { lease } = server.engines(machine).start({ servers: [], names: deskNames(SECRET) })
    return { machine, lease }
  }
  const answered = async (asked: Promise<LeaseAnswer>, withinMs = 10) => {
    let answer: LeaseAnswer | undefined
    void asked.then((given) => {
      answer = given
    })
    await clock.advance(withinMs)
    return answer
  }
  return { clock, server, a: engine(), b: engine(), answered }
}

test('a virtual lease has one holder, until it expires or is released', async () => {
  const { clock, a, b, answered } = started()
  expect(await answered(a.lease.create())).toBe('held')
  expect(await answered(b.lease.create())).toBe('taken')
  expect(await answered(a.lease.create())).toBe('held')
  await clock.advance(LEASE_TTL_MS - 20)
  expect(await answered(b.lease.create())).toBe('taken')
  await clock.advance(20)
  expect(await answered(b.lease.create())).toBe('held')
  expect(await answered(a.lease.renew())).toBe('taken')
  void b.lease.release()
  expect(await answered(a.lease.create())).toBe('held')
})

test('a virtual lease is unknown to a machine that is cut off, and free on an empty server', async () => {
  const { server, a, b, answered } = started()
  expect(await answered(a.lease.create())).toBe('held')
  server.cut(a.machine)
  expect(await answered(a.lease.renew())).toBeUndefined()
  expect(await answered(a.lease.renew(), LEASE_ANSWER_MS)).toBe('unknown')
  server.heal(a.machine)
  server.stop()
  server.restart({ isEmpty: true })
  expect(await answered(b.lease.create())).toBe('held')
  expect(await answered(a.lease.renew())).toBe('taken')
})
