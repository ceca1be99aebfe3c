import { EventEmitter } from 'node:events'
import { describe, expect, it } from 'vitest'
import type { ElectronPieces } from '../../../../main/hosts/desktop/electron-pieces.ts'
import { electronPower, followPower } from '../../../../main/hosts/desktop/electron-power.ts'

function machine() {
  const powerMonitor = new EventEmitter()
  const blockers: string[] = []
  const powerSaveBlocker = {
    start: (kind: string) => blockers.push(`start ${kind}`),
    stop: (id: number) => blockers.push(`stop ${id}`) > 0,
  }
  const pieces = { powerMonitor, powerSaveBlocker } as unknown as Pick<
    ElectronPieces,
    'powerMonitor' | 'powerSaveBlocker'
  >
  const notes: string[] = []
  let wakes = 0
  let sleeps = 0
  const monitor = {
    sleep: () => {
      sleeps += 1
    },
    wake: () => {
      wakes += 1
    },
  }
  const power = electronPower(pieces)
  const stop = followPower(power, monitor, { note: (line) => void notes.push(line) })
  return { powerMonitor, power, blockers, notes, stop, wakes: () => wakes, sleeps: () => sleeps }
}

describe('the machine', () => {
  it('wakes the monitor when it wakes, and when a person returns', () => {
    const { powerMonitor, wakes, sleeps, notes } = machine()
    powerMonitor.emit('suspend')
    powerMonitor.emit('lock-screen')
    expect([wakes(), sleeps()]).toEqual([0, 1])
    powerMonitor.emit('resume')
    expect(wakes()).toBe(1)
    powerMonitor.emit('unlock-screen')
    expect(wakes()).toBe(2)
    expect(notes).toHaveLength(4)
  })

  it('is not listened to after the end', () => {
    const { powerMonitor, stop, wakes } = machine()
    stop()
    powerMonitor.emit('resume')
    expect(wakes()).toBe(0)
    expect(powerMonitor.eventNames()).toEqual([])
  })

  it('is kept awake once, however often that is requested, and released once', () => {
    const { power, blockers } = machine()
    power.keepAwake(false)
    power.keepAwake(true)
    power.keepAwake(true)
    power.keepAwake(false)
    power.keepAwake(false)
    expect(blockers).toEqual(['start prevent-app-suspension', 'stop 1'])
  })
})
