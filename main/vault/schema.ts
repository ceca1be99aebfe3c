/**
 * The schema of `vault.db`, as a list of migrations. Migration n turns version n into n + 1.
 *
 * Released migrations are never edited, because existing files were created by them.
 */
export const VAULT_MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE data_keys (
    id INTEGER PRIMARY KEY,
    backend TEXT NOT NULL,
    wrapped BLOB NOT NULL,
    wrapped_digest BLOB NOT NULL,
    canary BLOB NOT NULL,
    canary_digest BLOB NOT NULL,
    made_at_ms INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE profiles (
    id TEXT PRIMARY KEY,
    about TEXT NOT NULL,
    changed_at_ms INTEGER NOT NULL
  ) STRICT;

  -- Once a newer generation is stored, 'sealed' becomes null. The metadata stays for three generations.
  CREATE TABLE records (
    profile TEXT NOT NULL REFERENCES profiles (id) ON DELETE CASCADE,
    kind TEXT NOT NULL,
    generation INTEGER NOT NULL,
    data_key INTEGER NOT NULL REFERENCES data_keys (id),
    sealed BLOB,
    about TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    PRIMARY KEY (profile, kind, generation)
  ) STRICT, WITHOUT ROWID;

  -- Refreshes that began and whose outcome is not stored, at most one per profile.
  CREATE TABLE intents (
    profile TEXT PRIMARY KEY REFERENCES profiles (id) ON DELETE CASCADE,
    generation INTEGER NOT NULL,
    at_ms INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE journal (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    profile TEXT NOT NULL REFERENCES profiles (id) ON DELETE CASCADE,
    generation INTEGER NOT NULL,
    step TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    at_ms INTEGER NOT NULL
  ) STRICT;

  -- Revocations that a person asked for and the service has not confirmed.
  CREATE TABLE outbox (
    profile TEXT PRIMARY KEY REFERENCES profiles (id) ON DELETE CASCADE,
    about TEXT NOT NULL,
    asked_at_ms INTEGER NOT NULL
  ) STRICT;

  -- Records that could not be opened, unchanged.
  CREATE TABLE quarantine (
    id INTEGER PRIMARY KEY,
    profile TEXT NOT NULL REFERENCES profiles (id) ON DELETE CASCADE,
    kind TEXT NOT NULL,
    generation INTEGER NOT NULL,
    data_key INTEGER NOT NULL,
    sealed BLOB,
    about TEXT NOT NULL,
    why TEXT NOT NULL,
    at_ms INTEGER NOT NULL
  ) STRICT;
  `,
]
