import { stripVTControlCharacters } from 'node:util'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { LoggedEvent } from '../../../../app/contract/events.ts'
import type { RequestQuota, Snapshot } from '../../../../app/contract/snapshot.ts'
import { duration, levelBar } from '../../../../main/hosts/terminal/cells.ts'
import { renderTable } from '../../../../main/hosts/terminal/table.ts'
import { DESK, DESK_ALONE } from '../../../renderer/fixtures.ts'
import {
  AT_MS,
  exampleProgram,
  exampleQuota,
  exampleSlot,
  exampleSnapshot,
  exampleStream,
} from './example-snapshot.ts'

const PLAIN = { columns: 120, colour: false }

const PROGRAM = exampleProgram('scanner', {
  class: 'background',
  weight: 2,
  forwarded: 1234,
  coalesced: 5,
  refused: 6,
  perSecond: 0.5,
  waiting: 3,
  longestWaitMs: 12_000,
  streams: 4,
})

/** The line of one category, in the order of the columns. */
function rowOf(quota: Partial<RequestQuota>, nowMs = AT_MS): string {
  const snapshot = exampleSnapshot({ requests: [exampleQuota(quota)] })
  const [, ...lines] = renderTable(snapshot, [], nowMs, PLAIN).split('\n')
  const name = ` ${quota.category ?? 'Accounts'} `
  return lineWith(lines.filter((line) => /\d\/\d/.test(line) || line.includes('–/')).join('\n'), name)
}

function lineWith(table: string, text: string): string {
  const line = table.split('\n').find((candidate) => candidate.includes(text))
  if (line === undefined) throw new Error(`no line with ${text} in\n${table}`)
  return line
}

test('a row shows its state, what is left, own and others’ use, the safe pace, the wait and the age', () => {
  const quota = { safe: { everySeconds: 1.9, burst: 300 }, low: 250, high: 282, remaining: 266 }
  expect(rowOf(quota)).toMatch(/^ok\s+Accounts\s+█+▒+░+\s+266\/320\s+0.1\s+0.2\s+1\/1.9s\s+19s\s+3s$/)
  expect(rowOf({ ...quota, low: 240, high: 290 })).toContain(' 240–290/320 ')
})

test('a number from the documented table is not shown as a number', () => {
  const quota = { source: 'default', state: 'not-checked', use: null } as const
  expect(rowOf(quota)).toMatch(/^not checked\s+Accounts\s+┄+\s+–\/320\s+–\s+–\s+\?\s+.*–$/)
})

test('the gateway and its programs are shown: state, use, and waits; nothing of them while it is off', () => {
  const gateway = { state: 'serving', url: 'http://127.0.0.1:4791' } as const
  const shown = renderTable(exampleSnapshot({ gateway, programs: [PROGRAM] }), [], AT_MS, PLAIN)
  expect(shown).toContain('http://127.0.0.1:4791')
  expect(lineWith(shown, 'scanner')).toMatch(/^scanner +background +2 +1234 +0\.50 +6 +4 +3 waiting, 12 ?s/)
  expect(renderTable(exampleSnapshot({}), [], AT_MS, PLAIN)).not.toContain('PROGRAM')
})

test('in 80 columns, programs keep their state and lose the same columns', () => {
  const program = {
    ...PROGRAM,
    name: 'scanner',
    class: 'background',
    waiting: 3,
    longestWaitMs: 12_000,
  } as const
  const programs = [program, { ...program, id: 'program-2', name: 'bot', waiting: 0 }]
  const gateway = { state: 'serving', url: 'http://127.0.0.1:4791' } as const
  const shown = renderTable(exampleSnapshot({ gateway, programs }), [], AT_MS, { ...PLAIN, columns: 80 })
  expect(lineWith(shown, 'PROGRAM')).toMatch(/^PROGRAM +CLASS +FORWARDED +PER S +DECLINED +STATE$/)
  expect(lineWith(shown, 'scanner')).toMatch(/^scanner +background +\d+ +[\d.]+ +\d+ 3 waiting, 12 ?s$/)
  expect(lineWith(shown, 'bot ')).toMatch(/^bot +background +\d+ +[\d.]+ +\d+ \S/)
})

test('the line of an unreachable service ends with the last part that fits', () => {
  const service = {
    ...{ reachable: false, host: 'api.tradestation.com' },
    ...{ retryAt: AT_MS + 8_000, why: 'the connection was refused' },
  }
  const shown = (columns: number) =>
    lineWith(renderTable(exampleSnapshot({ service }), [], AT_MS, { ...PLAIN, columns }), '.com unreachable')
  expect(shown(120)).toMatch(/unreachable, next try in 8s, the connection was refused$/)
  expect(shown(90)).toMatch(/unreachable, next try in 8s$/)
})

test('a desk has its own column, its machines and its server; without a desk none of these is shown', () => {
  const use = { total: 1.4, own: 0.1, desk: 0.4, elsewhere: 0.9 }
  const slot = exampleSlot({ category: 'Order Stream', own: 1, desk: 2, elsewhere: 3, free: 34 })
  const at = { requests: [exampleQuota({ use })], slots: [slot], desk: DESK }
  const shown = renderTable(exampleSnapshot(at), [], AT_MS, PLAIN)
  expect(lineWith(shown, 'CATEGORY')).toMatch(/ OWN +DESK +OTHERS /)
  expect(lineWith(shown, ' Accounts ')).toMatch(/ 0\.1 +0\.4 +0\.9 /)
  expect(lineWith(shown, 'Order Stream ')).toMatch(/34\/40 +1 +2 +3 /)
  expect(lineWith(shown, ' /s ')).toMatch(/^DESK +\/s 3 machines, one queue$/)
  expect(lineWith(shown, 'WORKSTATION  ')).toMatch(/ 1\.06 this machine · no programs$/)
  expect(lineWith(shown, 'LAPTOP')).toMatch(/ 0\.25 dashboard 0\.25$/)
  expect(shown).toContain('NATS ok, round trip 1.4 ms, nats.lan:4222, 0 dropped')
  expect(shown).toContain('WORKSTATION announces alerts')
  const alone = renderTable(exampleSnapshot({ ...at, desk: DESK_ALONE }), [], AT_MS, PLAIN)
  expect(alone).toMatch(/NATS unreachable, since [-\d]+ \d\d:\d\d:\d\d, nats\.lan:4222/)
  expect(renderTable(exampleSnapshot(), [], AT_MS, PLAIN)).not.toMatch(/desk|DESK|NATS/)
})

test('an old header is not shown as live, even though its number is', () => {
  const old = { observedAt: AT_MS - 121_000, low: 320, high: 320, remaining: 320, seen: 320 } as const
  expect(rowOf(old)).toContain(' ~320/320 ')
  expect(rowOf({ ...old, observedAt: AT_MS - 119_000 })).toContain(' 320/320 ')
})

test('a rejection shows what to do about it, the service’s message, and its start', () => {
  const problem = { status: 403, message: 'Forbidden', since: AT_MS - 60_000 }
  const requests = [exampleQuota({ category: 'Accounts', problem })]
  const table = renderTable(exampleSnapshot({ requests }), [], AT_MS, PLAIN)
  expect(lineWith(table, 'Sign in again with ReadAccount.')).toMatch(
    /^Sign in again with ReadAccount\. It says: “Forbidden”\. Since \d\d:\d\d\.$/,
  )
  expect(table).not.toContain('permission missing (403). Sign in')
  const narrow = renderTable(exampleSnapshot({ requests }), [], AT_MS, { ...PLAIN, columns: 60 })
  expect(narrow.split('\n').slice(0, 4).join(' ')).toContain('Sign in again with ReadAccount.')
})

test('an unresponsive sign-in host is named, with what to do, at any width', () => {
  const signInHost = {
    host: 'signin.example.com',
    since: AT_MS - 60_000,
    retryAt: AT_MS + 8_000,
    why: 'connection refused',
  }
  for (const columns of [40, 120]) {
    const table = renderTable(exampleSnapshot({ signInHost }), [], AT_MS, { ...PLAIN, columns })
    const text = table
      .split('\n')
      .slice(0, 12)
      .map((line) => line.trim())
      .join(' ')
    expect(text).toMatch(
      /^Can’t reach the sign-in host\. Access works until \d\d:\d\d\. Check the network\. Retrying at/,
    )
    expect(text).toContain('signin.example.com: connection refused.')
  }
})

test('with several problems, up to three besides the headline’s have a line that names them', () => {
  const categories = ['Accounts', 'Balances', 'Positions', 'Quote Snapshot', 'Order Details']
  const requests = categories.map((category) =>
    exampleQuota({ category, problem: { status: 404, since: AT_MS } }),
  )
  const table = renderTable(exampleSnapshot({ requests }), [], AT_MS, PLAIN)
  expect(lineWith(table, 'Balances: check rejected (404). Check the symbol')).toBeTruthy()
  expect(table.match(/Check the symbol and /g)).toHaveLength(4)
})

test('a category counted by another has no row, and the other one names it', () => {
  const requests = [
    exampleQuota({ category: 'Accounts' }),
    exampleQuota({ category: 'Balances', source: 'default', countedBy: 'Accounts' }),
  ]
  const table = renderTable(exampleSnapshot({ requests }), [], AT_MS, PLAIN)
  expect(table.split('\n').filter((line) => line.includes('Balances'))).toEqual([
    'Accounts also counts Balances',
  ])
})

test('time alone moves ages and countdowns, and no number', () => {
  const row = rowOf({ state: 'blocked', blockedUntil: AT_MS + 90_000 }, AT_MS + 50_000)
  expect(row).toMatch(/^429 40s\s.* 300\/320 .*53s$/)
})

test('an unchecked row’s number is marked as past', () => {
  expect(rowOf({ state: 'not-checked' })).toContain(' was 300/320 ')
  expect(rowOf({ problem: { status: 401, since: AT_MS - 60_000 } })).toContain(' was 300/320 ')
})

test('after a 429, SAFE shows the whole time until the next try', () => {
  expect(rowOf({ state: 'blocked', blockedUntil: AT_MS + 45_000 })).toContain(' in 45s ')
  expect(rowOf({ state: 'blocked', blockedUntil: AT_MS + 270_000 })).toContain(' in 4m30s ')
  expect(rowOf({ state: 'blocked', blockedUntil: AT_MS + 840_000 })).toContain(' in 14m ')
  expect(rowOf({ state: 'blocked', blockedUntil: AT_MS })).toContain(' retry now ')
})

test('each state is one word, with its duration', () => {
  expect(rowOf({ state: 'blocked', blockedUntil: AT_MS + 45_000 })).toMatch(/^429 45s /)
  const ends = { emptyFrom: AT_MS + 214_000, emptyTo: AT_MS + 400_000 }
  expect(rowOf({ state: 'running-out', ...ends })).toMatch(/^running out \d\d:\d\d–\d\d:\d\d /)
  expect(rowOf({ state: 'running-out', use: null })).toMatch(/^running out <10m /)
  expect(rowOf({ state: 'watch', ...ends })).toMatch(/^watch as early as \d\d:\d\d /)
  expect(rowOf({ state: 'low', level: 38, low: 38, high: 40, threshold: 0.2 })).toMatch(/^low 11–12 % /)
  expect(rowOf({ state: 'empty' })).toMatch(/^empty /)
})

test('the headline is the first line', () => {
  const requests = [exampleQuota({ state: 'empty', use: { total: 1, own: 0, elsewhere: 1 } })]
  const [first] = renderTable(exampleSnapshot({ requests }), [], AT_MS, PLAIN).split('\n')
  expect(first).toMatch(/^Accounts is empty\. Calls get 429 until it refills\./)
})

test('no line is wider than the terminal', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 200 }),
      fc.array(fc.string({ minLength: 1, maxLength: 60 }), { maxLength: 3 }),
      fc.integer({ min: 1, max: 999 }),
      fc.boolean(),
      (columns, names, limit, hasDesk) => {
        const requests = names.map((category) => exampleQuota({ category, limit, level: limit }))
        const streams = [exampleStream({ target: 'A'.repeat(200) })]
        const snapshot = exampleSnapshot({ requests, streams, ...(hasDesk && { desk: DESK }) })
        for (const line of renderTable(snapshot, [], AT_MS, { columns, colour: false }).split('\n')) {
          expect([...line].length).toBeLessThanOrEqual(columns)
        }
      },
    ),
    { numRuns: 50 },
  )
})

test('the columns of every row are under their heading', () => {
  const table = renderTable(exampleSnapshot(), [], AT_MS, PLAIN)
  const end = lineWith(table, 'CATEGORY').indexOf('LEFT') + 'LEFT'.length
  expect(lineWith(table, 'Accounts').slice(0, end)).toMatch(/300\/320$/)
  expect(lineWith(table, 'MarketDepth Stream').slice(0, end)).toMatch(/–\/30$/)
})

test('without colour there is not one escape sequence, and colour changes no letter', () => {
  const snapshot = exampleSnapshot({ slots: [exampleSlot({ free: 0 })] })
  const plain = renderTable(snapshot, [], AT_MS, PLAIN)
  const coloured = renderTable(snapshot, [], AT_MS, { ...PLAIN, colour: true })
  expect(stripVTControlCharacters(plain)).toBe(plain)
  expect(coloured).not.toBe(plain)
  expect(stripVTControlCharacters(coloured)).toBe(plain)
})

test('a service’s text cannot move the cursor', () => {
  const table = renderTable(
    exampleSnapshot({ requests: [exampleQuota({ category: 'a\u001b[2Jb\u0007\n' })] }),
    [],
    AT_MS,
    PLAIN,
  )
  expect(table.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u)
})

test('the last five events are shown with their age', () => {
  const event = (seq: number): LoggedEvent => ({
    kind: 'service-back',
    host: `host-${seq}`,
    seq,
    at: AT_MS - 10_000 + seq * 1000,
    profile: 'simulator',
  })
  const table = renderTable(exampleSnapshot(), [1, 2, 3, 4, 5, 6].map(event), AT_MS, PLAIN)
  expect(table).not.toContain('host-1')
  expect(lineWith(table, 'host-2')).toMatch(/^\s+8s ago host-2 responds again$/)
  expect(table).toContain('host-6')
})

test('a low window shows the quotas, the urgent ones first, and counts the hidden lines', () => {
  const requests = [
    exampleQuota({ category: 'Accounts' }),
    exampleQuota({ category: 'Balances', source: 'default', state: 'not-checked' }),
    exampleQuota({ category: 'Positions', state: 'running-out', emptyAt: AT_MS + 60_000 }),
  ]
  const snapshot = exampleSnapshot({ requests, slots: [exampleSlot({})] })
  const drawn = renderTable(snapshot, [], AT_MS, { ...PLAIN, rows: 9 }).split('\n')
  expect(drawn).toHaveLength(9)
  expect(drawn[7]).toMatch(/^running out\s+\S+\s+Positions/)
  expect(drawn[8]).toMatch(/^… \d+ more lines; enlarge the window$/)
})

test('a low window shows the newest event and the urgent row, and removes the oldest event first', () => {
  const requests = [
    exampleQuota({ category: 'Accounts' }),
    exampleQuota({ category: 'Positions', state: 'running-out', emptyAt: AT_MS + 60_000 }),
  ]
  const events: readonly LoggedEvent[] = [1, 2, 3, 4, 5].map((seq) => ({
    ...({ kind: 'service-back', host: `host-${seq}`, seq, profile: 'simulator' } as const),
    at: AT_MS - 10_000 + seq * 1000,
  }))
  const shownIn = (rows: number) => {
    const table = renderTable(exampleSnapshot({ requests }), events, AT_MS, { ...PLAIN, rows })
    return { table, seqs: [...table.matchAll(/host-(\d)/g)].map(([, seq]) => Number(seq)) }
  }
  for (let rows = 10; rows <= 40; rows += 1) {
    const { table, seqs } = shownIn(rows)
    expect(lineWith(table, ' Positions ')).toMatch(/^running out/)
    expect(seqs).toEqual([1, 2, 3, 4, 5].slice(-seqs.length))
  }
  expect(shownIn(10).seqs).toEqual([5])
  expect(shownIn(40).seqs).toHaveLength(5)
})

test('a full group of slots is marked without colour, and remains in a low window', () => {
  const slots = [exampleSlot({ category: 'Order Stream' }), exampleSlot({ free: 0, own: 1, elsewhere: 39 })]
  const snapshot = exampleSnapshot({ slots })
  expect(lineWith(renderTable(snapshot, [], AT_MS, PLAIN), 'Positions Stream')).toMatch(/ full 0\/40 +1 +39 /)
  const low = renderTable(snapshot, [], AT_MS, { ...PLAIN, rows: 9 })
  expect(low).toContain('full 0/40')
  expect(low).not.toContain('Order Stream')
})

test('in a narrow window no line is wider than it, and every quota still shows what is left', () => {
  const event: LoggedEvent = { kind: 'service-back', host: 'h'.repeat(90), seq: 1, at: AT_MS, profile: 'p' }
  const snapshot = exampleSnapshot({
    requests: [exampleQuota({ category: 'Quote Change Stream' })],
    slots: [exampleSlot({})],
    streams: [exampleStream({ target: 'MSFT,AAPL' })],
  })
  for (const columns of [79, 60, 40]) {
    const drawn = renderTable(snapshot, [event], AT_MS, { columns, colour: false })
    expect(Math.max(...drawn.split('\n').map((text) => text.length))).toBeLessThanOrEqual(columns)
    expect(lineWith(drawn, 'Quote Change')).toContain('300/320')
  }
})

test('in a narrow window no state word is cut, and a token’s lifetime is complete or absent', () => {
  const requests = [
    exampleQuota({
      category: 'Positions',
      state: 'running-out',
      emptyFrom: AT_MS + 110_000,
      emptyTo: AT_MS + 250_000,
    }),
    exampleQuota({ category: 'Accounts', problem: { status: 200, since: AT_MS - 60_000 } }),
  ]
  const refresh = {
    ...exampleSnapshot().refresh,
    rotating: true,
    rotatesBy: AT_MS + 1_440_000,
    endsAt: AT_MS + 64_800_000,
  }
  for (let columns = 40; columns <= 96; columns += 4) {
    const lines = renderTable(exampleSnapshot({ requests, refresh }), [], AT_MS, { ...PLAIN, columns }).split(
      '\n',
    )
    const [out, none] = ['Positions', 'Accounts'].map((name) =>
      lines.find((line) => line.includes(` ${name} `) && /\d\/\d/.test(line)),
    )
    expect(out).toMatch(/^running out +Positions/)
    expect(none).toMatch(columns < 60 ? /^no headers +Accounts/ : /^no headers 200 +Accounts/)
    const tokens = lines.filter((line) => /^(access|refresh) token/.test(line))
    expect(tokens.join()).not.toContain('…')
    expect(tokens[1]).toContain('sign-in ends in 18h')
  }
})

test('a common terminal of 80×24 shows the newest event, all observed quotas and others’ use', () => {
  const requests = Array.from({ length: 12 }, (_, at) => exampleQuota({ category: `Quota Spread Typ ${at}` }))
  const events = [AT_MS - 60_000, AT_MS - 5_000].map((at, seq) => ({
    ...({ kind: 'service-back', host: `h${seq}`, seq, at, profile: 'simulator' } as const),
  }))
  const table = renderTable(exampleSnapshot({ requests }), events, AT_MS, {
    columns: 80,
    rows: 24,
    colour: false,
  })
  for (const { category } of requests) expect(lineWith(table, `${category} `)).toBeTruthy()
  expect(lineWith(table, 'CATEGORY')).toMatch(/ LEFT +OTHERS +SAFE +FULL +AGE$/)
  expect(lineWith(table, '5s ago')).toContain('h1 responds again')
  expect(table).toContain('EVENTS')
})

test('a rejected key is shown as such, without a prompt to sign in', () => {
  const reason = 'the service rejected this API key or secret'
  const { refresh } = exampleSnapshot()
  const table = renderTable(
    exampleSnapshot({
      access: { state: 'none', scopes: [] },
      refresh: { ...refresh, state: 'sign-in-required', cause: 'misconfigured', reason },
    }),
    [{ seq: 1, at: AT_MS, profile: 'p', kind: 'sign-in-required', cause: 'misconfigured', reason }],
    AT_MS,
    { columns: 160, colour: false },
  )
  expect(lineWith(table, 'refresh token')).toContain(`key rejected, ${reason}`)
  expect(table).toContain(`Key rejected · ${reason}`)
  expect(table).not.toMatch(/sign.in (needed|required)/)
})

test('tokens and an unreachable service are described in words', () => {
  const table = renderTable(
    exampleSnapshot({
      service: { reachable: false, host: 'api.example.com', retryAt: AT_MS + 8000 },
      access: { state: 'expired', scopes: [] },
      refresh: {
        state: 'sign-in-required',
        reason: 'the answer was lost',
        rotating: true,
        stored: 'memory',
        refreshesToday: 3,
      },
    }),
    [],
    AT_MS,
    { columns: 120, colour: false },
  )
  expect(table).toContain('api.example.com unreachable, next try in 8s')
  expect(table.split('\n')[0]).toMatch(/^Signed out\.$/)
  expect(table).toContain('access token   expired')
  expect(table).toContain('signed out, the answer was lost, in memory only')
})

test('durations fit their column and never read shorter than they are', () => {
  fc.assert(
    fc.property(fc.integer({ min: -1000, max: 1e11 }), (ms) => {
      expect(duration(ms).length).toBeLessThanOrEqual(5)
    }),
  )
  expect([0, 1, 1000, 99_000, 100_000, 599_000, 600_000, 86_400_000].map(duration)).toEqual([
    '0s',
    '1s',
    '1s',
    '99s',
    '1m40s',
    '9m59s',
    '10m',
    '24h',
  ])
})

test('a levelBar is full only when nothing is used, and empty only when nothing is left', () => {
  expect(levelBar(1, 4)).toBe('████')
  expect(levelBar(0.999, 4)).toBe('███░')
  expect(levelBar(0.001, 4)).toBe('█░░░')
  expect(levelBar(0, 4)).toBe('░░░░')
})

test('a levelBar is shaded between what is certainly and what is possibly left', () => {
  expect(levelBar(0.25, 8, 0.5)).toBe('██▒▒░░░░')
  expect(levelBar(0, 8, 0.02)).toBe('▒░░░░░░░')
  expect(levelBar(1, 4, 1)).toBe('████')
})

test.each([20, 40, 60, 80])('the verdict is first and complete at %d columns', (columns) => {
  const requests = [exampleQuota({ state: 'empty', use: { total: 1, own: 0, elsewhere: 1 } })]
  const snapshot = exampleSnapshot({ requests })
  const wide = renderTable(snapshot, [], AT_MS, { columns: 300, colour: false }).split('\n')[0] ?? ''
  const lines = renderTable(snapshot, [], AT_MS, { columns, rows: 30, colour: false }).split('\n')
  const text = lines.join(' ')
  expect(wide).toContain('Accounts is empty.')
  expect(text.startsWith(wide)).toBe(true)
  for (const line of lines) expect([...line].length).toBeLessThanOrEqual(columns)
})

test('revoked tokens neither rotate nor expire again', () => {
  const refresh = {
    ...exampleSnapshot().refresh,
    rotating: true,
    rotatesBy: AT_MS + 1_000,
    endsAt: AT_MS + 9_000,
  }
  const table = renderTable(exampleSnapshot({ refresh: { ...refresh, state: 'revoked' } }), [], AT_MS, PLAIN)
  expect(table).not.toContain('rotates within')
  expect(table).not.toContain('sign-in ends')
})

test('items dropped from a snapshot are counted in one line below their list', () => {
  const whole = exampleSnapshot({ streams: [exampleStream()], gateway: { state: 'serving' }, programs: [] })
  expect(renderTable(whole, [], AT_MS, PLAIN)).not.toContain('not listed')
  const unlisted = { requests: 37, slots: 5, streams: 12, programs: 3 }
  const lines = renderTable({ ...whole, unlisted }, [], AT_MS, PLAIN).split('\n')
  const counts = lines.filter((line) => line.endsWith(' more not listed'))
  expect(counts).toEqual([37, 5, 12, 3].map((count) => `${count} more not listed`))
})

test('a service before its first request is shown as neither unreachable nor responding', () => {
  const host = 'api.example.com'
  const lineOf = (service: Snapshot['service']) =>
    lineWith(renderTable(exampleSnapshot({ service }), [], AT_MS, PLAIN), host)
  expect(lineOf({ reachable: false, pending: true, host })).toMatch(/api\.example\.com, no response yet$/)
  expect(lineOf({ reachable: true, host })).toMatch(/api\.example\.com$/)
  expect(lineOf({ reachable: false, host })).toMatch(/api\.example\.com unreachable$/)
})
