import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { MAX_PLAN_FILE_BYTES } from '../../../../app/plan/plan-file.ts'
import { openSeriesFile } from '../../../../main/history/series-file.ts'
import type { PlanFlags } from '../../../../main/hosts/terminal/flags.ts'
import { plan } from '../../../../main/hosts/terminal/plan-command.ts'
import { EPOCH_MS, PROFILE, record, startedStore } from '../../history/started-store.ts'
import { temporaryFolder } from '../../storage/temporary-folder.ts'
import { fakeTerminal } from './fake-terminal.ts'

function planned(content: unknown, flags: PlanFlags = {}, nowMs = EPOCH_MS) {
  const terminal = fakeTerminal()
  const file = join(temporaryFolder(), 'plan.json')
  if (content !== undefined)
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content))
  const deps = {
    terminal,
    defaultDataFolder: () => undefined,
    nowMs: () => nowMs,
    openSeries: openSeriesFile,
  }
  const exitCode = plan(content === undefined ? undefined : file, flags, deps)
  const errors = terminal.errors.map((line) => line.replace(file, 'plan.json'))
  return { exitCode, text: terminal.lines.join('\n'), errors }
}

const scanner = {
  name: 'scanner',
  class: 'background',
  weight: 1,
  requests: [{ category: 'positions', perSecond: 0.5, burst: 10 }],
  streams: ['option-chains:MSFT'],
}

test('the verdict of a file, for people and as one JSON object', () => {
  const { exitCode, text, errors } = planned({ programs: [scanner] })
  expect({ exitCode, errors }).toEqual({ exitCode: 0, errors: [] })
  expect(text).toBe(
    [
      'Fits. No program waits.',
      '',
      'category       needs    refills    at once      limit    reserve',
      'Positions     0.50/s     1.07/s         10        320         20       fits',
      '',
      'Option Chain Stream: 1 of 10 slots',
    ].join('\n'),
  )
  const { text: line } = planned({ programs: [scanner] }, { json: true })
  expect(JSON.parse(line)).toEqual({
    fits: true,
    categories: [
      {
        category: 'Positions',
        perSecond: 0.5,
        capacityPerSecond: 320 / 300,
        burst: 10,
        limit: 320,
        reserve: 20,
        fits: true,
        waits: [{ program: 'scanner', worstSeconds: 0 }],
      },
    ],
    slots: [{ category: 'Option Chain Stream', streams: 1, shared: 1, limit: 10, elsewhere: 0, fits: true }],
    advice: [],
  })
})

test('a day is replayed with the same result each time, and only if requested', () => {
  const busy = { ...scanner, requests: [{ category: 'Positions', perSecond: 0.9, burst: 60 }] }
  const first = planned({ programs: [busy] }, { replay: true, json: true })
  const { replay } = JSON.parse(first.text)
  expect(replay.upstreamRefusals).toBe(0)
  expect(replay.waits).toEqual([expect.objectContaining({ program: 'scanner', refused: 0 })])
  expect(replay.waits[0].sent).toBeGreaterThan(0.8 * 0.9 * 6.5 * 3600)
  expect(planned({ programs: [busy] }, { replay: true, json: true }).text).toBe(first.text)
  expect(JSON.parse(planned({ programs: [busy] }, { json: true }).text)).not.toHaveProperty('replay')
  expect(planned({ programs: [busy] }, { replay: true }).text).toMatch(
    /\nReplay through the gateway’s scheduler, with a maximum wait of 300 s per request: no 429.\n {2}scanner, Positions: \d+ sent/,
  )
})

test('a day with more requests than fit in memory is not replayed', () => {
  const busy = { ...scanner, requests: [{ category: 'Positions', perSecond: 1000, burst: 1 }] }
  expect(planned({ programs: [busy] }, { replay: true })).toEqual({
    exitCode: 2,
    text: '',
    errors: ['plan.json: too many requests to replay; lower the rates, or leave out --replay'],
  })
  expect(planned({ programs: [busy] }).exitCode).toBe(0)
})

test('a plan that does not fit prints what to reduce, and ends in exit 0, or 4 if asked', () => {
  const tooMuch = {
    programs: [scanner],
    limits: { Positions: { limit: 20, period: 100 } },
    reserve: { positions: 12 },
  }
  const { exitCode, text } = planned(tooMuch)
  expect(exitCode).toBe(0)
  expect(planned(tooMuch, { exitCode: true })).toEqual({ exitCode: 4, text, errors: [] })
  expect(planned(tooMuch, { exitCode: true, json: true }).exitCode).toBe(4)
  expect(planned({ programs: [scanner] }, { exitCode: true }).exitCode).toBe(0)
  expect(planned('{', { exitCode: true }).exitCode).toBe(2)
  expect(text).toContain('Does not fit. Positions needs 0.50/s, refills 0.20/s; needs 10')
  expect(text).toContain('reduce in this order:\n  Positions: lower scanner to 0.20/s and 8 at once.')
})

describe('a wrong file is rejected with the path of the error', () => {
  const program = (change: object) => ({ programs: [scanner, { ...scanner, name: 'b', ...change }] })
  const request = (change: object) => program({ requests: [{ ...scanner.requests[0], ...change }] })
  test.each<[string, unknown, string]>([
    ['no JSON', '{', 'plan.json: the file is not JSON'],
    ['a list', [], 'plan.json: the file must be an object'],
    ['no programs', {}, 'plan.json: programs must be an array'],
    [
      'a name twice',
      program({ name: 'scanner' }),
      'plan.json: programs[1].name: another program has this name',
    ],
    [
      'a class that is none',
      program({ class: 'vip' }),
      'programs[1].class must be one of critical, normal, background',
    ],
    ['a weight of nothing', program({ weight: 0 }), 'programs[1].weight must be above 0'],
    ['a rate in words', request({ perSecond: 'some' }), 'programs[1].requests[0].perSecond must be a number'],
    ['a negative rate', request({ perSecond: -1 }), 'programs[1].requests[0].perSecond must be at least 0'],
    ['half a burst', request({ burst: 1.5 }), 'programs[1].requests[0].burst must be a whole number'],
    ['a burst without end', request({ burst: 1e9 }), 'programs[1].requests[0].burst must be at most 100000'],
    ['a member that is none', request({ rate: 1 }), 'programs[1].requests[0].rate is not a field of a plan'],
    [
      'an unknown category',
      request({ category: 'Else' }),
      'programs[1].requests[0].category must have a limit in limits, or be one of Accounts',
    ],
    [
      'a stream that is none',
      program({ streams: ['chains:MSFT'] }),
      'programs[1].streams[0] must be one of the kinds',
    ],
    [
      'a period of nothing',
      { programs: [], limits: { Positions: { limit: 1, period: 0 } } },
      'limits.Positions.period must be above 0',
    ],
    [
      'a reserve of nothing known',
      { programs: [], reserve: { Else: 1 } },
      'reserve.Else must have a limit in limits',
    ],
  ])('%s', (_, content, line) => {
    const { exitCode, text, errors } = planned(content)
    expect({ exitCode, text }).toEqual({ exitCode: 2, text: '' })
    expect(errors).toEqual([expect.stringContaining(line)])
  })

  test('no file, a folder, and neither a file nor the history', () => {
    const deps = {
      terminal: fakeTerminal(),
      defaultDataFolder: () => undefined,
      nowMs: () => EPOCH_MS,
      openSeries: openSeriesFile,
    }
    const folder = temporaryFolder()
    mkdirSync(join(folder, 'here'))
    expect(plan(join(folder, 'gone.json'), {}, deps)).toBe(2)
    expect(plan(join(folder, 'here'), {}, deps)).toBe(2)
    expect(plan(undefined, {}, deps)).toBe(2)
    expect(deps.terminal.errors.map((line) => line.replace(`${folder}/`, ''))).toEqual([
      expect.stringMatching(/^gone\.json: /),
      expect.stringMatching(/^here: /),
      'name a plan file, or add --from-history 24h to use recorded traffic',
    ])
  })
})

test('each program behind the gateway is planned as recorded, and not twice', () => {
  const data = temporaryFolder()
  const started = startedStore(data)
  started.store.add({ kind: 'profile', profile: PROFILE, environment: 'live' })
  record(started, 10 * 60 + 5, () => ({ own: 1 }), 'Positions')
  for (let minute = 0; minute < 10; minute += 1) {
    const sample = {
      atMs: EPOCH_MS + minute * 60_000,
      program: 'bot',
      class: 'critical' as const,
      requests: 45,
    }
    started.store.add({ kind: 'program', profile: PROFILE, category: 'Positions', sample })
  }
  started.store.flush()
  const flags = { fromHistory: 3_600_000, data, json: true, replay: true } as const
  const { text, exitCode } = planned(undefined, flags, EPOCH_MS + 3_600_000)
  expect(exitCode).toBe(0)
  const { categories, replay, recordedMinutes } = JSON.parse(text)
  expect(recordedMinutes).toBe(10)
  expect(planned(undefined, { fromHistory: 3_600_000, data }, EPOCH_MS + 3_600_000).text).toContain(
    '\n\n10 minutes of the last 1 h are recorded, too little to judge a day.',
  )
  expect(categories[0].waits.map(({ program }: { program: string }) => program)).toEqual(['bot', 'Headroom'])
  const sent = replay.waits.map(({ program, sent }: { program: string; sent: number }) => [program, sent])
  expect(Object.fromEntries(sent)).toMatchObject({ bot: 450, Headroom: 150 })
})

test('a recorded program that is named Others keeps its class, apart from the others', () => {
  const data = temporaryFolder()
  const started = startedStore(data)
  started.store.add({ kind: 'profile', profile: PROFILE, environment: 'live' })
  record(started, 65, () => ({ own: 1, elsewhere: 1 }), 'Positions')
  const sample = { atMs: EPOCH_MS, program: 'Others', class: 'background', requests: 60 } as const
  started.store.add({ kind: 'program', profile: PROFILE, category: 'Positions', sample })
  started.store.flush()
  const flags = { fromHistory: 3_600_000, data, json: true, replay: true } as const
  const { categories, replay } = JSON.parse(planned(undefined, flags, EPOCH_MS + 3_600_000).text)
  const names = ['Others (program)', 'Others']
  for (const waits of [categories[0].waits, replay.waits])
    expect(waits.map(({ program }: { program: string }) => program)).toEqual(names)
})

test('recorded use counts together with the programs of a file', () => {
  const data = temporaryFolder()
  const started = startedStore(data)
  started.store.add({ kind: 'profile', profile: PROFILE, environment: 'live' })
  const recorded = (second: number) => ({
    own: second % 10 === 0 ? 1 : 0,
    elsewhere: second % 2 === 0 ? 1 : 0,
  })
  record(started, 10 * 60 + 5, recorded, 'Positions')
  started.store.flush()
  const nowMs = EPOCH_MS + 3_600_000
  const { exitCode, text, errors } = planned(
    { programs: [scanner] },
    { fromHistory: 86_400_000, data, json: true },
    nowMs,
  )
  expect({ exitCode, errors }).toEqual({ exitCode: 0, errors: [] })
  const verdict = JSON.parse(text)
  expect(verdict.fits).toBe(false)
  expect(verdict.categories[0].perSecond).toBeCloseTo(0.5 + 0.1 + 0.5)
  expect(verdict.categories[0].waits.map(({ program }: { program: string }) => program)).toEqual([
    'Headroom',
    'Others',
    'scanner',
  ])
  const alone = planned(undefined, { fromHistory: 86_400_000, data, json: true }, nowMs)
  expect(JSON.parse(alone.text)).toMatchObject({ fits: true, categories: [{ burst: 6 + 30 }] })
  const both = planned(
    { programs: [scanner] },
    { fromHistory: 3_600_000, data, json: true, replay: true },
    nowMs,
  )
  const waits: { program: string; sent: number }[] = JSON.parse(both.text).replay.waits
  expect(waits.find(({ program }) => program === 'Others')?.sent).toBe(300)
  expect(waits.map(({ program }) => program).toSorted()).toEqual(['Headroom', 'Others', 'scanner'])
  const named = planned(
    { programs: [{ ...scanner, name: 'Headroom' }] },
    { fromHistory: 86_400_000, data },
    nowMs,
  )
  expect(named).toMatchObject({ exitCode: 2, text: '' })
  const early = planned(undefined, { fromHistory: 60_000, data }, nowMs)
  expect(early).toMatchObject({ exitCode: 1, errors: ['nothing was recorded in that time'] })
})

test('requests of the desk’s other machines count as others’', () => {
  const data = temporaryFolder()
  const started = startedStore(data)
  started.store.add({ kind: 'profile', profile: PROFILE, environment: 'live' })
  record(started, 60, () => ({ own: 0, elsewhere: 1 }), 'Positions')
  const sample = { atMs: EPOCH_MS + 1_000, machine: 'SERVER', requests: 30 }
  started.store.add({ kind: 'desk', profile: PROFILE, category: 'Positions', sample })
  started.store.flush()
  const { text } = planned(
    undefined,
    { fromHistory: 3_600_000, data, json: true, replay: true },
    EPOCH_MS + 3_600_000,
  )
  const waits: { program: string; sent: number }[] = JSON.parse(text).replay.waits
  expect(waits.find(({ program }) => program === 'Others')?.sent).toBe(90)
})

test.skipIf(process.platform === 'win32').each([
  ['has no end', '/dev/zero'],
  ['is larger than a plan', undefined],
])('a file that %s is rejected in a line, and read no further than a plan’s maximum', (_, device) => {
  const file = device ?? join(temporaryFolder(), 'plan.json')
  if (device === undefined) writeFileSync(file, `{"programs":[]}${' '.repeat(MAX_PLAN_FILE_BYTES)}`)
  const terminal = fakeTerminal()
  const nowMs = () => EPOCH_MS
  const exitCode = plan(
    file,
    {},
    { terminal, defaultDataFolder: () => undefined, nowMs, openSeries: openSeriesFile },
  )
  expect([exitCode, terminal.lines, terminal.errors]).toEqual([2, [], [`${file}: the file is over 1 MiB`]])
})

test.each(['evil\u202egpj.exe', 'a\u2066b', 'one\u2028two', '\u200f'])(
  'a text of a plan cannot reorder a line of the terminal: %j',
  (text) => {
    const program = { name: 'one', requests: [{ category: 'Accounts', perSecond: 5, burst: 1000 }] }
    for (const content of [
      { programs: [{ ...program, name: text }] },
      { programs: [{ ...program, streams: [`quotes:${text}`] }] },
      { programs: [program], limits: { [text]: { limit: 1, period: 1 } } },
      { programs: [program], [text]: 1 },
    ]) {
      const { exitCode, errors } = planned(content)
      expect([content, exitCode]).toEqual([content, 2])
      expect(errors.join('')).not.toMatch(/[\p{Bidi_Control}\u2028\u2029]/u)
    }
  },
)
