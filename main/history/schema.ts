/** A table of rollups. Part of released migrations, so it is never changed. */
const rollupTable = (name: string): string => `CREATE TABLE ${name} (
    series INTEGER NOT NULL,
    at INTEGER NOT NULL,
    low INTEGER NOT NULL,
    high INTEGER NOT NULL,
    low_first INTEGER NOT NULL,
    lim INTEGER NOT NULL,
    source INTEGER NOT NULL,
    own INTEGER NOT NULL,
    elsewhere INTEGER NOT NULL,
    rejected INTEGER NOT NULL,
    known_ms INTEGER NOT NULL,
    near_ms INTEGER NOT NULL,
    PRIMARY KEY (series, at)
  ) STRICT, WITHOUT ROWID;`

/**
 * The migrations of the history's tables, in order. Released migrations are never changed. New ones are
 * appended.
 *
 * Every table is clustered by series and time (`WITHOUT ROWID`), because rows are read, rolled up and deleted
 * in that order. `minutes`, `quarters` and `hours` have only completed rollups. The open rollup is still in
 * `samples`.
 */
export const HISTORY_MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE series (
    id INTEGER PRIMARY KEY,
    profile TEXT NOT NULL,
    category TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('requests', 'slots')),
    UNIQUE (profile, category, kind)
  ) STRICT;

  CREATE TABLE samples (
    series INTEGER NOT NULL,
    at INTEGER NOT NULL,
    remaining INTEGER NOT NULL,
    lim INTEGER NOT NULL,
    source INTEGER NOT NULL,
    own INTEGER NOT NULL,
    elsewhere INTEGER NOT NULL,
    rejected INTEGER NOT NULL,
    PRIMARY KEY (series, at)
  ) STRICT, WITHOUT ROWID;

  ${rollupTable('minutes')}

  CREATE TABLE slots (
    series INTEGER NOT NULL,
    at INTEGER NOT NULL,
    lim INTEGER NOT NULL,
    own INTEGER NOT NULL,
    elsewhere INTEGER NOT NULL,
    free INTEGER NOT NULL,
    PRIMARY KEY (series, at)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE events (
    id INTEGER PRIMARY KEY,
    profile TEXT NOT NULL,
    at INTEGER NOT NULL,
    body TEXT NOT NULL
  ) STRICT;
  CREATE INDEX events_by_time ON events (profile, at);
  `,
  // Coarser levels. Without them, a chart or report of a day or a week would read too many minutes.
  `
  ${rollupTable('quarters')}

  ${rollupTable('hours')}
  `,
  // Open alerts. Without them, a restart would announce a lasting condition again.
  `
  CREATE TABLE open_alerts (
    id TEXT PRIMARY KEY,
    body TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  `,
  // Environments. They distinguish live from simulated rows in exports.
  `
  CREATE TABLE profiles (
    id TEXT PRIMARY KEY,
    environment TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  `,
  // Own requests per minute, by program behind the gateway. The column `own` of the other tables includes
  // them.
  `
  CREATE TABLE program_use (
    series INTEGER NOT NULL,
    at INTEGER NOT NULL,
    program TEXT NOT NULL,
    class TEXT NOT NULL,
    requests INTEGER NOT NULL,
    PRIMARY KEY (series, at, program)
  ) STRICT, WITHOUT ROWID;
  `,
  // Requests per minute of each of the desk's other machines. Neither `own` nor `elsewhere` in the other
  // tables includes them.
  `
  CREATE TABLE desk_use (
    series INTEGER NOT NULL,
    at INTEGER NOT NULL,
    machine TEXT NOT NULL,
    requests INTEGER NOT NULL,
    PRIMARY KEY (series, at, machine)
  ) STRICT, WITHOUT ROWID;
  `,
]

export const SCHEMA_VERSION = HISTORY_MIGRATIONS.length
