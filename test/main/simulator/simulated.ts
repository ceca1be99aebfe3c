import { onTestFinished } from 'vitest'
import type { SimulatorFlags } from '../../../main/simulator/options.ts'
import { startSimulatorServer } from '../../../main/simulator/server.ts'

/** 2026-03-02, a Monday, well away from zero. */
export const START_MS = Date.UTC(2026, 2, 2, 15)

export interface Body {
  readonly [field: string]: unknown
}

/** Time that passes only by `advance`, which runs the timers that become due on the way. */
function stoppedClock() {
  let timers: { readonly atMs: number; readonly run: () => void }[] = []
  const clock = {
    ms: START_MS,
    after(ms: number, run: () => void) {
      const timer = { atMs: clock.ms + ms, run }
      timers.push(timer)
      return () => {
        timers = timers.filter((other) => other !== timer)
      }
    },
    advance(ms: number) {
      const untilMs = clock.ms + ms
      for (;;) {
        const [next] = timers.filter(({ atMs }) => atMs <= untilMs).sort((a, b) => a.atMs - b.atMs)
        if (next === undefined) break
        timers = timers.filter((other) => other !== next)
        clock.ms = Math.max(clock.ms, next.atMs)
        next.run()
      }
      clock.ms = untilMs
    },
  }
  return clock
}

/** A simulator on a free port under a clock that only the test moves, and the few requests tests make. */
export async function simulated(options: Partial<SimulatorFlags> = {}) {
  const clock = stoppedClock()
  let drawn = 0
  const random = () => {
    drawn = (drawn * 1_103_515_245 + 12_345) % 2 ** 31
    return drawn / 2 ** 31
  }
  const server = await startSimulatorServer(options, { nowMs: () => clock.ms, after: clock.after, random })
  onTestFinished(() => server.close())

  const form = (path: string, fields: Readonly<Record<string, string>>) =>
    fetch(server.origin + path, { method: 'POST', body: new URLSearchParams(fields), redirect: 'manual' })
  const refresh = (fields: Readonly<Record<string, string>> = {}) =>
    form('/oauth/token', {
      grant_type: 'refresh_token',
      client_id: 'sim-key',
      refresh_token: 'sim-refresh',
      ...fields,
    })
  const accessToken = async (): Promise<string> => {
    const body = (await (await refresh()).json()) as Body
    return String(body['access_token'])
  }
  const revoke = (fields: Body) =>
    fetch(`${server.origin}/oauth/revoke`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(fields),
    })
  let access: string | undefined
  const get = async (path: string, init: RequestInit = {}) => {
    access ??= await accessToken()
    const headers = { authorization: `Bearer ${access}`, accept: 'application/json' }
    return fetch(server.origin + path, {
      ...init,
      headers: { ...headers, ...(init.headers as Body) } as never,
    })
  }
  return { server, clock, form, refresh, accessToken, revoke, get }
}

/** The body of a market order. */
export const orderBody = (fields: object = {}) => ({
  AccountID: 'SIM1001',
  Symbol: 'MSFT',
  Quantity: '10',
  TradeAction: 'BUY',
  OrderType: 'Market',
  TimeInForce: { Duration: 'DAY' },
  ...fields,
})

export const json = async (response: Response): Promise<Body> => (await response.json()) as Body

/** The quota headers of an answer, as numbers if they are numeric. */
export function quotaOf(response: Response) {
  const number = (name: string) => {
    const value = response.headers.get(name)
    return value === null ? undefined : Number(value)
  }
  return {
    limit: number('x-ratelimit-limit'),
    period: number('x-ratelimit-period'),
    remaining: number('x-ratelimit-remaining'),
    reset: number('x-ratelimit-reset'),
    resource: response.headers.get('x-ratelimit-resource'),
  }
}

export function slotsOf(response: Response) {
  const limit = response.headers.get('x-concurrency-limit')
  const remaining = response.headers.get('x-concurrency-remaining')
  return {
    limit: limit === null ? undefined : Number(limit),
    remaining: remaining === null ? undefined : Number(remaining),
    resource: response.headers.get('x-concurrency-resource'),
  }
}
