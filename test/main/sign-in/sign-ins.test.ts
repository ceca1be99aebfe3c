import { createHash } from 'node:crypto'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { SignInStatus } from '../../../app/contract/sign-in.ts'
import { SIGN_IN_LIMIT_MS } from '../../../app/sign-in/failure.ts'
import type { HttpRequest, HttpStreamListener, OpenUrl } from '../../../main/ports/ports.ts'
import { SignIns, type SignInTask } from '../../../main/sign-in/sign-ins.ts'
import { PATIENT } from '../../patient.ts'
import { VirtualClock } from '../../simulation/virtual-clock.ts'
import { answerOf, renewal, ScriptedHttp } from '../scripted-http.ts'
import { silentSockets } from '../silent-sockets.ts'
import { freePorts, get } from './loopback.ts'

const stops: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop()
})

const GRANT = renewal('access-1', { refresh_token: 'refresh-1' })

interface Setting {
  readonly taken?: readonly number[]
  readonly openUrl?: OpenUrl
}

/** The HTTP port of a sign-in. Its host responds to a check, or fails for the reason `away`. */
class SignInHttp extends ScriptedHttp {
  away: string | undefined
  readonly looks: HttpRequest[] = []

  override open(request: HttpRequest, listener: HttpStreamListener): () => void {
    this.looks.push(request)
    const { away } = this
    queueMicrotask(() => (away === undefined ? listener.opened(404, {}) : listener.ended(away)))
    return () => {}
  }
}

function setUp({ taken = [], openUrl }: Setting = {}) {
  const http = new SignInHttp()
  const clock = new VirtualClock()
  const ports = freePorts(taken)
  let drawn = 0
  const signIns = new SignIns({
    http,
    clock,
    randomBytes: (size) => {
      drawn += 1
      return new Uint8Array(size).fill(drawn)
    },
    listen: ports.listen,
    ...(openUrl && { openUrl }),
    log: { note: () => {} },
  })
  stops.push(() => signIns.stop())
  const said: SignInStatus[] = []
  signIns.subscribe((status) => said.push(status))
  const granted: string[] = []
  const steps: string[] = []
  const task = (more: Partial<SignInTask> = {}): SignInTask => ({
    key: { authUrl: 'https://signin.test', clientId: 'the-key', clientSecret: 's3cret' },
    audience: 'https://api.test',
    extraScopes: [],
    prepare: async () => void steps.push('prepared'),
    finish: (refreshToken) => {
      granted.push(refreshToken)
      return { ok: true, profile: 'key-1' }
    },
    ...more,
  })
  const start = async (more: Partial<SignInTask> = {}) => {
    const outcome = await signIns.start(task(more))
    if (!outcome.ok) throw new Error(outcome.message)
    const query = new URL(outcome.url).searchParams
    const port = Number(new URL(query.get('redirect_uri') ?? '').port)
    return { ...outcome, query, port, state: query.get('state') ?? '' }
  }
  return { http, clock, ports, signIns, said, granted, steps, task, start }
}

describe('a sign-in', () => {
  it('exchanges the code for tokens and reports it in the tab and to the windows', async () => {
    const { http, said, granted, steps, start } = setUp()
    http.reply = () => {
      steps.push('exchanged')
      return GRANT
    }
    const { signIn, port, state, url } = await start()
    expect(url).not.toContain('s3cret')
    const page = await get(port, `/?code=the-code&state=${state}`)
    expect(page.status).toBe(200)
    expect(page.body).toContain('Close this tab and return to Headroom.')
    expect(granted).toEqual(['refresh-1'])
    expect(said).toEqual([{ state: 'done', signIn, profile: 'key-1' }])
    // Anything that could end the new tokens is removed before they exist.
    expect(steps).toEqual(['prepared', 'exchanged'])
  })

  it('completes even if a notified window throws', async () => {
    const { http, signIns, granted, said, start } = setUp()
    http.reply = () => GRANT
    signIns.subscribe(() => {
      throw new Error('a window broke')
    })
    const later: string[] = []
    signIns.subscribe(({ state }) => later.push(state))
    const { port, state } = await start()
    expect((await get(port, `/?code=the-code&state=${state}`)).body).toContain('return to Headroom')
    expect([granted, said.map((status) => status.state), later]).toEqual([['refresh-1'], ['done'], ['done']])
  })

  it.each([
    ['with a secret', { clientSecret: 'the-secret' }],
    ['without one', {}],
  ] as const)('of a key %s sends the challenge and later its verifier', async (_, secret) => {
    const { http, start } = setUp()
    http.reply = () => GRANT
    const { query, port, state } = await start({
      key: { authUrl: 'https://signin.test', clientId: 'k', ...secret },
    })
    await get(port, `/?code=c&state=${state}`)
    const form = new URLSearchParams(http.requests[0]?.body)
    const verifier = form.get('code_verifier') ?? ''
    expect(verifier.length).toBeGreaterThan(42)
    expect(query.get('code_challenge_method')).toBe('S256')
    expect(query.get('code_challenge')).toBe(createHash('sha256').update(verifier).digest('base64url'))
    expect(form.get('client_secret')).toBe('clientSecret' in secret ? secret.clientSecret : null)
  })

  it('creates a new state and verifier for each start', async () => {
    const { start } = setUp()
    const [one, two] = [await start(), await start()]
    expect(two.state).not.toBe(one.state)
  })

  it('listens on both loopback addresses under its one announced name', async () => {
    const { http, granted, start } = setUp()
    http.reply = () => GRANT
    const { port, state } = await start()
    const page = await get(port, `/?code=c&state=${state}`, { host: '::1' })
    expect(page.status).toBe(200)
    expect(granted).toHaveLength(1)
  })

  it('tries the ports in order and uses the first free one', async () => {
    const { ports, start } = setUp({ taken: [31022, 8080] })
    await start()
    expect(ports.asked).toEqual([31022, 8080, 3001])
  })

  it('names the ports if all are taken, and waits for nothing', async () => {
    const { signIns, task, clock } = setUp({ taken: [31022, 8080, 3001, 3000] })
    expect(await signIns.start(task())).toMatchObject({ ok: false, code: 'ports-taken' })
    expect(clock.pending).toBe(0)
  })
})

describe('a redirect', () => {
  it('with another state changes nothing: the right one still counts', async () => {
    const { http, said, granted, start } = setUp()
    http.reply = () => GRANT
    const { signIn, port, state } = await start()
    for (const query of ['code=c&state=wrong', 'code=c', 'error=access_denied&state=wrong']) {
      const page = await get(port, `/?${query}`)
      expect(page.status).toBe(400)
      expect(page.body).toContain('This response belongs to another sign-in')
    }
    expect(http.requests).toEqual([])
    // The window shows this only once, because a page could send thousands of such responses.
    expect(said).toHaveLength(1)
    expect(said[0]).toMatchObject({ state: 'waiting', signIn, notice: expect.stringContaining('Ignored') })
    await get(port, `/?code=c&state=${state}`)
    expect(granted).toHaveLength(1)
  })

  it('succeeds, however many silent connections were there first', async () => {
    const { http, granted, start } = setUp()
    http.reply = () => GRANT
    const { port, state } = await start()
    await silentSockets(300, { port, host: '127.0.0.1' })
    expect((await get(port, `/?code=c&state=${state}`)).status).toBe(200)
    expect(granted).toHaveLength(1)
  })

  it('that arrives twice spends one code', async () => {
    const { http, granted, start } = setUp()
    const { port, state } = await start()
    const first = get(port, `/?code=c&state=${state}`)
    await vi.waitFor(() => expect(http.waiting).toBe(1), PATIENT)
    http.reply = () => GRANT
    const second = await get(port, `/?code=c&state=${state}`)
    expect(second.status).toBe(409)
    expect(second.body).toContain('already complete')
    http.answer(GRANT)
    expect((await first).status).toBe(200)
    expect(http.requests).toHaveLength(1)
    expect(granted).toHaveLength(1)
  })

  it('is ignored once the sign-in is over', async () => {
    const { http, start, signIns } = setUp()
    http.reply = () => GRANT
    const { port, state } = await start()
    await get(port, `/?code=c&state=${state}`)
    await signIns.stop()
    await expect(get(port, `/?code=c&state=${state}`)).rejects.toThrow(/ECONNREFUSED/)
  })

  it('that declines ends the sign-in in plain words, and nothing is exchanged', async () => {
    const { http, said, start } = setUp()
    const { signIn, port, state } = await start()
    const page = await get(port, `/?error=access_denied&state=${state}`)
    expect(page.body).toContain('You declined in the browser')
    expect(said).toEqual([
      {
        state: 'failed',
        signIn,
        code: 'declined',
        message: 'You declined in the browser. Nothing was saved.',
      },
    ])
    expect(http.requests).toEqual([])
  })

  it('whose code is rejected reports that in the tab and to the windows', async () => {
    const { http, said, granted, start } = setUp()
    http.reply = () => answerOf(403, { error: 'invalid_grant' })
    const { port, state } = await start()
    const page = await get(port, `/?code=c&state=${state}`)
    expect(page.body).toContain('rejected its own sign-in code')
    expect(said).toMatchObject([{ state: 'failed', code: 'code-refused' }])
    expect(granted).toEqual([])
  })

  it('whose tokens cannot be connected reports why', async () => {
    const { http, said, start } = setUp()
    http.reply = () => GRANT
    const finish = () => ({ ok: false, code: 'x', message: 'That key is no longer connected.' }) as const
    const { port, state } = await start({ finish })
    const page = await get(port, `/?code=c&state=${state}`)
    expect(page.body).toContain('connecting failed')
    expect(said).toMatchObject([{ state: 'failed', message: /That key is no longer connected/ }])
  })

  it('is a GET of the root under our own name; nothing else gets a response', async () => {
    const { http, said, start } = setUp()
    http.reply = () => GRANT
    const { port, state } = await start()
    const query = `code=c&state=${state}`
    expect((await get(port, `/?${query}`, { headers: { host: `evil.test:${port}` } })).status).toBe(421)
    expect((await get(port, `/?${query}`, { headers: { host: 'localhost' } })).status).toBe(421)
    expect((await get(port, `/?${query}`, { method: 'POST' })).status).toBe(404)
    expect((await get(port, `/callback?${query}`)).status).toBe(404)
    expect((await get(port, '/favicon.ico')).status).toBe(404)
    expect((await get(port, '/')).status).toBe(404)
    expect(http.requests).toEqual([])
    expect(said).toEqual([])
  })

  it('gets a page without scripts that repeats nothing of the address', async () => {
    const { start } = setUp()
    const { port, state } = await start()
    const page = await get(port, `/?error=%3Cscript%3Ealert(1)%3C/script%3E&state=${state}`)
    expect(page.body).not.toContain('<script')
    expect(page.body).not.toContain(state)
    expect(page.headers['content-security-policy']).toMatch(/^default-src 'none'; style-src 'sha256-/)
    expect(page.headers['cache-control']).toBe('no-store')
    expect(page.headers['referrer-policy']).toBe('no-referrer')
  })
})

describe('the timeout', () => {
  it('comes after 5 minutes, not before, and frees the port', async () => {
    const { clock, said, start, signIns } = setUp()
    const { signIn, port, state, endsAt } = await start()
    expect(endsAt).toBe(clock.wallMs() + SIGN_IN_LIMIT_MS)
    await clock.advance(SIGN_IN_LIMIT_MS - 1)
    expect(said).toEqual([])
    await clock.advance(1)
    expect(said).toMatchObject([{ state: 'failed', signIn, code: 'expired' }])
    await signIns.stop()
    await expect(get(port, `/?code=c&state=${state}`)).rejects.toThrow(/ECONNREFUSED/)
  })

  it('does not interrupt an exchange in progress', async () => {
    const { http, clock, said, start } = setUp()
    const { port, state } = await start()
    const page = get(port, `/?code=c&state=${state}`)
    await vi.waitFor(() => expect(http.waiting).toBe(1), PATIENT)
    await clock.advance(SIGN_IN_LIMIT_MS + 1)
    http.answer(GRANT)
    expect((await page).body).toContain('Signed in')
    expect(said).toMatchObject([{ state: 'done' }])
  })

  it('happens at once on cancel, and only once', async () => {
    const { clock, said, start, signIns } = setUp()
    const { signIn } = await start()
    expect(signIns.cancel(signIn)).toEqual({ ok: true })
    expect(signIns.cancel(signIn)).toEqual({ ok: true })
    await clock.advance(SIGN_IN_LIMIT_MS)
    expect(said).toMatchObject([{ state: 'failed', code: 'cancelled' }])
  })

  it('happens at the next start, whose port is free by then', async () => {
    const { said, start, http, granted } = setUp()
    http.reply = () => GRANT
    const first = await start()
    const second = await start()
    expect(said).toMatchObject([{ state: 'failed', signIn: first.signIn, code: 'cancelled' }])
    await expect(get(first.port, `/?code=c&state=${first.state}`)).rejects.toThrow(/ECONNREFUSED/)
    await get(second.port, `/?code=c&state=${second.state}`)
    expect(granted).toHaveLength(1)
  })

  it('of two simultaneous starts leaves one', async () => {
    const { signIns, task, ports } = setUp()
    const outcomes = await Promise.all([signIns.start(task()), signIns.start(task())])
    expect(outcomes.map(({ ok }) => ok)).toEqual([false, true])
    const [first] = ports.bound
    if (ports.bound.length > 1) await expect(get(first ?? 0, '/')).rejects.toThrow(/ECONNREFUSED/)
  })

  it('cannot be triggered while the code is being spent', async () => {
    const { http, start, signIns, granted, task } = setUp()
    const { signIn, port, state } = await start()
    const page = get(port, `/?code=c&state=${state}`)
    await vi.waitFor(() => expect(http.waiting).toBe(1), PATIENT)
    expect(signIns.cancel(signIn)).toMatchObject({ ok: false, code: 'sign-in-finishing' })
    expect(await signIns.start(task())).toMatchObject({ ok: false, code: 'sign-in-finishing' })
    http.answer(GRANT)
    await page
    expect(granted).toHaveLength(1)
  })
})

describe('the browser', () => {
  it('opens the same address that the window shows', async () => {
    const opened: string[] = []
    const used: string[] = []
    const openUrl: OpenUrl = async (url) => {
      opened.push(url)
      return () => used.push(url)
    }
    const { start, signIns } = setUp({ openUrl })
    const { url, opened: isOpened } = await start()
    expect(isOpened).toBe(true)
    expect(opened).toEqual([url])
    expect(used).toEqual([])
    await signIns.stop()
    expect(used).toEqual([url])
  })

  it('that fails to open leaves the link in the window', async () => {
    const { start } = setUp({ openUrl: () => Promise.reject(new Error('no xdg-open')) })
    expect((await start()).opened).toBe(false)
    expect((await setUp().start()).opened).toBe(false)
  })
})

describe('an unresponsive sign-in host', () => {
  const browser = () => {
    const opened: string[] = []
    const openUrl: OpenUrl = async (url) => {
      opened.push(url)
      return () => {}
    }
    return { opened, openUrl }
  }

  it('is reported before the browser opens, and its page opens when it responds', async () => {
    const { opened, openUrl } = browser()
    const { http, clock, said, start } = setUp({ openUrl })
    http.away = 'host name not found'
    const started = await start()
    expect(started).toMatchObject({ opened: false, unreachable: 'host name not found' })
    expect(opened).toEqual([])
    await clock.advance(1_999)
    expect([http.looks.length, said]).toEqual([1, []])
    http.away = 'connection refused'
    await clock.advance(1)
    expect(said).toEqual([expect.objectContaining({ opened: false, unreachable: 'connection refused' })])
    http.away = undefined
    await clock.advance(4_000)
    expect(opened).toEqual([started.url])
    expect(said.at(-1)).toEqual({
      state: 'waiting',
      signIn: started.signIn,
      endsAt: started.endsAt,
      opened: true,
    })
  })

  it('is reported while its page is open, and only once', async () => {
    const { opened, openUrl } = browser()
    const { http, clock, said, start } = setUp({ openUrl })
    expect(await start()).toMatchObject({ opened: true })
    await clock.advance(60_000)
    expect(said).toEqual([])
    http.away = 'timed out'
    await clock.advance(60_000)
    expect(said).toEqual([expect.objectContaining({ opened: true, unreachable: 'timed out' })])
    http.away = undefined
    await clock.advance(15_000)
    expect(said.at(-1)).not.toHaveProperty('unreachable')
    expect(opened).toHaveLength(1)
  })

  it('is tested without any data of the sign-in, and not after its end', async () => {
    const { http, clock, start, signIns } = setUp()
    const { signIn } = await start()
    expect(http.looks).toEqual([
      expect.objectContaining({ method: 'GET', url: 'https://signin.test/', headers: {} }),
    ])
    signIns.cancel(signIn)
    await clock.advance(SIGN_IN_LIMIT_MS)
    expect([http.looks.length, clock.pending]).toEqual([1, 0])
  })

  it('is named as the reason when the sign-in times out', async () => {
    const { http, clock, said, start } = setUp({ openUrl: browser().openUrl })
    http.away = 'connection refused'
    await start()
    await clock.advance(SIGN_IN_LIMIT_MS)
    expect(said.at(-1)).toMatchObject({
      state: 'failed',
      code: 'not-sent',
      message: expect.stringMatching(/Can't reach the sign-in host: connection refused\. Check the network/),
    })
  })

  it('delays neither another start nor the end', async () => {
    const { http, signIns, task, clock } = setUp()
    http.open = () => () => {}
    const first = signIns.start(task())
    const second = signIns.start(task())
    expect(await first).toMatchObject({ ok: false, code: 'cancelled' })
    await signIns.stop()
    expect(await second).toMatchObject({ ok: false, code: 'cancelled' })
    expect(clock.pending).toBe(0)
  })
})

describe('a sign-in for orders', () => {
  const scopes = (scope: string) => renewal('access-1', { refresh_token: 'refresh-1', scope })

  it.each([
    ['needed', 'openid MarketData ReadAccount Trade', 'done'],
    // The list of scopes in a refresh may be incomplete, so a missing scope proves nothing.
    ['needed', 'openid offline_access', 'done'],
    ['needed', 'openid MarketData ReadAccount', 'failed'],
    ['asked', 'openid MarketData ReadAccount', 'done'],
  ] as const)('that is %s and granted %j is %s', async (trade, scope, state) => {
    const { http, start, said, granted } = setUp()
    http.reply = () => scopes(scope)
    const { port, state: its, query } = await start({ trade })
    expect(query.get('scope')).toContain('Trade')
    await get(port, `/?code=c&state=${its}`)
    expect(said.at(-1)).toMatchObject({ state, ...(state === 'failed' && { code: 'trade-withheld' }) })
    expect(granted).toEqual(state === 'done' ? ['refresh-1'] : [])
  })
})
