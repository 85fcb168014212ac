-- Ids are text (UUIDv7: they sort by time), times are UTC in microseconds, JSON only for what is never queried into.
-- One row, for whoever must be the only one: it is locked, never changed.
CREATE TABLE instance (
  id TEXT PRIMARY KEY NOT NULL
);
INSERT INTO instance (id) VALUES ('octavo');

CREATE TABLE users (
  id TEXT PRIMARY KEY NOT NULL,
  display_name TEXT NOT NULL,
  email TEXT NOT NULL UNIQUE,
  photo_url TEXT,
  created_at TIMESTAMP NOT NULL
);

CREATE TABLE tokens (
  id TEXT PRIMARY KEY NOT NULL,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  label TEXT NOT NULL,
  hash BLOB NOT NULL UNIQUE,
  created_at TIMESTAMP NOT NULL,
  expires_at TIMESTAMP,
  revoked_at TIMESTAMP
);
CREATE INDEX tokens_by_user ON tokens (user_id, id);

CREATE TABLE organizations (
  id TEXT PRIMARY KEY NOT NULL,
  title TEXT NOT NULL,
  email_domains TEXT NOT NULL,
  hostname TEXT,
  default_role TEXT,
  logo TEXT,
  sso BOOLEAN NOT NULL,
  ai BOOLEAN NOT NULL,
  invite_links BOOLEAN NOT NULL,
  merge_rules TEXT NOT NULL,
  created_at TIMESTAMP NOT NULL
);

CREATE TABLE members (
  organization_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  role TEXT,
  disabled BOOLEAN NOT NULL,
  joined_at TIMESTAMP NOT NULL,
  PRIMARY KEY (organization_id, user_id)
);
CREATE INDEX members_by_user ON members (user_id, organization_id);

CREATE TABLE spaces (
  id TEXT PRIMARY KEY NOT NULL,
  organization_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  parent_id TEXT,
  title TEXT NOT NULL,
  emoji TEXT NOT NULL,
  icon TEXT,
  visibility TEXT NOT NULL,
  edit_mode TEXT NOT NULL,
  default_level TEXT NOT NULL,
  language TEXT,
  merge_rules TEXT NOT NULL,
  revision_id TEXT NOT NULL,
  created_at TIMESTAMP NOT NULL,
  updated_at TIMESTAMP NOT NULL,
  deleted_at TIMESTAMP
);
CREATE INDEX spaces_by_organization ON spaces (organization_id, id);

CREATE TABLE revisions (
  id TEXT PRIMARY KEY NOT NULL,
  space_id TEXT NOT NULL REFERENCES spaces (id) ON DELETE CASCADE,
  parents TEXT NOT NULL,
  manifest BLOB NOT NULL,
  kind TEXT NOT NULL,
  author_id TEXT REFERENCES users (id) ON DELETE SET NULL,
  created_at TIMESTAMP NOT NULL,
  git TEXT,
  merged_from TEXT
);
CREATE INDEX revisions_by_space ON revisions (space_id, id);

-- Immutable bytes by their BLAKE3 hash: one leading byte tells how they are packed.
CREATE TABLE objects (
  hash BLOB PRIMARY KEY NOT NULL,
  data BLOB NOT NULL
);

-- Which documents a space's revisions ever held: a hash alone must open nothing.
CREATE TABLE space_documents (
  space_id TEXT NOT NULL REFERENCES spaces (id) ON DELETE CASCADE,
  hash BLOB NOT NULL,
  PRIMARY KEY (space_id, hash)
) WITHOUT ROWID;

CREATE TABLE events (
  id TEXT PRIMARY KEY NOT NULL,
  organization_id TEXT,
  actor_id TEXT,
  token_id TEXT,
  at TIMESTAMP NOT NULL,
  change TEXT NOT NULL
);
CREATE INDEX events_by_organization ON events (organization_id, id);
