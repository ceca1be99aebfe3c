import { ROLLUP_COLUMNS, SAMPLE_COLUMNS, SLOT_COLUMNS } from './rows.ts'
import type { LEVELS } from './tiers.ts'

export type TierName = 'minutes' | (typeof LEVELS)[number]['table']

/**
 * The lowest or highest level of several rollups. If some of them have levels from headers, only these count.
 * `source` 2 is `header` (`SOURCES` in rows.ts).
 */
const levelOf = (end: 'min' | 'max', column: string): string =>
  `coalesce(${end}(CASE WHEN source = 2 THEN ${column} END), ${end}(${column}))`

/**
 * The values of one chart column, computed from one or more rollups. `low_first` is 1 if the low came before
 * the high. For several rollups, it is 1 only if the low came first in each of them.
 */
const COLUMNS = `min(at), max(at), ${levelOf('min', 'low')}, ${levelOf('max', 'high')},
  min(low_first), max(source), sum(rejected)`
const columnsOf = (table: string): string =>
  `SELECT ${COLUMNS} FROM ${table} WHERE series = ? AND at >= ? AND at < ?
   GROUP BY CAST((at - ?) / ? AS INTEGER) ORDER BY 1`

export const STATEMENTS = {
  minutesColumns: columnsOf('minutes'),
  quartersColumns: columnsOf('quarters'),
  hoursColumns: columnsOf('hours'),
  findSeries: 'SELECT id FROM series WHERE profile = ? AND category = ? AND kind = ?',
  addSeries: 'INSERT INTO series (profile, category, kind) VALUES (?, ?, ?)',
  categories: 'SELECT category FROM series WHERE profile = ? AND kind = ? ORDER BY id',
  seriesOfProfile: 'SELECT id FROM series WHERE profile = ?',
  disownSeries: 'UPDATE series SET profile = ? WHERE id = ?',
  dropEvents: 'DELETE FROM events WHERE profile = ?',
  addSample: `INSERT OR REPLACE INTO samples (series, ${SAMPLE_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  samples: `SELECT ${SAMPLE_COLUMNS} FROM samples WHERE series = ? AND at BETWEEN ? AND ? ORDER BY at`,
  hoursFrom: 'SELECT min(at) FROM hours WHERE series = ?',
  minutesFrom: 'SELECT min(at) FROM minutes WHERE series = ?',
  rawFrom: 'SELECT min(at) FROM samples WHERE series = ?',
  minutes: `SELECT ${ROLLUP_COLUMNS} FROM minutes WHERE series = ? AND at >= ? AND at < ? ORDER BY at`,
  /** Others' requests and the mean level, in intervals of `?4` milliseconds. */
  stretches: `SELECT CAST(at / ?4 AS INTEGER) * ?4, sum(elsewhere), sum(known_ms), avg((low + high) / 2.0)
    FROM minutes WHERE series = ?1 AND at >= ?2 AND at < ?3 GROUP BY 1 ORDER BY 1`,
  quarters: `SELECT ${ROLLUP_COLUMNS} FROM quarters WHERE series = ? AND at >= ? AND at < ? ORDER BY at`,
  hours: `SELECT ${ROLLUP_COLUMNS} FROM hours WHERE series = ? AND at >= ? AND at < ? ORDER BY at`,
  addSlots: `INSERT OR REPLACE INTO slots (series, ${SLOT_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?)`,
  slots: `SELECT ${SLOT_COLUMNS} FROM slots WHERE series = ? AND at BETWEEN ? AND ? ORDER BY at`,
  slotBefore: 'SELECT max(at) FROM slots WHERE series = ? AND at <= ?',
  addEvent: 'INSERT INTO events (profile, at, body) VALUES (?, ?, ?)',
  events:
    'SELECT body FROM events WHERE profile = ? AND at BETWEEN ? AND ? ORDER BY at DESC, id DESC LIMIT ?',
  addAlert: 'INSERT OR REPLACE INTO open_alerts (id, body) VALUES (?, ?)',
  dropAlert: 'DELETE FROM open_alerts WHERE id = ?',
  addProfile: 'INSERT OR REPLACE INTO profiles (id, environment) VALUES (?, ?)',
  dropProfile: 'DELETE FROM profiles WHERE id = ?',
  addProgramUse: `INSERT INTO program_use (series, at, program, class, requests) VALUES (?1, ?2, ?3, ?4, ?5)
    ON CONFLICT DO UPDATE SET requests = requests + ?5, class = ?4`,
  /** Requests per time slice. Slices are `?4` ms long and start at `?2`. */
  programUse: `SELECT program, CAST((at - ?2) / ?4 AS INTEGER), sum(requests) FROM program_use
    WHERE series = ?1 AND at >= ?2 AND at < ?3 GROUP BY 1, 2 ORDER BY 1, 2`,
  addDeskUse: `INSERT INTO desk_use (series, at, machine, requests) VALUES (?1, ?2, ?3, ?4)
    ON CONFLICT DO UPDATE SET requests = requests + ?4`,
  machineTotals: `SELECT machine, sum(requests) FROM desk_use
    WHERE series = ?1 AND at >= ?2 AND at < ?3 GROUP BY 1 ORDER BY 1`,
  /** Requests per time slice. Slices are `?4` ms long and start at `?2`. */
  deskUse: `SELECT CAST((at - ?2) / ?4 AS INTEGER), sum(requests) FROM desk_use
    WHERE series = ?1 AND at >= ?2 AND at < ?3 GROUP BY 1 ORDER BY 1`,
  openAlerts: 'SELECT body FROM open_alerts ORDER BY id',
} as const

export type StatementName = keyof typeof STATEMENTS
