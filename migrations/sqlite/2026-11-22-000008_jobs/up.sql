-- Work that is done later. A row is written by the transaction that causes the work, claimed by one server at a time
-- (leased_until; claims tells one holder from the next), and goes when the work is done.
CREATE TABLE jobs (
  id TEXT PRIMARY KEY NOT NULL,
  key TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL,
  task TEXT NOT NULL,
  due_at TIMESTAMP NOT NULL,
  attempts INTEGER NOT NULL,
  claims INTEGER NOT NULL,
  leased_until TIMESTAMP,
  failed_at TIMESTAMP,
  reason TEXT,
  created_at TIMESTAMP NOT NULL
);
CREATE INDEX jobs_by_due ON jobs (due_at, id);

-- One row: when a server last noted the time, and since when the notes follow one another without a gap.
CREATE TABLE heartbeat (
  id TEXT PRIMARY KEY NOT NULL,
  at TIMESTAMP NOT NULL,
  steady_since TIMESTAMP NOT NULL
);

-- Content that a purged space held, until it is known whether anybody else holds it.
CREATE TABLE condemned (
  kind TEXT NOT NULL,
  hash BLOB NOT NULL,
  at TIMESTAMP NOT NULL,
  PRIMARY KEY (kind, hash)
) WITHOUT ROWID;
