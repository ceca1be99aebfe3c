import { describe, expect, it } from 'vitest'
import { contradictions } from './contradictions.ts'
import type { Look, Rule } from './look.ts'
import type { Shown, ShownAlert, ShownGlance, ShownRow } from './shown.ts'
import { durationMs, timeOfDayMs } from './times.ts'
import type { Trouble } from './troubles.ts'
import type { Truth } from './truth.ts'

const NOW = Date.UTC(2026, 10, 20, 14, 31, 12)
const LIMIT = 320

const row = (changed: Partial<ShownRow> = {}): ShownRow => ({
  category: 'Positions',
  state: 'ok',
  left: '300',
  limit: LIMIT,
  own: '0',
  others: '0',
  safe: '?',
  nextCheck: '12 s',
  fullAt: '?',
  age: '3 s',
  ...changed,
})

const shown = (changed: Partial<Shown> = {}, atMs = NOW): Shown => ({
  atMs,
  headline: { word: 'ok', severity: 'ok', text: 'ok', detail: '' },
  title: 'ok · Headroom',
  chips: [],
  ownUse: '1 stream · 1 check/min, 0.3 % of quotas, cap 2 %',
  rows: [row()],
  slots: [{ category: 'Order Stream', source: 'header', used: 3, limit: 40, free: '37 free' }],
  aspects: { streams: 'ok' },
  ownStreams: '1 open',
  events: [],
  accessToken: '10 min 0 s',
  ...changed,
})

interface Counted {
  readonly remaining?: number
  readonly resetSeconds?: number
  readonly elsewhere?: number
  readonly refusedMs?: number
}

function truth(
  { remaining = 300, resetSeconds = 19, elsewhere = 0, refusedMs }: Counted = {},
  at = NOW,
): Truth {
  const category = 'Positions'
  return {
    at,
    requests: [
      {
        ...{ category, limit: LIMIT, periodSeconds: 300, remaining, resetSeconds },
        elsewhere: { accepted: elsewhere, refused: 0 },
      },
    ],
    slots: [{ category: 'Order Stream', limit: 40, remaining: 37, own: 1 }],
    streams: [{ id: 'stream-1', category: 'Order Stream' }],
    ledger: [
      { atMs: at - 600_000, path: '/oauth/token', status: 200 },
      ...(refusedMs === undefined ? [] : [{ atMs: refusedMs, path: '/v3', category, status: 429 }]),
      { atMs: at - 3_000, path: '/v3/positions', category, status: 200 },
    ],
  }
}

const glance = (changed: Partial<ShownGlance> = {}): ShownGlance => ({
  ...{
    word: 'ok',
    severity: 'ok',
    subject: '',
    lines: [],
    caption: '',
    number: '',
    cards: [],
    facts: {},
    keys: [],
  },
  ...changed,
})

const look = (says: Partial<Shown> = {}, counted: Counted = {}, atMs = NOW): Look => ({
  before: truth(counted, atMs),
  shown: shown(says, atMs),
  glance: glance({ word: 'not checked' }),
  alerts: [],
  after: truth(counted, atMs),
  troubles: [],
  lateMs: 0,
})

const rulesOf = (...looks: readonly Look[]) => contradictions(looks).map(({ rule }) => rule)
const inRow = (changed: Partial<ShownRow>, counted?: Counted) =>
  rulesOf(look({ rows: [row(changed)], ...headed('not checked') }, counted))
const headed = (word: string, text = '', detail = ''): Pick<Shown, 'headline' | 'title'> => ({
  headline: { word, severity: 'ok', text, detail },
  title: `${word} · Headroom`,
})

describe('the window’s first start', () => {
  it('is not contradicted if everything is true', () => {
    expect(contradictions([look()])).toEqual([])
    expect(inRow({ left: '280–340' })).toEqual([])
    expect(inRow({ state: 'low 17 %', left: '55' }, { remaining: 55 })).toEqual([])
    expect(inRow({ state: 'low 12–83 %', left: '40–268' }, { remaining: 200 })).toEqual([])
    expect(inRow({ state: 'low 12–43 %', left: '190–210' }, { remaining: 200 })).toEqual(['state'])
    expect(
      inRow({ state: 'running out 3 min 30 s', left: '~100', others: '1.2–1.3' }, { remaining: 95 }),
    ).toEqual([])
    expect(inRow({ state: 'empty', left: '0' }, { remaining: 1 })).toEqual([])
    expect(inRow({ state: 'running out recovering', left: '100' }, { remaining: 100 })).toEqual([])
    expect(inRow({ state: 'running out 2 min 40 s', left: '308' }, { remaining: 306 })).toEqual([])
    expect(inRow({ state: 'running out by 14:36', left: '100' }, { remaining: 100 })).toEqual([])
    expect(inRow({ state: 'watch as early as 14:36', left: '300' })).toEqual([])
    expect(inRow({ state: 'not checked', left: '–', age: 'documented' }, { remaining: 12 })).toEqual([])
  })

  it.each([
    [{ state: 'ok', left: '40' }, { remaining: 40 }],
    [{ state: 'watch as early as 14:36', left: '40' }, { remaining: 40 }],
    [{ state: 'empty', left: '200' }, { remaining: 200 }],
    [{ state: 'low 17 %', left: '200' }, { remaining: 200 }],
    [
      { state: 'running out 2 min 0 s', left: '320' },
      { remaining: 320, resetSeconds: 0 },
    ],
    [{ state: 'fine' }, {}],
  ] as const)('is contradicted by a state of another number: %j with %j', (changed, counted) => {
    expect(inRow(changed, counted)).toContain('state')
    if (changed.state === 'ok') expect(inRow(changed, { remaining: 70 })).not.toContain('state')
  })

  it.each([
    [{ left: '280–290' }, 320],
    [{ left: '310–320' }, 280],
    [{ left: '250' }, 300],
    [{ limit: 500 }, 300],
  ] as const)(
    'is contradicted by a number or range that misses the count: %j with %d',
    (changed, remaining) => {
      expect(inRow(changed, { remaining, resetSeconds: 0 })).toContain('number')
    },
  )

  it('is not contradicted by others that began unobserved after the last header', () => {
    const looks = (others: string, age: string, seconds: number) =>
      [0, seconds].map((second) => {
        const made = { remaining: 300 - 4 * second, elsewhere: 4 * second }
        return look({ rows: [row({ left: '300', others, age, state: 'ok' })] }, made, NOW + second * 1_000)
      })
    const numbers = (...of: Parameters<typeof looks>) =>
      contradictions(looks(...of)).filter(({ rule }) => rule === 'number')
    expect(numbers('0', '15 s', 15)).toEqual([])
    expect(numbers('4.0', '15 s', 15)).toHaveLength(1)
    expect(numbers('0', '2 min 0 s', 60)).toHaveLength(1)
  })

  it('is contradicted by an age that is not that of the newest response', () => {
    expect(inRow({ age: '6 s' })).toEqual(['age'])
    expect(inRow({ age: '0 s' })).toEqual(['age'])
    expect(inRow({ age: '4 min ago' })).toEqual(['age'])
  })

  it('is contradicted by another time of being full', () => {
    const at = (ms: number) => new Date(ms).toTimeString().slice(0, 8)
    expect(inRow({ fullAt: at(NOW + 30_000) })).toEqual([])
    expect(inRow({ fullAt: at(NOW + 90_000) })).toEqual(['full-at'])
    expect(inRow({ fullAt: 'full', left: '230' }, { remaining: 230, resetSeconds: 90 })).toEqual(['full-at'])
  })

  it('is contradicted by others’ use that did not happen, or is missing', () => {
    const looks = (others: string, made: number) =>
      Array.from({ length: 12 }, (_, index) =>
        look({ rows: [row({ others })] }, { elsewhere: made * index }, NOW + 10_000 * index),
      )
    expect(rulesOf(...looks('1.2–1.3', 0))).toEqual(['others'])
    expect(rulesOf(...looks('0', 13))).toEqual(['others'])
    expect(rulesOf(...looks('1.2–1.3', 13))).toEqual([])
    expect(rulesOf(...looks('1.2–1.3', 0).slice(-3))).toEqual([])
  })

  it('is contradicted by a 429 that did not happen, or is missing', () => {
    const line = {
      line: 0,
      atMs: NOW - 20_000,
      kind: 'rate-limited',
      text: '429 on Positions',
      isOpen: false,
    }
    expect(inRow({ state: '429 40 s' }, {})).toEqual(['429'])
    expect(rulesOf(look({ events: [line] }))).toEqual(['429'])
    expect(rulesOf(look({}, { refusedMs: NOW - 20_000 }))).toEqual(['429'])
    expect(rulesOf(look({ events: [line] }, { refusedMs: NOW - 20_000 }))).toEqual([])
  })

  it('is contradicted by another count of streams and slots', () => {
    expect(rulesOf(look({ ownStreams: '2 open' }))).toEqual(['streams'])
    expect(rulesOf(look({ aspects: { streams: '1 silent' } }))).toEqual(['streams'])
    const slots = { category: 'Order Stream', source: 'header', used: 4, limit: 40, free: '36 free' }
    expect(rulesOf(look({ slots: [slots] }))).toEqual(['slots'])
    expect(rulesOf(look({ slots: [{ ...slots, source: 'default' }] }))).toEqual([])
  })

  it('is contradicted by a false state in the headline, a chip or the tab', () => {
    const says = (word: string, text = '', detail = '', counted?: Counted) =>
      rulesOf(look(headed(word, text, detail), counted))
    const full = { remaining: 0, resetSeconds: 300 }
    expect(says('ok', 'No quota runs out within 10 min.', 'Tightest: Positions, 300 of 320 left.')).toEqual(
      [],
    )
    expect(says('ok', '', 'Tightest: Positions, 200 of 320 left.')).toEqual(['number'])
    expect(says('empty', 'Positions is empty. Calls get 429 until it refills.')).toEqual(['state'])
    expect(says('low', 'Positions is low: 17 % left.')).toEqual(['state'])
    expect(says('429', '429 on Positions. Safe to retry at 14:31:45.')).toEqual(['429'])
    expect(says('running out', 'Balances runs out at 14:34.')).toEqual(['headline'])
    expect(says('unreachable', 'Can’t reach the service since 14:02.')).toEqual(['headline'])
    const low = [row({ state: 'low 12 %', left: '40' })]
    expect(rulesOf(look({ ...headed('ok'), rows: low }, { remaining: 40 }))).toEqual(['headline'])
    expect(rulesOf(look({ ...headed('empty', 'Positions is empty.'), rows: [] }, full))).toEqual([])
    expect(rulesOf(look({ title: 'empty · Headroom' }))).toEqual(['headline'])
    expect(rulesOf(look({ chips: [{ label: 'empty', text: 'Positions' }] }))).toEqual(['state'])
    expect(rulesOf(look({ chips: [{ label: 'no permission', text: 'Positions, 403' }] }))).toEqual([
      'headline',
    ])
  })

  it('is contradicted by own use that differs from the simulator’s count', () => {
    expect(inRow({ own: '0.5' })).toEqual([])
    const quiet = look({ rows: [row({ own: '0.5', age: 'documented' })] })
    const none = { ...quiet.after, ledger: quiet.after.ledger.slice(0, 1) }
    expect(rulesOf({ ...quiet, after: none })).toEqual(['own'])
    expect(rulesOf(look({ ownUse: '2 streams · 1 check/min, 0.3 % of quotas' }))).toEqual(['own'])
    expect(rulesOf(look({ ownUse: '1 stream · 9 checks/min, 0.3 % of quotas' }))).toEqual(['own'])
    const busy = look()
    const asked = Array.from({ length: 30 }, (_, index) => ({
      ...{ atMs: NOW - 3_000 - index * 1_000, path: '/v3/positions', category: 'Positions', status: 200 },
    }))
    const ledger = [...busy.after.ledger.slice(0, 1), ...asked.toReversed()]
    expect(rulesOf({ ...busy, after: { ...busy.after, ledger } })).toContain('own')
  })

  it('is contradicted by a safe pace that others leave no room for, or a missing one without others', () => {
    const looks = (safe: string, made: number) =>
      Array.from({ length: 12 }, (_, index) =>
        look({ rows: [row({ safe, others: '?' })] }, { elsewhere: made * index }, NOW + 10_000 * index),
      )
    expect(rulesOf(...looks('1 per 1.0 s', 10))).toEqual(['safe'])
    expect(rulesOf(...looks('1 per 20.0 s', 10))).toEqual([])
    expect(rulesOf(...looks('none', 0))).toEqual(['safe'])
    expect(rulesOf(...looks('none', 10))).toEqual([])
    const said = looks('?', 10).map((one) => ({
      ...one,
      shown: { ...one.shown, ...headed('low', 'Positions', 'Slow to 1 per 1.0 s.') },
    }))
    expect(rulesOf(...said)).toContain('safe')
    const lines = ['17 %, safe pace 1 per 1.0 s', 'others 0/s, refill 1.07/s']
    const small = glance({ word: 'low', subject: 'Positions', lines })
    expect(rulesOf(...looks('?', 10).map((one) => ({ ...one, glance: small })))).toEqual(['others', 'safe'])
  })

  it('is contradicted by an announced check that did not happen', () => {
    const looks = (nextCheck: string, seconds: number, state = 'ok') =>
      [0, seconds].map((second) => {
        const one = look({ rows: [row({ nextCheck, state, age: 'documented' })] }, {}, NOW + second * 1_000)
        return { ...one, after: { ...one.after, ledger: look().after.ledger } }
      })
    expect(rulesOf(...looks('now', 10))).toContain('check')
    expect(rulesOf(...looks('20 s', 10))).not.toContain('check')
    expect(rulesOf(...looks('20 s', 30))).toContain('check')
    expect(rulesOf(...looks('', 30))).not.toContain('check')
  })

  it('is contradicted by a line about others that began without requests, or stopped while continuing', () => {
    const looks = (kind: string, made: number) => {
      const text = `Others ${kind === 'elsewhere' ? 'started' : 'stopped'} using Positions (1.3/s)`
      const line = { line: 0, atMs: NOW + 330_000, kind, text, isOpen: false }
      return Array.from({ length: 36 }, (_, index) =>
        look(
          { events: index < 34 ? [] : [line], rows: [row({ others: '?' })] },
          { elsewhere: made * index },
          NOW + 10_000 * index,
        ),
      )
    }
    expect(rulesOf(...looks('elsewhere', 0))).toContain('others')
    expect(rulesOf(...looks('elsewhere', 13))).not.toContain('others')
    expect(rulesOf(...looks('elsewhere-ended', 13))).toContain('others')
    expect(rulesOf(...looks('elsewhere-ended', 0))).not.toContain('others')
  })

  it('is contradicted by a false state, number or token in Glance', () => {
    const says = (changed: Partial<ShownGlance>, counted?: Counted) =>
      rulesOf({ ...look(headed('not checked'), counted), glance: glance(changed) })
    expect(says({ caption: 'tightest: Positions', number: '94 %', facts: { Token: '10 min 0 s' } })).toEqual(
      [],
    )
    expect(says({ caption: 'tightest: Positions', number: '60 %' })).toEqual(['glance'])
    expect(says({ facts: { Token: '11 min 0 s' } })).toEqual(['glance'])
    expect(says({ facts: { Streams: '1 silent' } })).toEqual(['glance'])
    expect(says({ word: 'low', subject: 'Positions', caption: 'left', number: '94 %' })).toEqual([])
    expect(says({ word: 'low', subject: 'Positions', caption: 'left', number: '17 %' })).toEqual(['glance'])
    expect(says({ word: 'running out', subject: 'Balances' })).toEqual(['glance'])
    expect(says({ word: 'unreachable' })).toEqual(['glance'])
    const card = { label: 'empty', subject: 'Positions', note: '0' }
    expect(says({ cards: [card] })).toEqual(['state'])
    expect(says({ cards: [{ ...card, label: 'no permission' }] })).toEqual(['glance'])
    const calm = { ...look({ rows: [row({ left: '~40' })] }, { remaining: 40 }), glance: glance() }
    expect(rulesOf(calm)).toContain('glance')
  })

  it('is contradicted by an alert without its cause, or an empty quota without an alert', () => {
    const says = (title: string, body = '', counted?: Counted) =>
      rulesOf({ ...look({}, counted), alerts: [{ titles: [title], body }] })
    const full = { remaining: 320, resetSeconds: 0 }
    for (const when of ['at 14:36', '14:33–14:36', 'by 14:36']) {
      expect(says(`Positions runs out ${when}`), when).toEqual([])
      expect(says(`Positions runs out ${when}`, '', full), when).toEqual(['alert'])
    }
    expect(says('Positions may run out as early as 14:36', '', full)).toEqual([])
    expect(says('Positions may run out as early as 14:36', '', { remaining: 40 })).toContain('alert')
    expect(says('Positions is empty')).toEqual(['alert'])
    expect(says('Positions is low', '94 % left.')).toEqual([])
    expect(says('Positions is low', '12 % left.')).toEqual(['alert'])
    expect(says('429 on Positions')).toEqual(['alert'])
    expect(says('Positions can be called again', '300 of 320 left.')).toEqual([])
    expect(says('Positions can be called again', '200 of 320 left.')).toEqual(['alert'])
    expect(says('1 of 3 streams is silent')).toEqual(['alert'])
    const empty = (alerts: readonly ShownAlert[]) => {
      const one = look(
        { rows: [row({ state: 'empty', left: '0' })], ...headed('not checked') },
        { remaining: 0, resetSeconds: 300 },
      )
      const shown = { ...one.shown, atMs: one.shown.atMs + 10_000 }
      return rulesOf({ ...one, alerts }, { ...one, shown, alerts })
    }
    expect(empty([])).toContain('alert')
    const titles = ['Balances is low', 'Positions is empty']
    expect(empty([{ titles, body: '' }]).filter((rule) => rule === 'alert')).toHaveLength(1)
    expect(empty([{ titles: ['Positions is empty'], body: '' }])).not.toContain('alert')
  })

  it('is contradicted by another end of the token', () => {
    expect(rulesOf(look({ accessToken: '10 min 9 s' }))).toEqual(['token'])
    expect(rulesOf(look({ accessToken: '9 min 51 s' }))).toEqual(['token'])
  })

  it('may be older by the duration of the look and the app’s delay, and no more', () => {
    const late = (ms: number, says: Partial<Shown>, counted?: Counted) => {
      const one = look(says, counted)
      const opened = { atMs: NOW - 5_000, path: '/v3/stream/positions', status: 200 }
      const ledger = says.ownStreams === undefined ? one.after.ledger : [...one.after.ledger, opened]
      // Half of the lateness is the duration of the look itself.
      const before = { ...one.before, at: NOW - ms / 2 }
      return { ...one, before, after: { ...one.after, ledger }, lateMs: ms / 2 }
    }
    const line = {
      line: 0,
      atMs: NOW - 26_000,
      kind: 'rate-limited',
      text: '429 on Positions',
      isOpen: false,
    }
    const refused = { refusedMs: NOW - 20_000 }
    const told: readonly (readonly [Rule, Partial<Shown>, Counted?])[] = [
      ['age', { rows: [row({ age: '9 s' })] }],
      ['number', { rows: [row({ left: '286–290' })] }],
      ['token', { accessToken: '10 min 8 s' }],
      ['streams', { ownStreams: '0 open' }],
      ['429', { events: [line] }, refused],
    ]
    for (const [rule, says, counted] of told) {
      expect(rulesOf(late(0, says, counted)), rule).toContain(rule)
      expect(rulesOf(late(2_000, says, counted)), rule).toContain(rule)
    }
    for (const [rule, says, counted] of told)
      expect(rulesOf(late(10_000, says, counted)), rule).not.toContain(rule)
  })

  it('is not contradicted yet by a check or an alert within the app’s delay', () => {
    const looks = (says: Partial<ShownRow>, lateMs: number) =>
      [0, 20_000].map((ms) => {
        const one = look({ rows: [row({ age: 'documented', ...says })] }, { remaining: 0 }, NOW + ms)
        return { ...one, after: { ...one.after, ledger: look().after.ledger }, lateMs }
      })
    for (const [rule, says] of [
      ['check', { nextCheck: 'now' }],
      ['alert', { state: 'empty', left: '0' }],
    ] as const) {
      expect(rulesOf(...looks(says, 1_000)), rule).toContain(rule)
      expect(rulesOf(...looks(says, 11_000)), rule).not.toContain(rule)
    }
  })

  it('is contradicted by a quota that runs out although none was to within ten minutes', () => {
    const text = 'No quota runs out within 10 min.'
    const promise = look({ headline: { word: 'ok', severity: 'ok', text, detail: '' } })
    const full = (ms: number) => look({ rows: [] }, {}, NOW + ms)
    const empty = (ms: number) => look({ rows: [] }, { remaining: 0 }, NOW + ms)
    expect(contradictions([promise, full(590_000), empty(595_000)])).toEqual([
      expect.objectContaining({ rule: 'forecast', said: text, atMs: NOW }),
    ])
    expect(rulesOf(promise, full(605_000), empty(610_000))).toEqual([])
    expect(rulesOf(promise, empty(590_000), empty(595_000))).toEqual([])
  })
})

it('durations and times of day are parsed as written', () => {
  expect(['14 min 32 s', '4 min ago', '12 s', 'documented'].map(durationMs)).toEqual([
    872_000,
    240_000,
    12_000,
    undefined,
  ])
  const midnight = new Date(2026, 10, 20, 23, 59, 50).getTime()
  expect(timeOfDayMs('00:00:05', midnight)).toBe(midnight + 15_000)
  expect(timeOfDayMs('23:59:45', midnight + 15_000)).toBe(midnight - 5_000)
})

describe('the window during a fault', () => {
  const FROM = NOW - 90_000
  const UNREACHABLE = {
    line: 0,
    atMs: FROM,
    kind: 'service-unreachable',
    text: 'Service unreachable · api.test',
    isOpen: true,
  }
  const host: Trouble = { kind: 'host', fromMs: FROM }
  const unreachable = 'Can’t reach the service since 14:29.'
  const key = { name: 'Mine', severity: 'critical', state: 'Service unreachable', tightest: '', left: '–' }
  const said: Partial<Shown> = {
    headline: { word: 'unreachable', severity: 'critical', text: unreachable, detail: '' },
    title: 'unreachable · Headroom',
    rows: [row({ state: 'not checked', others: '?', own: '?', fullAt: '?', nextCheck: '' })],
    aspects: { slots: 'not checked', quotas: 'not checked' },
    events: [UNREACHABLE],
  }
  const glanced = glance({ word: 'unreachable', severity: 'critical', lines: [unreachable], keys: [key] })
  const alerts = [{ titles: ['Can’t reach the service'], body: '' }]
  const down = (changed: Partial<Shown> = {}, more: Partial<Look> = {}): Look => ({
    ...look({ ...said, ...changed }),
    ...{ glance: glanced, alerts, troubles: [host], ...more },
  })

  it('is not contradicted by the last number of a row whose token is rejected', () => {
    const rejected = row({
      state: 'rejected 401',
      left: '156',
      others: '–',
      safe: 'calls get 401',
      nextCheck: '',
    })
    const token = {
      ...down({ rows: [rejected] }),
      troubles: [{ kind: 'token' as const, fromMs: NOW - 20_000 }],
    }
    const rules = contradictions([token]).map(({ rule }) => rule)
    expect(rules.filter((rule) => rule === 'number' || rule === 'state')).toEqual([])
  })

  it('is not contradicted if every surface names the cause', () => {
    expect(contradictions([down(), down()])).toEqual([])
    expect(contradictions([down({ events: [UNREACHABLE, UNREACHABLE] })])).toEqual([])
    const calm = { ...look(), glance: glance({ keys: [{ ...key, severity: 'ok', state: 'ok' }] }) }
    expect(contradictions([{ ...calm, troubles: [{ ...host, toMs: NOW - 76_000 }] }])).toEqual([])
  })

  it.each<readonly [string, Partial<Shown>, Partial<Look>]>([
    ['the headline names a consequence', headed('3 waiting', '3 of 3 streams are waiting'), {}],
    ['a row has a state', { rows: [row()] }, {}],
    ['a row has a pace', { rows: [row({ state: 'not checked', safe: '1 per 1.0 s', nextCheck: '' })] }, {}],
    ['a row has a next check', { rows: [row({ state: 'not checked', nextCheck: '12 s' })] }, {}],
    ['slots are fine', { aspects: { slots: 'ok' } }, {}],
    ['a chip is of a quota', { chips: [{ label: 'low', text: 'Positions, 17 %' }] }, {}],
    ['there is no alert', {}, { alerts: [] }],
    ['there is no incident', { events: [] }, {}],
    ['there are two incidents', { events: [UNREACHABLE, { ...UNREACHABLE, line: 1 }] }, {}],
    ['Glance names another', {}, { glance: { ...glanced, word: '3 waiting' } }],
    ['Glance has a share', {}, { glance: { ...glanced, caption: 'tightest: Positions', number: '17 %' } }],
  ])('is contradicted if %s', (_, changed, more) => {
    const before = down({}, more)
    const earlier = { ...before, shown: { ...before.shown, atMs: FROM + 10_000 } }
    const rules = contradictions([earlier, down(changed, more)]).map(({ rule }) => rule)
    expect(rules).toContain('trouble')
  })

  it('is contradicted if the key differs among all keys, or Glance differs from the headline for two looks', () => {
    expect(
      contradictions([down({}, { glance: { ...glanced, keys: [{ ...key, severity: 'ok' }] } })]),
    ).toEqual([expect.objectContaining({ rule: 'unlike' })])
    const other = { glance: { ...glanced, severity: 'warning', keys: [{ ...key, severity: 'warning' }] } }
    expect(contradictions([down({}, other)])).toEqual([])
    expect(contradictions([down({}, other), down({}, other)])).toEqual([
      expect.objectContaining({ rule: 'unlike' }),
    ])
  })

  it('is contradicted by a fault shown a minute after its end', () => {
    const over = [{ ...host, toMs: NOW - 76_000 }]
    const rules = contradictions([down({}, { troubles: over })]).map(({ rule }) => rule)
    expect(rules.filter((rule) => rule === 'trouble')).toHaveLength(4)
    expect(contradictions([down({}, { troubles: [{ ...host, toMs: NOW - 30_000 }] })])).toEqual([])
  })
})
