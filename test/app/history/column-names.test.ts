import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { reportOf } from '../../../app/history/report.ts'
import { reportCsv } from '../../../app/history/report-csv.ts'
import { SERIES_COLUMNS } from '../../../app/history/series.ts'
import { proves } from '../../proof/proves.ts'

/** Reserved in at least one of standard SQL, SQLite, PostgreSQL, MySQL, SQL Server, DuckDB and BigQuery. */
const RESERVED = new Set(
  `add all alter analyze and any array as asc at avg before begin between both by call case cast check collate
  column columns commit condition constraint contains count create cross current cursor database date day declare default
  delete desc describe distinct drop each else end escape except exists explain external false fetch file filter first
  float for foreign from full function get glob grant group groups having hour if ignore in index inner insert int
  interval into is isnull join key keys kill kind language last left level like limit lock low match max min minute
  minutes month natural new no not notnull null number of off offset on only open option or order outer over own owner
  partition percent period plan position pragma primary procedure profile public range rank read real recursive
  references release rename replace restrict return revoke right role row rows schema second select session set share
  show size source sql start state statement table temp text then time timestamp to top total transaction trigger true
  type union unique unknown update usage use used user using value values view when where window with work write year
  zone`.split(/\s+/),
)

test('no column of an export is a keyword of SQL, so each can be used unquoted', () => {
  const report = reportOf({
    profile: 'p',
    fromMs: 0,
    toMs: 1,
    requests: new Map(),
    slots: new Map(),
    events: [],
  })
  const reported = reportCsv(report, { profile: 'p', environment: 'live' }).trim().split(',')
  for (const names of [reported, [...SERIES_COLUMNS]]) {
    expect(names.filter((name) => RESERVED.has(name))).toEqual([])
    expect(names.filter((name) => !/^[a-z][a-z0-9_]*$/.test(name))).toEqual([])
    new DatabaseSync(':memory:').exec(`CREATE TABLE exported (${names.join(' TEXT, ')} TEXT) STRICT`)
    for (const name of ['profile_id', 'environment', 'start_time']) expect(names).toContain(name)
  }
  proves('E1', { level: 1, cases: 2 })
})
