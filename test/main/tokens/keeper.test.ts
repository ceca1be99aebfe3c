import { expect, test } from 'vitest'
import type { HttpOutcome } from '../../../main/ports/ports.ts'
import type { TokenKeeper } from '../../../main/tokens/keeper.ts'
import { proves } from '../../proof/proves.ts'
import { answerOf, NOT_SENT, REFUSAL, renewal, UNKNOWN } from '../scripted-http.ts'
import { DAY_MS, MINUTE_MS, setUp, started } from './scripted-keeper.ts'

const PATH = '/v3/brokerage/accounts'

test('refreshes exactly two minutes before expiry', async () => {
  const { clock, keeper, sentAtMs } = await started([renewal('a1'), renewal('a2')], 18 * MINUTE_MS - 1)
  expect(sentAtMs).toEqual([0])
  await clock.advance(1)
  expect(sentAtMs).toEqual([0, 18 * MINUTE_MS])
  expect(await keeper.access()).toEqual({ kind: 'token', value: 'a2' })
})

test('a refresh reports its duration, from request to response', async () => {
  const { clock, http, kinds } = await started([renewal('a1')], 18 * MINUTE_MS)
  await clock.advance(400)
  http.answer(renewal('a2'))
  await clock.advance(0)
  expect(kinds('token-refreshed')).toMatchObject([{ tookMs: 0 }, { tookMs: 400 }])
})

test('a late 401 to a replaced token changes nothing for the current one', async () => {
  const { clock, keeper, http } = await started([renewal('a1'), renewal('a2')], 19 * MINUTE_MS)
  expect(http.requests.length).toBe(2)
  void keeper.rejected('a1', PATH)
  await clock.advance(0)
  expect(http.requests.length).toBe(2)
  expect(await keeper.access()).toEqual({ kind: 'token', value: 'a2' })
  proves('T9', { level: 2, cases: 1 })
})

test('a token rejected just after its issue is replaced, and the new one is used', async () => {
  const { keeper, sentAtMs } = await started([renewal('a1'), renewal('a2')], 1)
  await keeper.rejected('a1', PATH)
  expect(sentAtMs).toEqual([0, 1])
  expect(await keeper.access()).toEqual({ kind: 'token', value: 'a2' })
})

test('a rejected token stays in use until the retry schedule gets another one', async () => {
  const { clock, keeper, http, sentAtMs } = await started(
    [renewal('a1'), NOT_SENT, answerOf(503), renewal('a2')],
    MINUTE_MS,
  )
  await keeper.rejected('a1', PATH)
  expect(keeper.usable()).toEqual({ kind: 'token', value: 'a1' })
  expect([keeper.canUseService, keeper.accessSummary().state]).toEqual([true, 'valid'])
  await clock.advance(700)
  await keeper.rejected('a1', PATH)
  await keeper.rejected('a1', '/v3/another')
  expect(http.requests.length).toBe(2)
  await clock.advance(MINUTE_MS)
  expect(sentAtMs).toEqual([0, 60_000, 60_750, 62_250])
  expect(keeper.usable()).toEqual({ kind: 'token', value: 'a2' })
  await clock.advance(10 * MINUTE_MS)
  expect(http.requests.length).toBe(4)
})

test('a rejected token is no longer used once the sign-in host reports that the grant has ended', async () => {
  const { keeper } = await started([renewal('a1'), REFUSAL], MINUTE_MS)
  await keeper.rejected('a1', PATH)
  expect(keeper.usable()).toEqual({ kind: 'none', why: 'sign-in-required' })
})

test('a caller that got 401 waits ten seconds for a refresh, and no longer', async () => {
  const { clock, keeper, http } = await started([renewal('a1')], MINUTE_MS)
  let told = 0
  const rejected = () =>
    void keeper.rejected('a1', PATH).then(() => {
      told += 1
    })
  rejected()
  await clock.advance(5_000)
  rejected()
  await clock.advance(4_999)
  expect(told).toBe(0)
  await clock.advance(1)
  expect(told).toBe(1)
  http.answer(renewal('a2'))
  await clock.advance(0)
  expect([told, keeper.usable()]).toEqual([2, { kind: 'token', value: 'a2' }])
  expect(http.requests.length).toBe(2)
})

test('a confirmed revocation by another profile ends these tokens too, once', async () => {
  const { clock, keeper, http } = await started([renewal('a1')])
  expect(keeper.revokedElsewhere()).toBe(true)
  expect(keeper.refreshSummary().state).toBe('revoked')
  expect(await keeper.access()).toMatchObject({ kind: 'none' })
  expect(keeper.revokedElsewhere()).toBe(false)
  await clock.advance(DAY_MS)
  expect(http.requests.length).toBe(1)
})

test('50 callers at expiry share one request', async () => {
  const { clock, keeper, http } = await started([renewal('a1')])
  await keeper.rejected('not the token that is held', PATH)
  expect(http.requests.length).toBe(1)
  await clock.advance(15_000)
  const callers = Array.from({ length: 50 }, async () => {
    await keeper.rejected('a1', PATH)
    return keeper.access()
  })
  await clock.advance(0)
  expect(http.requests.length).toBe(2)
  http.answer(renewal('a2'))
  const got = await Promise.all(callers)
  expect(new Set(got.map((access) => access.kind === 'token' && access.value))).toEqual(new Set(['a2']))
  expect(http.requests.length).toBe(2)
  proves('T5', { level: 1, cases: 50 })
})

test('a lost response is retried once at once with the same token, then on schedule', async () => {
  const { keeper, sentAtMs, sentTokens, kinds } = await started(
    [UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, renewal('a1')],
    MINUTE_MS,
  )
  // The waits are 0.75, 1.5 and 3.75 s: three quarters of each step, because the jitter is at its middle.
  expect(sentAtMs).toEqual([0, 0, 750, 2_250, 6_000])
  expect(new Set(sentTokens())).toEqual(new Set(['refresh-0']))
  expect(kinds('sign-in-required')).toEqual([])
  expect(keeper.refreshSummary().state).toBe('valid')
})

test('ten seconds without a response are reported, with the time of the request, and nothing is sent for it', async () => {
  const { clock, keeper, http, told } = await started([], 9_999)
  expect(told).toEqual([])
  await clock.advance(1)
  expect(told).toEqual([[false, 'not responding', 10_000]])
  await clock.advance(9_000)
  expect([http.requests.length, told.length]).toEqual([1, 1])
  http.answer(renewal('a1'))
  await clock.advance(0)
  expect(told.slice(1)).toEqual([[true, '', undefined]])
  expect(await keeper.access()).toEqual({ kind: 'token', value: 'a1' })
})

test('a response in time, or a stop, cancels that report', async () => {
  const { clock, keeper, http, reached } = await started([], 9_000)
  http.answer(renewal('a1'))
  await clock.advance(5_000)
  expect(reached).toEqual([true])
  void keeper.refresh()
  await clock.advance(5_000)
  keeper.stop()
  await clock.advance(60_000)
  expect([reached, clock.pending]).toEqual([[true], 0])
})

test('a refresh that was not sent is not retried at once', async () => {
  const { clock, sentAtMs } = await started([NOT_SENT, renewal('a1')], 749)
  expect(sentAtMs).toEqual([0])
  await clock.advance(1)
  expect(sentAtMs).toEqual([0, 750])
})

test('an event’s listener sees an access token that is no longer being refreshed', async () => {
  for (const [outcome, expected] of [
    [REFUSAL, 'none'],
    [answerOf(401, { error: 'invalid_client' }), 'none'],
    [renewal('a1'), 'valid'],
    [answerOf(503), 'none'],
  ] as const) {
    const { clock, http, keeper, states } = await started()
    expect(keeper.accessSummary().state).toBe('refreshing')
    http.answer(outcome)
    await clock.advance(0)
    expect(states.length).toBeGreaterThan(0)
    expect(new Set(states)).toEqual(new Set([expected]))
  }
})

test('a wait requested by the service is a minimum for the retry schedule', async () => {
  const { clock, sentAtMs } = await started(
    [answerOf(503, '', { 'retry-after': '40' }), renewal('a1')],
    39_999,
  )
  expect(sentAtMs).toEqual([0])
  await clock.advance(1)
  expect(sentAtMs).toEqual([0, 40_000])
})

test('a path that rejects every token triggers ever fewer refreshes, and another one does not wait for them', async () => {
  const { clock, keeper, http } = setUp()
  let count = 0
  http.reply = () => {
    count += 1
    return renewal(`a${count}`)
  }
  keeper.start()
  await clock.advance(MINUTE_MS)
  const rejectedBy = async (path: string) => {
    const before = count
    await keeper.rejected(`a${count}`, path)
    if (count > before) await keeper.rejected(`a${count}`, path)
    return count - before
  }
  const refreshed: number[] = []
  const startMs = clock.monotonicMs()
  for (let second = 0; second < 8 * 60; second += 1) {
    for (const query of ['', '?a=1', '?b=2']) {
      if ((await rejectedBy(`${PATH}${query}`)) > 0) refreshed.push((clock.monotonicMs() - startMs) / 1000)
    }
    await clock.advance(1_000)
  }
  expect(refreshed).toEqual([0, 30, 90, 210])
  expect(await rejectedBy('/v3/another')).toBe(1)
  expect(await rejectedBy('/v3/third')).toBe(0)
  await clock.advance(30_000)
  expect(await rejectedBy('/v3/third')).toBe(1)
})

test('a path that accepts a token again resets its schedule, and an unchanged token is not requested again', async () => {
  const { clock, keeper, http } = setUp()
  let count = 0
  http.reply = () => {
    count += 1
    return renewal(`a${count}`)
  }
  keeper.start()
  await clock.advance(MINUTE_MS)
  for (let n = 2; n < 6; n += 1) {
    await keeper.rejected(`a${count}`, PATH)
    keeper.accepted(`a${count}`, `${PATH}?a=1`)
    expect(count).toBe(n)
  }
  http.reply = () => renewal(`a${count}`)
  const before = http.requests.length
  await keeper.rejected(`a${count}`, PATH)
  await keeper.rejected(`a${count}`, PATH)
  await keeper.rejected(`a${count}`, '/v3/another')
  expect(http.requests.length).toBe(before + 1)
  await clock.advance(30_000)
  await keeper.rejected(`a${count}`, PATH)
  expect(http.requests.length).toBe(before + 2)
})

test('a path that accepted a token shows its end within 30 s, whatever another path rejects', async () => {
  const rejectsAll = '/v3/scope'
  const held = async (accepted: string, by: string, afterMs: number) => {
    const { clock, keeper } = await started([renewal('a1'), renewal('a2'), renewal('a3')], MINUTE_MS)
    await keeper.rejected('a1', rejectsAll)
    await keeper.rejected('a2', rejectsAll)
    keeper.accepted(accepted, `${PATH}?a=1`)
    await clock.advance(afterMs)
    await keeper.rejected('a2', by)
    return keeper.usable()
  }
  const [before, after] = [
    { kind: 'token', value: 'a2' },
    { kind: 'token', value: 'a3' },
  ]
  expect(await held('a2', PATH, 5_000)).toEqual(after)
  expect(await held('a2', PATH, 4_999)).toEqual(before)
  expect(await held('a1', PATH, 5_000)).toEqual(before)
  expect(await held('a2', '/v3/another', 29_999)).toEqual(before)
  expect(await held('a2', '/v3/another', 30_000)).toEqual(after)
  expect(await held('a2', rejectsAll, 29_999)).toEqual(before)
})

const EXPIRED_S = 21 * 60

/** A program's request every second from a given time on. It is rejected with a token, or without one. */
const WANTED = {
  rejected: { fromS: 60, ask: (keeper: TokenKeeper) => keeper.rejected('a1', PATH) },
  expired: { fromS: EXPIRED_S, ask: (keeper: TokenKeeper) => keeper.accessForProgram() },
} as const

/**
 * Refreshes while a token is needed every second. Refreshes get `failed` until `backAtS`. All times are in
 * seconds.
 */
async function whileWanted(
  { fromS, ask }: (typeof WANTED)[keyof typeof WANTED],
  failed: HttpOutcome,
  seconds: number,
  backAtS = seconds,
) {
  const { clock, keeper, sentAtMs, outcomes } = await started([renewal('a1')], MINUTE_MS)
  outcomes.push(...Array.from({ length: 200 }, () => failed))
  await clock.advance(fromS * 1000 - MINUTE_MS)
  for (let second = 0; second < seconds; second += 1) {
    if (second === backAtS) outcomes.splice(0, Infinity, renewal('a2'))
    void ask(keeper)
    await clock.advance(1_000)
  }
  const sentS = sentAtMs.map((ms) => ms / 1000 - fromS).filter((at) => at >= 0)
  const gaps = sentS.slice(1).map((at, i) => at - (sentS[i] ?? 0))
  return { access: keeper.usable(), sentS, gaps }
}

test.for(
  (['rejected', 'expired'] as const).flatMap((wanted) =>
    (
      [
        ['is away', NOT_SENT],
        ['loses its responses', UNKNOWN],
        ['responds 503', answerOf(503)],
      ] as const
    ).map(([how, failed]) => [wanted, how, failed] as const),
  ),
)(
  'a token %s while the sign-in host %s is refreshed every five seconds, and soon after its return',
  async ([wanted, , failed]) => {
    const { access, sentS, gaps } = await whileWanted(WANTED[wanted], failed, 250, 240)
    expect(access).toEqual({ kind: 'token', value: 'a2' })
    expect(sentS.at(-1)).toBeLessThanOrEqual(246)
    // The first gaps are those of the retry schedule.
    expect(Math.min(...gaps.slice(5))).toBeGreaterThanOrEqual(5)
    expect(Math.max(...gaps)).toBeLessThanOrEqual(6)
  },
)

test.for(
  (['rejected', 'expired'] as const).flatMap((wanted) =>
    (
      [
        ['a Retry-After of 40 s', answerOf(503, '', { 'retry-after': '40' }), 40],
        ['a 429', answerOf(429), 15],
        ['an answer that is no token response', answerOf(200, { a: 1 }), 60],
      ] as const
    ).map(([what, failed, leastS]) => [what, wanted, failed, leastS] as const),
  ),
)('after %s a token %s is refreshed no sooner', async ([, wanted, failed, leastS]) => {
  const { gaps } = await whileWanted(WANTED[wanted], failed, 1_000)
  expect(gaps.length).toBeGreaterThan(2)
  // Leaves out the steps of the retry schedule below 30 s, and the immediate retry after a lost response.
  expect(Math.min(...gaps.slice(leastS === 40 ? 0 : leastS === 60 ? 1 : 4))).toBeGreaterThanOrEqual(leastS)
})

test('without a token, the next attempt is the one that a request may cause', async () => {
  const { clock, keeper, outcomes } = await started([renewal('a1')], MINUTE_MS)
  outcomes.push(...Array.from({ length: 100 }, () => NOT_SENT))
  await clock.advance(EXPIRED_S * 1000 - MINUTE_MS)
  await keeper.accessForProgram()
  const inMs = () => {
    const access = keeper.usable()
    return access.kind === 'none' ? (access.retryAtMs ?? 0) - clock.wallMs() : undefined
  }
  expect(inMs()).toBe(5_000)
  await clock.advance(4_999)
  await keeper.accessForProgram()
  expect(inMs()).toBe(1)
  await clock.advance(1)
  outcomes.splice(0, Infinity, answerOf(503, '', { 'retry-after': '40' }))
  await keeper.accessForProgram()
  expect(inMs()).toBe(40_000)
})

test('own requests without a token leave a failed refresh to the ladder', async () => {
  const sent = async (ask: (keeper: TokenKeeper) => unknown) => {
    const { clock, keeper, sentAtMs, outcomes } = setUp()
    outcomes.push(...Array.from({ length: 100 }, () => NOT_SENT))
    keeper.start()
    for (let second = 0; second < 300; second += 1) {
      void ask(keeper)
      await clock.advance(1_000)
    }
    return sentAtMs
  }
  expect(await sent((keeper) => keeper.access())).toEqual(await sent(() => {}))
})

test('a lifetime of seconds does not make a hot loop', async () => {
  const { clock, keeper, http } = setUp()
  http.reply = () => renewal('a', { expires_in: 0 })
  keeper.start()
  await clock.advance(10 * MINUTE_MS)
  expect(http.requests.length).toBeLessThanOrEqual(41)
})

test('after stop nothing is sent to any caller', async () => {
  const { clock, keeper, http } = await started([renewal('a1')], MINUTE_MS)
  keeper.stop()
  await keeper.rejected('a1', PATH)
  await keeper.refresh()
  await clock.advance(DAY_MS)
  expect(http.requests.length).toBe(1)
  expect(clock.pending).toBe(0)
})
