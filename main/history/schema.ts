/**
 * The history's tables, as steps upwards. A step is never changed once it was released: a new one is added.
 *
 * Everything is clustered by series and time (`WITHOUT ROWID`), because that is how it is read, rolled up and aged.
 * `minutes`, `quarters` and `hours` hold only stretches that are over; the open one is in `samples`.
 */
export const MIGRATIONS: readonly string[] = [
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

  CREATE TABLE minutes (
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
  ) STRICT, WITHOUT ROWID;

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
  // A day or a week of minutes is more than a chart draws or a report should add up.
  `
  CREATE TABLE quarters (
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
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE hours (
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
  ) STRICT, WITHOUT ROWID;
  `,
  // What was said about a condition that still lasts is not said again by the next start.
  `
  CREATE TABLE open_alerts (
    id TEXT PRIMARY KEY,
    body TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  `,
  // Rows that leave the app say which of live and simulated numbers they are.
  `
  CREATE TABLE profiles (
    id TEXT PRIMARY KEY,
    environment TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  `,
]

export const SCHEMA_VERSION = MIGRATIONS.length
