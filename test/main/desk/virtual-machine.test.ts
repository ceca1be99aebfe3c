import { describe, expect, it } from 'vitest'
import { VirtualClock } from '../../simulation/virtual-clock.ts'
import { VirtualMachine } from './virtual-machine.ts'

function started(traits = {}) {
  const world = new VirtualClock()
  const machine = new VirtualMachine(world, traits)
  const ran: string[] = []
  const inMs = (ms: number, what: string) => machine.after(ms, () => ran.push(what))
  return { world, machine, ran, inMs }
}

describe('a virtual machine', () => {
  it('has a monotonic clock that starts and drifts as it is made', async () => {
    const { world, machine } = started({ startedMs: 500, driftPpm: 100, wallErrorMs: -7 })
    const wallMs = machine.wallMs()
    await world.advance(1_000_000)
    expect(machine.monotonicMs()).toBeCloseTo(500 + 1_000_100, 6)
    expect(machine.wallMs() - wallMs).toBe(1_000_000)
    expect(machine.wallMs() - world.worldMs()).toBe(-7)
  })

  it('runs timers by its own clock, unless they are cancelled', async () => {
    const { world, ran, inMs } = started({ driftPpm: 100_000 })
    inMs(110, 'at 100')
    inMs(220, 'never')()
    await world.advance(99)
    expect(ran).toEqual([])
    await world.advance(101)
    expect(ran).toEqual(['at 100'])
  })

  it('runs timers that were due while it was frozen as soon as it wakes, with time passed', async () => {
    const { world, machine, ran, inMs } = started()
    inMs(10, 'timer')
    const cancel = inMs(20, 'never')
    machine.freeze()
    await world.advance(1_000)
    machine.run(() => ran.push('message'))
    expect(ran).toEqual([])
    cancel()
    machine.wake()
    await world.advance(1_000)
    expect(ran).toEqual(['timer', 'message'])
    expect(machine.monotonicMs()).toBe(2_000)
  })

  it('sees no time pass while it sleeps, and its timers wait longer by that time', async () => {
    const { world, machine, ran, inMs } = started()
    inMs(100, 'timer')
    await world.advance(50)
    machine.sleep()
    await world.advance(10_000)
    machine.wake()
    expect(machine.monotonicMs()).toBe(50)
    await world.advance(49)
    expect(ran).toEqual([])
    await world.advance(2)
    expect(ran).toEqual(['timer'])
  })

  it('never does anything again inMs it was killed', async () => {
    const { world, machine, ran, inMs } = started()
    inMs(10, 'timer')
    machine.freeze()
    machine.run(() => ran.push('held'))
    machine.kill()
    machine.wake()
    machine.run(() => ran.push('later'))
    await world.advance(1_000)
    expect(ran).toEqual([])
    expect(machine.isOn).toBe(false)
  })
})
