import { EventEmitter } from 'node:events'
import { describe, expect, it } from 'vitest'
import { systemNotices } from '../../../../main/hosts/desktop/electron-notify.ts'
import type { ElectronPieces } from '../../../../main/hosts/desktop/electron-pieces.ts'

function system({ supported = true } = {}) {
  const said: string[] = []
  const made: EventEmitter[] = []
  class Notification extends EventEmitter {
    static isSupported = () => supported
    readonly #title: string
    readonly #urgency: string
    constructor({ title, urgency }: { title: string; urgency: string }) {
      super()
      this.#title = title
      this.#urgency = urgency
      made.push(this)
    }
    show = () => void said.push(`show ${this.#title} (${this.#urgency})`)
    close = () => {
      said.push(`close ${this.#title}`)
      this.emit('close')
    }
  }
  let clicks = 0
  const electron = { Notification } as unknown as Pick<ElectronPieces, 'Notification'>
  const clicked = () => {
    clicks += 1
  }
  const notices = systemNotices(electron, clicked, { note: (line) => void said.push(line) })
  const notify = (title: string, tag: string, isUrgent = false) =>
    notices.notify({ title, body: 'b', tag, isUrgent })
  return { said, made, notify, withdraw: notices.withdraw, clicks: () => clicks }
}

describe('the system’s notifications', () => {
  it('replace only the earlier one with the same tag', () => {
    const { said, notify } = system()
    notify('a', 'one')
    notify('b', 'two')
    notify('c', 'one', true)
    expect(said).toEqual(['show a (normal)', 'show b (normal)', 'close a', 'show c (critical)'])
  })

  it('are withdrawn when their cause ends, once', () => {
    const { said, notify, withdraw } = system()
    notify('a', 'one')
    withdraw('one')
    withdraw('one')
    withdraw('never shown')
    expect(said).toEqual(['show a (normal)', 'close a'])
  })

  it('show the window when they are clicked', () => {
    const { made, notify, clicks } = system()
    notify('a', 'one')
    made[0]?.emit('click')
    expect(clicks()).toBe(1)
  })

  it('that the system fails to show are logged, and not withdrawn later', () => {
    const { said, made, notify, withdraw } = system()
    notify('a', 'one')
    made[0]?.emit('failed', {}, 'no service')
    withdraw('one')
    expect(said).toEqual(['show a (normal)', 'the system did not show a notification'])
  })

  it('are not missed if the system has none', () => {
    const { said, notify } = system({ supported: false })
    notify('a', 'one')
    expect(said).toEqual([])
  })
})
