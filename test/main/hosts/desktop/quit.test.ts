import { EventEmitter } from 'node:events'
import { describe, expect, it } from 'vitest'
import { endAfterStop, QUIT_LIMIT_MS, type QuitDeps } from '../../../../main/hosts/desktop/quit.ts'
import { SteppedClock } from '../../stepped-clock.ts'

/**
 * Behaves like Electron's `quit`: a call is ignored while the app is quitting. Quitting lasts until
 * everything that `will-quit` caused without waiting is over.
 */
class QuittingApp extends EventEmitter {
  exits: number[] = []
  #isQuitting = false

  quit(): void {
    if (this.#isQuitting || this.exits.length > 0) return
    this.#isQuitting = true
    const event = new Event('will-quit', { cancelable: true })
    this.emit('will-quit', event)
    if (!event.defaultPrevented) this.exit(0)
    setImmediate(() => {
      this.#isQuitting = false
    })
  }

  readonly exit = (code = 0) => void this.exits.push(code)
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve))

function quitting(stop: () => Promise<void>) {
  const app = new QuittingApp()
  const clock = new SteppedClock()
  const notes: string[] = []
  const log = { note: (line: string) => void notes.push(line) }
  endAfterStop({ app: app as unknown as QuitDeps['app'], clock, log, stop })
  return { app, clock, notes }
}

describe('quitting', () => {
  it('ends the process by one quit, even if stopping takes no time', async () => {
    const { app, clock } = quitting(async () => {})
    app.quit()
    await nextTurn()
    expect(app.exits).toEqual([0])
    expect(clock.pending).toBe(0)
  })

  it('waits until everything is stopped, once however often it is requested', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    let stops = 0
    const { app } = quitting(() => {
      stops += 1
      return promise
    })
    app.quit()
    await nextTurn()
    app.quit()
    await nextTurn()
    expect([stops, app.exits]).toEqual([1, []])
    resolve()
    await nextTurn()
    expect(app.exits).toEqual([0])
  })

  it('ends the process within 3 s whatever hangs, and reports it', async () => {
    const { app, clock, notes } = quitting(() => new Promise(() => {}))
    app.quit()
    clock.advance(QUIT_LIMIT_MS - 1)
    await nextTurn()
    expect(app.exits).toEqual([])
    clock.advance(1)
    await nextTurn()
    expect(app.exits).toEqual([0])
    expect(notes).toEqual(['quitting timed out'])
    expect(QUIT_LIMIT_MS).toBeLessThan(3_000)
  })

  it('ends the process even if stopping fails, and reports it', async () => {
    const { app, notes } = quitting(async () => {
      throw new Error('disk')
    })
    app.quit()
    await nextTurn()
    expect(app.exits).toEqual([0])
    expect(notes).toEqual(['quitting failed'])
  })
})
