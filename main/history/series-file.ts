import type { DatabaseSync } from 'node:sqlite'
import { PROGRAM_CLASSES } from '../../app/contract/programs.ts'
import type { ProgramSample } from '../../app/history/sample.ts'
import type { SeriesMinute } from '../../app/history/series.ts'
import { openReadOnly, type ReadOnlyOpening } from '../storage/sqlite-file.ts'
import { FORGOTTEN } from './compaction.ts'
import { HISTORY_FILE } from './replaceable-file.ts'
import { asRow, ROLLUP_COLUMNS, rollupOf } from './rows.ts'
import { SCHEMA_VERSION } from './schema.ts'
import { asArrays } from './tiers.ts'

export interface SeriesQuery {
  readonly profile: string | undefined
  readonly fromMs: number
  readonly toMs: number
}

export interface SeriesFile {
  /** The whole minutes that begin in the interval, sorted by profile, category and time. */
  minutes(query: SeriesQuery): Iterable<SeriesMinute>
  /** Requests of programs behind the gateway in the same minutes. The rows' own requests include them. */
  programMinutes(query: SeriesQuery): Iterable<{ readonly category: string; readonly sample: ProgramSample }>
  /** Profiles with recorded minutes, connected or not. */
  profiles(): readonly { readonly profile: string; readonly environment: string }[]
  close(): void
}

export type SeriesOpening = ReadOnlyOpening<SeriesFile>

/** Opens the history of a data folder read-only, even while an app is writing to it. */
export const openSeriesFile = (folder: string): SeriesOpening =>
  openReadOnly({ folder, name: HISTORY_FILE, what: 'history', newest: SCHEMA_VERSION }, seriesFile)

function seriesFile(database: DatabaseSync): SeriesFile {
  // Files from an earlier version lack some tables.
  const hasTable = (name: string) =>
    database.prepare('SELECT 1 FROM sqlite_schema WHERE name = ?').get(name) !== undefined
  const environment = hasTable('profiles')
    ? `coalesce((SELECT environment FROM profiles WHERE id = series.profile), '')`
    : `''`
  const ofRequests = `kind = 'requests' AND profile NOT LIKE '${FORGOTTEN}%'`
  const desk = hasTable('desk_use')
    ? '(SELECT sum(requests) FROM desk_use WHERE series = minutes.series AND at = minutes.at)'
    : 'NULL'
  const minutes = asArrays(
    database.prepare(
      `SELECT profile, ${environment}, category, ${desk}, ${ROLLUP_COLUMNS}
       FROM series JOIN minutes ON minutes.series = series.id
       WHERE ${ofRequests} AND (?1 IS NULL OR profile = ?1) AND at >= ?2 AND at < ?3
       ORDER BY profile, category, at`,
    ),
  )
  const programs = hasTable('program_use')
    ? asArrays(
        database.prepare(
          `SELECT category, at, program, class, requests
           FROM series JOIN program_use ON program_use.series = series.id
           WHERE ${ofRequests} AND (?1 IS NULL OR profile = ?1) AND at >= ?2 AND at < ?3
           ORDER BY category, program, at`,
        ),
      )
    : undefined
  return {
    programMinutes: function* ({ profile, fromMs, toMs }) {
      for (const row of programs?.iterate(profile ?? null, fromMs, toMs) ?? []) {
        const [category, atMs, program, own, requests] = asRow(row)
        yield {
          category: String(category),
          sample: {
            atMs: numberOf(atMs),
            program: String(program),
            class: PROGRAM_CLASSES.find((one) => one === own) ?? 'normal',
            requests: numberOf(requests),
          },
        }
      }
    },
    minutes: function* ({ profile, fromMs, toMs }) {
      for (const row of minutes.iterate(profile ?? null, fromMs, toMs)) {
        const [id, where, category, requests, ...columns] = asRow(row)
        yield {
          profile: String(id),
          environment: String(where),
          category: String(category),
          minute: rollupOf(columns),
          ...(typeof requests === 'number' && { desk: requests }),
        }
      }
    },
    profiles: () =>
      database
        .prepare(
          `SELECT DISTINCT profile, ${environment} AS environment FROM series WHERE ${ofRequests} ORDER BY 1`,
        )
        .all()
        .map((row) => ({ profile: String(row['profile']), environment: String(row['environment']) })),
    close: () => database.close(),
  }
}

const numberOf = (value: unknown): number => (typeof value === 'number' ? value : 0)
