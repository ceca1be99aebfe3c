import { describe, expect, it } from 'vitest'
import { BrowserApi } from '../../../renderer/api/browser-api.ts'
import type { Link } from '../../../renderer/api/window-api.ts'
import { NOW_MS, snapshot } from '../fixtures.ts'
import { settled, VirtualWindowClock } from '../virtual-window-clock.ts'

type Answer = (signal: AbortSignal | undefined) => Response | 'unreachable'

/** A host with scripted answers for each path. The last answer repeats. */
function scripted(kept?: string, code?: string) {
  const clock = new VirtualWindowClock(NOW_MS)
  const answers = new Map<string, Answer[]>()
  const asked: { path: string; bearer: string | null; body: string | undefined }[] = []
  let bearer = kept
  let waiting = code
  const places = { free: 1, taken: 0 }
  const browser = new BrowserApi({
    clock,
    random: () => 1,
    session: {
      bearer: () => bearer,
      keep: (value) => {
        bearer = value
      },
      forget: () => {
        bearer = undefined
      },
      takeCode: () => {
        const taken = waiting
        waiting = undefined
        return taken
      },
    },
    place: {
      take: async () => {
        if (places.taken === 0 && places.free > 0) places.taken = 1
        return places.taken === 1
      },
      leave: () => {
        places.taken = 0
      },
    },
    fetch: async (input, init) => {
      const path = String(input)
      asked.push({
        path,
        bearer: new Headers(init?.headers).get('authorization'),
        body: init?.body === undefined ? undefined : String(init.body),
      })
      const queue = answers.get(path) ?? []
      const next = queue.length > 1 ? queue.shift() : queue[0]
      const answer = next?.(init?.signal ?? undefined) ?? 'unreachable'
      if (answer === 'unreachable') throw new TypeError('fetch failed')
      return answer
    },
  })
  const links: Link[] = []
  browser.subscribe((link) => links.push(link))
  return {
    browser,
    clock,
    places,
    links,
    asked,
    answer: (path: string, ...made: Answer[]) => answers.set(path, made),
    code: (value: string) => {
      waiting = value
    },
    bearer: () => bearer,
  }
}

const json = (status: number, value: unknown) => () => Response.json(value, { status })

/** A push stream that a test writes to and ends. */
function pushes() {
  let control: ReadableStreamDefaultController<Uint8Array>
  let over = false
  const stream = new ReadableStream<Uint8Array>({
    start: (controller) => {
      control = controller
    },
  })
  return {
    answer: (signal: AbortSignal | undefined) => {
      // As in fetch, an abort ends the body with an error.
      signal?.addEventListener('abort', () => {
        over = true
        control.error(new DOMException('aborted', 'AbortError'))
      })
      return new Response(stream)
    },
    say: (text: string) => control.enqueue(new TextEncoder().encode(text)),
    end: () => control.close(),
    get over() {
      return over
    },
  }
}

describe('the browser host’s client', () => {
  it('exchanges the code for a bearer and sends it with every request', async () => {
    const host = scripted(undefined, 'abc')
    const stream = pushes()
    host.answer('/api/session', json(200, { bearer: 'B' }))
    host.answer('/api/pushes', stream.answer)
    host.answer('/api/command/hello', json(200, { value: { version: '1' } }))
    host.browser.start()
    await settled()
    expect(host.asked[0]).toEqual({ path: '/api/session', bearer: null, body: '{"code":"abc"}' })
    expect(host.bearer()).toBe('B')
    expect(host.links).toEqual([{ kind: 'live' }])
    await expect(host.browser.api.hello()).resolves.toEqual({ version: '1' })
    expect(host.asked.at(-1)).toEqual({ path: '/api/command/hello', bearer: 'Bearer B', body: 'null' })
  })

  it('passes each push to the listeners of its channel, however the chunks are split', async () => {
    const host = scripted('B')
    const stream = pushes()
    host.answer('/api/pushes', stream.answer)
    const revisions: number[] = []
    host.browser.api.snapshotChanged((one) => revisions.push(one.revision))
    host.browser.start()
    await settled()
    const line = `${JSON.stringify({ channel: 'snapshotChanged', value: snapshot({ revision: 7 }) })}\n`
    stream.say(`\n${line.slice(0, 40)}`)
    await settled()
    expect(revisions).toEqual([])
    stream.say(`${line.slice(40)}not json\n{"channel":"constructor","value":1}\n`)
    await settled()
    expect(revisions).toEqual([7])
  })

  it('reports a page opened without a code', async () => {
    const host = scripted()
    host.browser.start()
    await settled()
    expect(host.links).toEqual([{ kind: 'no-session', why: 'no-code' }])
    expect(host.asked).toEqual([])
  })

  it('uses its existing bearer if the code was already used, as after a restored tab', async () => {
    const host = scripted('B', 'used')
    host.answer('/api/session', json(401, { error: 'x' }))
    host.answer('/api/pushes', pushes().answer)
    host.browser.start()
    await settled()
    expect(host.links).toEqual([{ kind: 'live' }])
  })

  it('reports a used link in a second tab, and not a restarted host', async () => {
    const host = scripted(undefined, 'used')
    host.answer('/api/session', json(401, { error: 'x' }))
    host.browser.start()
    await settled()
    expect(host.links).toEqual([{ kind: 'no-session', why: 'no-code' }])
  })

  it('reports a restarted host if its bearer is unknown, and stops retrying', async () => {
    const host = scripted('old')
    host.answer('/api/pushes', json(401, { error: 'x' }))
    host.browser.start()
    await settled()
    expect(host.links).toEqual([{ kind: 'no-session', why: 'restarted' }])
    expect(host.bearer()).toBeUndefined()
    expect(host.clock.timers).toBe(0)
    expect(host.places.taken).toBe(0)
  })

  it('continues when the new link is opened in the same tab', async () => {
    const host = scripted('old')
    host.answer('/api/pushes', json(401, { error: 'x' }), pushes().answer)
    host.answer('/api/session', json(200, { bearer: 'new' }))
    host.browser.start()
    await settled()
    host.code('fresh')
    host.browser.start()
    await settled()
    expect(host.browser.current()).toEqual({ kind: 'live' })
    expect(host.bearer()).toBe('new')
  })

  it('retries an unresponsive host at growing intervals, and remembers since when', async () => {
    const host = scripted('B')
    host.browser.start()
    await host.clock.pass(0)
    expect(host.links).toEqual([{ kind: 'lost', sinceMs: NOW_MS, retryAtMs: NOW_MS + 250 }])
    await host.clock.pass(250 + 500 + 1000)
    expect(host.links.at(-1)).toEqual({ kind: 'lost', sinceMs: NOW_MS, retryAtMs: NOW_MS + 3750 })
    await host.clock.pass(60_000)
    const tries = host.asked.length
    await host.clock.pass(50_000)
    expect(host.asked.length - tries).toBe(10)
  })

  it('is live again after the host is', async () => {
    const host = scripted('B')
    const first = pushes()
    host.answer('/api/pushes', first.answer, () => 'unreachable', pushes().answer)
    host.browser.start()
    await settled()
    first.end()
    await host.clock.pass(0)
    expect(host.browser.current().kind).toBe('lost')
    await host.clock.pass(2000)
    expect(host.browser.current().kind).toBe('live')
  })

  it('treats a host without any line for 12 s, even a blank one, as gone', async () => {
    const host = scripted('B')
    const stream = pushes()
    host.answer('/api/pushes', stream.answer)
    host.browser.start()
    await host.clock.pass(10_000)
    stream.say('\n')
    await host.clock.pass(11_900)
    expect(host.browser.current().kind).toBe('live')
    await host.clock.pass(200)
    expect(host.browser.current().kind).toBe('lost')
    expect(stream.over).toBe(true)
  })

  it('retries at once when the person asks', async () => {
    const host = scripted('B')
    host.browser.start()
    await host.clock.pass(10_000)
    const tries = host.asked.length
    host.browser.tryNow()
    await settled()
    expect(host.asked.length).toBe(tries + 1)
  })

  it('opens no connection while too many tabs are open, and connects once one is closed', async () => {
    const host = scripted(undefined, 'abc')
    host.places.free = 0
    host.answer('/api/session', json(200, { bearer: 'B' }))
    host.answer('/api/pushes', pushes().answer)
    host.browser.start()
    await host.clock.pass(10_000)
    expect(host.browser.current()).toEqual({ kind: 'too-many-tabs' })
    expect(host.asked.map(({ path }) => path)).toEqual(['/api/session'])
    host.places.free = 1
    await host.clock.pass(2_000)
    expect(host.browser.current()).toEqual({ kind: 'live' })
  })

  it('looks for a free place at once when the person retries', async () => {
    const host = scripted('B')
    host.places.free = 0
    host.answer('/api/pushes', pushes().answer)
    host.browser.start()
    await settled()
    host.places.free = 1
    host.browser.tryNow()
    await settled()
    expect(host.browser.current()).toEqual({ kind: 'live' })
  })

  it('passes on the host’s message about an invalid argument', async () => {
    const host = scripted('B')
    host.answer('/api/command/events', json(400, { error: 'events: after must be at least 0' }))
    await expect(host.browser.api.events({ after: -1 })).rejects.toThrow('events: after must be at least 0')
  })

  it('learns from a command, too, that the host was restarted', async () => {
    const host = scripted('old')
    host.answer('/api/pushes', pushes().answer)
    host.answer('/api/command/snapshots', json(401, { error: 'x' }))
    host.browser.start()
    await settled()
    await expect(host.browser.api.snapshots()).rejects.toThrow('restarted')
    expect(host.browser.current()).toEqual({ kind: 'no-session', why: 'restarted' })
  })
})
