import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { QuotaState, RequestQuota, Snapshot } from '../../../app/contract/snapshot.ts'
import { shareLeftText } from '../../../app/status/quota-status.ts'
import { startSimulatorServer } from '../../../main/simulator/server.ts'
import { runNode } from '../../main/hosts/terminal/run-node.ts'
import { temporaryFolder } from '../../main/storage/temporary-folder.ts'
import { added, type Figures, figuresOf } from './figures.ts'
import type { Kind } from './kinds.ts'
import { livedKey } from './live-key.ts'
import type { Looks } from './looks.ts'
import { cyclic, onTimer, steady } from './processes.ts'

/**
 * Three and a half minutes of real time. The simulator, others' programs over HTTP, and `headroom watch
 * --json` are separate processes.
 */
const SECONDS = 210
const kind = (name: string, others: Kind['others'], limit = 320, periodSeconds = 300): Kind => ({
  ...{ name, shape: 'other', limit, periodSeconds, own: 0, others },
})
/**
 * Others use 18 a second of 90 a minute, twelve times the refill. The quota is empty after 6 s and stays
 * empty. At least eleven of twelve tries get 429.
 */
const STORM = { category: 'Option Expirations', refill: 1.5 }
/** Others use 2 a second of 320 in five minutes. The quota is empty after 340 s. */
const DRAINED = 'Balances'
const KINDS = [
  { category: STORM.category, kind: kind('storm', steady(12 * STORM.refill), 90, 60) },
  { category: DRAINED, kind: kind('drained', steady(2)) },
  { category: 'Quote Snapshot', kind: kind('sessions', cyclic(3, 60, 180), 500) },
  { category: 'Accounts', kind: kind('scanner', onTimer(60, 60, 15)) },
]
const isAmber = (state: QuotaState) => state === 'watch' || state === 'low' || state === 'running-out'
const isShort = (state: QuotaState) => state === 'blocked' || state === 'empty'

interface Shown {
  readonly row: RequestQuota
  readonly second: number
}

/** The blocked rows whose last two headers both came with a 429. A single 429 may have another cause. */
function repeatedlyRefused(rows: readonly Shown[]): readonly Shown[] {
  let [observedAt, rejected, inARow] = [0, 0, 0]
  return rows.filter(({ row }) => {
    const isNew = row.observedAt !== undefined && row.observedAt !== observedAt
    if (isNew) inARow = row.rejected > rejected ? inARow + row.rejected - rejected : 0
    observedAt = row.observedAt ?? observedAt
    rejected = row.rejected
    return inARow > 1 && row.state === 'blocked'
  })
}

let looks: readonly Looks[] = []
let figures: readonly Figures[] = []
const shown: Shown[] = []
const rowsOf = (category: string) => shown.filter(({ row }) => row.category === category)
const looksOf = (category: string) => looks[KINDS.findIndex((one) => one.category === category)]!

beforeAll(async () => {
  const startMs = Date.now()
  const each = (snapshot: Snapshot, atMs: number) => {
    for (const row of snapshot.requests) shown.push({ row, second: (atMs - startMs) / 1000 })
  }
  looks = await livedKey({ kinds: KINDS, seed: 2, seconds: SECONDS, each })
  figures = looks.map(figuresOf)
}, 300_000)

describe('in real time', () => {
  test('S1: while 429s last, others are shown with no more than the whole refill', () => {
    const storm = rowsOf(STORM.category).filter(({ row }) => row.blockedUntil ?? row.nextTryAt)
    expect(storm.length).toBeGreaterThan(20)
    for (const { row } of storm) {
      expect(row.use?.elsewhere).toBeLessThanOrEqual(STORM.refill + 1e-9)
      expect(row.use?.elsewhereHigh).toBeLessThanOrEqual(STORM.refill + 1e-9)
    }
  })

  test('S2: while others take all, no time to retry is promised, and at most four tries a minute get 429', () => {
    const storm = repeatedlyRefused(rowsOf(STORM.category))
    expect(storm.length).toBeGreaterThan(20)
    expect(storm.filter(({ row }) => row.nextTryAt === undefined)).toEqual([])
    for (const { row, second } of storm) {
      const before = storm.findLast((one) => one.second <= second - 60)
      if (before) expect(row.rejected - before.row.rejected).toBeLessThanOrEqual(4)
    }
  })

  test('S3: no quota is called empty above a tenth of its limit', () => {
    for (const {
      state,
      truth,
      count,
      kind: { name, limit },
    } of looks)
      for (let second = 0; second < count; second += 1)
        if (state[second] === 'empty') expect(truth[second], name).toBeLessThanOrEqual(0.1 * limit)
  })

  test('S4: states hold ten seconds unless a header or a 429 contradicts', () => {
    expect(figures.map(({ name, flickers }) => [name, flickers])).toEqual(
      KINDS.map(({ kind: { name } }) => [name, 0]),
    )
    expect(figures[2]?.changes).toBeLessThanOrEqual(4)
  })

  test('S5: no quota is low while it certainly has half of its limit', () => {
    for (const { row } of shown)
      if (row.low >= row.limit / 2) expect(['low', 'empty'], row.category).not.toContain(row.state)
  })

  test('S6: a load of twice the refill is amber within a minute', () => {
    const { state } = looksOf(DRAINED)
    const amber = state.findIndex((one) => isAmber(one) || isShort(one))
    expect(amber).toBeGreaterThan(0)
    expect(amber).toBeLessThanOrEqual(60)
  })

  test('S8: a sentence begins with the certain part of what is left', () => {
    const checked = shown.filter(({ row }) => row.observedAt !== undefined)
    expect(checked.length).toBeGreaterThan(SECONDS)
    for (const { row } of checked) {
      const percent = Number.parseInt(shareLeftText(row), 10)
      expect(percent, row.category).toBeLessThanOrEqual((100 * row.low) / row.limit)
    }
    const sum = figures.reduce(added)
    expect(sum.highWrong).toBe(0)
    expect(sum.covered / sum.looks).toBeGreaterThan(0.8)
  })
})

const HEADROOM = fileURLToPath(new URL('../../../main/hosts/terminal/headroom.ts', import.meta.url))

test('S7: after a restart, others’ range is as narrow as before it at once', async () => {
  const simulator = await startSimulatorServer({ traffic: { Accounts: 3 } })
  onTestFinished(() => simulator.close())
  const { origin } = simulator
  const { clientId, refreshToken } = simulator.service.options
  const folder = temporaryFolder()
  const flags = ['--auth-url', origin, '--base-url', origin, '--client-id', clientId, '--data', folder]
  /** The ratio of the ends of others' range on Accounts, in the first snapshot that has one. */
  const firstRatio = async () => {
    const probes = ['--probe', 'Accounts=5', '--for', '30']
    const { stdout } = await runNode([HEADROOM, 'watch', '--json', ...probes, ...flags], {
      HEADROOM_PASSPHRASE: 'twelve green plums of a long night',
      HEADROOM_REFRESH_TOKEN: refreshToken,
    }).ended
    for (const line of stdout.trimEnd().split('\n')) {
      const printed = JSON.parse(line) as { readonly requests?: readonly RequestQuota[] }
      const use = printed.requests?.find(({ category }) => category === 'Accounts')?.use
      if (use?.elsewhereHigh !== undefined) return use.elsewhereHigh / Math.max(0.1, use.elsewhereLow ?? 0)
    }
    throw new Error('others’ use was never shown')
  }
  const first = await firstRatio()
  const learned = readFileSync(join(folder, 'learned.json'), 'utf8')
  expect(learned).toContain('Accounts')
  expect(learned).not.toContain('SIM1001')
  expect(await firstRatio()).toBeLessThan(0.8 * first)
}, 120_000)
