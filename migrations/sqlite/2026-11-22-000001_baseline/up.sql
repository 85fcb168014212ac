-- The schema of the first release. A migration is never edited once it is on the main branch: later changes are
-- migrations of their own.
--
-- Ids are text (UUIDv7: they sort by time), times are UTC in microseconds, and JSON holds only what no query looks
-- into.
--
-- A column with a word of a closed list has a CHECK. Lists that grow with the program (languages, kinds of jobs,
-- actions of events) have none, because SQLite changes a CHECK only by rebuilding the table.
--
-- Columns without a foreign key say why. A column that names a revision never has one: a purge removes the revisions of
-- a space in batches, before the rows that name them, and the check of each removed revision would need an index on
-- every such column.

-- Accounts ------------------------------------------------------------------------------------------------------------

-- A single row used as a global lock; never updated.
CREATE TABLE instance (
  id TEXT PRIMARY KEY NOT NULL
);
INSERT INTO instance (id) VALUES ('octavo');

CREATE TABLE users (
  id TEXT PRIMARY KEY NOT NULL,
  display_name TEXT NOT NULL,
  email TEXT NOT NULL UNIQUE,
  -- Whether the address is known to belong to the user.
  email_verified BOOLEAN NOT NULL,
  photo_url TEXT,
  -- The name and the address in the form for searches and for the order of names (domain::text::folded): the databases
  -- fold only ASCII in the same way.
  folded TEXT NOT NULL,
  created_at TIMESTAMP NOT NULL
);

CREATE TABLE tokens (
  id TEXT PRIMARY KEY NOT NULL,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  label TEXT NOT NULL,
  -- The SHA-256 of the secret.
  hash BLOB NOT NULL UNIQUE,
  -- The scopes; NULL for all.
  scopes TEXT,
  created_at TIMESTAMP NOT NULL,
  expires_at TIMESTAMP,
  revoked_at TIMESTAMP,
  last_used_at TIMESTAMP
);
CREATE INDEX tokens_by_user ON tokens (user_id, id);

-- Requests that must not run twice: the key of the caller, and the response once it exists.
CREATE TABLE idempotency_keys (
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  key TEXT NOT NULL,
  request BLOB NOT NULL,
  created_at TIMESTAMP NOT NULL,
  status INTEGER,
  location TEXT,
  body BLOB,
  PRIMARY KEY (user_id, key)
);
CREATE INDEX idempotency_keys_by_creation ON idempotency_keys (created_at);

-- Organizations -------------------------------------------------------------------------------------------------------

CREATE TABLE organizations (
  id TEXT PRIMARY KEY NOT NULL,
  title TEXT NOT NULL,
  email_domains TEXT NOT NULL,
  hostname TEXT,
  -- The role of users who join by their address; NULL for guests.
  default_role TEXT CHECK (default_role IN ('read', 'comment', 'edit', 'review', 'create', 'admin')),
  logo TEXT,
  sso BOOLEAN NOT NULL,
  ai BOOLEAN NOT NULL,
  invite_links BOOLEAN NOT NULL,
  merge_rules TEXT NOT NULL,
  created_at TIMESTAMP NOT NULL
);

-- The domains whose users can join an organization, to find organizations by domain. The same domains as in
-- organizations.email_domains, written with them.
CREATE TABLE organization_email_domains (
  domain TEXT NOT NULL,
  organization_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  PRIMARY KEY (domain, organization_id)
);
CREATE INDEX organization_email_domains_by_organization ON organization_email_domains (organization_id);

-- No role means guest.
CREATE TABLE members (
  organization_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  role TEXT CHECK (role IN ('read', 'comment', 'edit', 'review', 'create', 'admin')),
  disabled BOOLEAN NOT NULL,
  sso BOOLEAN NOT NULL,
  joined_at TIMESTAMP NOT NULL,
  last_seen_at TIMESTAMP,
  PRIMARY KEY (organization_id, user_id)
);
CREATE INDEX members_by_user ON members (user_id, organization_id);
CREATE INDEX members_by_joining ON members (organization_id, joined_at, user_id);

CREATE TABLE teams (
  id TEXT PRIMARY KEY NOT NULL,
  organization_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  title TEXT NOT NULL,
  -- The title in the form for searches (domain::text::folded).
  folded TEXT NOT NULL,
  created_at TIMESTAMP NOT NULL
);
CREATE INDEX teams_by_organization ON teams (organization_id, id);

CREATE TABLE team_members (
  team_id TEXT NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  role TEXT NOT NULL CHECK (role IN ('owner', 'member')),
  joined_at TIMESTAMP NOT NULL,
  PRIMARY KEY (team_id, user_id)
);
CREATE INDEX team_members_by_user ON team_members (user_id, team_id);

-- Instructions of an organization for agents.
CREATE TABLE agent_instructions (
  organization_id TEXT PRIMARY KEY NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  instructions TEXT NOT NULL,
  updated_at TIMESTAMP NOT NULL,
  updated_by TEXT REFERENCES users (id) ON DELETE SET NULL
);

-- Collections and spaces ----------------------------------------------------------------------------------------------

-- A collection can be removed only when it is empty. Spaces and collections with the same parent have one order, by
-- position (domain::content::order).
CREATE TABLE collections (
  id TEXT PRIMARY KEY NOT NULL,
  organization_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  parent_id TEXT REFERENCES collections (id),
  title TEXT NOT NULL,
  description TEXT,
  default_level TEXT NOT NULL
    CHECK (default_level IN ('inherit', 'none', 'read', 'comment', 'edit', 'review', 'create', 'admin')),
  position TEXT NOT NULL,
  created_at TIMESTAMP NOT NULL,
  updated_at TIMESTAMP NOT NULL,
  deleted_at TIMESTAMP
);
CREATE INDEX collections_by_organization ON collections (organization_id, position, id);
CREATE INDEX collections_by_parent ON collections (parent_id, position, id);

CREATE TABLE spaces (
  id TEXT PRIMARY KEY NOT NULL,
  organization_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  parent_id TEXT REFERENCES collections (id),
  title TEXT NOT NULL,
  emoji TEXT NOT NULL,
  icon TEXT,
  visibility TEXT NOT NULL
    CHECK (visibility IN ('public', 'unlisted', 'share-link', 'visitor-auth', 'in-collection', 'private')),
  edit_mode TEXT NOT NULL CHECK (edit_mode IN ('live', 'locked')),
  default_level TEXT NOT NULL
    CHECK (default_level IN ('inherit', 'none', 'read', 'comment', 'edit', 'review', 'create', 'admin')),
  language TEXT,
  merge_rules TEXT NOT NULL,
  position TEXT NOT NULL,
  -- The current revision. No foreign key: a space and its first revision refer to each other, and no constraint is
  -- deferrable.
  revision_id TEXT NOT NULL,
  -- Counters, updated in the transaction of each change that they count.
  comments INTEGER NOT NULL,
  change_requests INTEGER NOT NULL,
  change_requests_open INTEGER NOT NULL,
  change_requests_draft INTEGER NOT NULL,
  created_at TIMESTAMP NOT NULL,
  updated_at TIMESTAMP NOT NULL,
  deleted_at TIMESTAMP
);
CREATE INDEX spaces_by_organization ON spaces (organization_id, position, id);
CREATE INDEX spaces_by_parent ON spaces (parent_id, position, id);

-- A grant to a user or a team on a space or a collection. A grant without a role denies access.
CREATE TABLE grants (
  space_id TEXT REFERENCES spaces (id) ON DELETE CASCADE,
  collection_id TEXT REFERENCES collections (id) ON DELETE CASCADE,
  organization_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  user_id TEXT REFERENCES users (id) ON DELETE CASCADE,
  team_id TEXT REFERENCES teams (id) ON DELETE CASCADE,
  role TEXT CHECK (role IN ('read', 'comment', 'edit', 'review', 'create', 'admin')),
  created_at TIMESTAMP NOT NULL,
  UNIQUE (space_id, user_id),
  UNIQUE (space_id, team_id),
  UNIQUE (collection_id, user_id),
  UNIQUE (collection_id, team_id),
  CHECK ((space_id IS NULL) <> (collection_id IS NULL)),
  CHECK ((user_id IS NULL) <> (team_id IS NULL))
);
CREATE INDEX grants_by_user ON grants (user_id, organization_id);
CREATE INDEX grants_by_team ON grants (team_id);

-- A user with the id of an invite can join: with a role in the organization, or as a guest with a grant on a space or a
-- collection.
CREATE TABLE link_invites (
  id TEXT PRIMARY KEY NOT NULL,
  organization_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  space_id TEXT REFERENCES spaces (id) ON DELETE CASCADE,
  collection_id TEXT REFERENCES collections (id) ON DELETE CASCADE,
  role TEXT CHECK (role IN ('read', 'comment', 'edit', 'review', 'create', 'admin')),
  created_by TEXT REFERENCES users (id) ON DELETE SET NULL,
  created_at TIMESTAMP NOT NULL,
  CHECK (space_id IS NULL OR collection_id IS NULL),
  -- A grant of an invite has a role: it denies nothing.
  CHECK (role IS NOT NULL OR (space_id IS NULL AND collection_id IS NULL))
);
CREATE INDEX link_invites_by_organization ON link_invites (organization_id, id);
CREATE INDEX link_invites_by_space ON link_invites (space_id);
CREATE INDEX link_invites_by_collection ON link_invites (collection_id);

-- Content -------------------------------------------------------------------------------------------------------------

-- Immutable content by its BLAKE3 hash. The first byte of the data is the packing.
CREATE TABLE objects (
  hash BLOB PRIMARY KEY NOT NULL,
  data BLOB NOT NULL
);

-- Revisions of the primary content and of change requests.
CREATE TABLE revisions (
  id TEXT PRIMARY KEY NOT NULL,
  space_id TEXT NOT NULL REFERENCES spaces (id) ON DELETE CASCADE,
  parents TEXT NOT NULL,
  manifest BLOB NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('edits', 'merge', 'update', 'rollback')),
  author_id TEXT REFERENCES users (id) ON DELETE SET NULL,
  created_at TIMESTAMP NOT NULL,
  git TEXT,
  -- The merged change request. No foreign key: both are removed only when their space is purged, and the check of each
  -- removed change request would need an index on this column.
  merged_from TEXT,
  -- Whether it is, or was, the content of its space, and not only of a change request.
  is_primary BOOLEAN NOT NULL
);
CREATE INDEX revisions_by_space ON revisions (space_id, id);
CREATE INDEX primary_revisions ON revisions (space_id, created_at, id) WHERE is_primary;

-- The documents that any revision of a space has ever held: a caller who knows only a hash gets nothing.
CREATE TABLE space_documents (
  space_id TEXT NOT NULL REFERENCES spaces (id) ON DELETE CASCADE,
  hash BLOB NOT NULL,
  PRIMARY KEY (space_id, hash)
) WITHOUT ROWID;

-- Change requests -----------------------------------------------------------------------------------------------------

CREATE TABLE change_requests (
  id TEXT PRIMARY KEY NOT NULL,
  space_id TEXT NOT NULL REFERENCES spaces (id) ON DELETE CASCADE,
  number INTEGER NOT NULL,
  subject TEXT NOT NULL,
  description TEXT,
  status TEXT NOT NULL CHECK (status IN ('draft', 'open', 'archived', 'merged')),
  created_by TEXT NOT NULL REFERENCES users (id),
  created_at TIMESTAMP NOT NULL,
  updated_at TIMESTAMP NOT NULL,
  revision_id TEXT NOT NULL,
  revision_initial_id TEXT NOT NULL,
  revision_merged_ancestor_id TEXT,
  revision_merged_id TEXT,
  merged_by TEXT REFERENCES users (id),
  merged_at TIMESTAMP,
  comments INTEGER NOT NULL,
  UNIQUE (space_id, number),
  CHECK ((status = 'merged') = (merged_at IS NOT NULL)),
  CHECK ((merged_at IS NULL) = (revision_merged_id IS NULL))
);
CREATE INDEX change_requests_by_update ON change_requests (space_id, status, updated_at, id);
CREATE INDEX change_requests_by_creation ON change_requests (space_id, status, created_at, id);
-- For whole organizations, newest first.
CREATE INDEX change_requests_newest ON change_requests (status, updated_at, id);
CREATE INDEX change_requests_by_creator ON change_requests (created_by, id);

-- Conflicts between a change request and the primary content, until a user decides them: one row for each place in the
-- content.
CREATE TABLE change_request_conflicts (
  id TEXT PRIMARY KEY NOT NULL,
  change_request_id TEXT NOT NULL REFERENCES change_requests (id) ON DELETE CASCADE,
  place TEXT NOT NULL,
  conflict TEXT NOT NULL,
  UNIQUE (change_request_id, place)
);

CREATE TABLE change_request_contributors (
  change_request_id TEXT NOT NULL REFERENCES change_requests (id) ON DELETE CASCADE,
  user_id TEXT NOT NULL REFERENCES users (id),
  action TEXT NOT NULL CHECK (action IN ('edit', 'comment')),
  count INTEGER NOT NULL,
  updated_at TIMESTAMP NOT NULL,
  PRIMARY KEY (change_request_id, user_id, action)
);
CREATE INDEX change_request_contributors_by_user ON change_request_contributors (user_id, change_request_id);

CREATE TABLE reviews (
  id TEXT PRIMARY KEY NOT NULL,
  change_request_id TEXT NOT NULL REFERENCES change_requests (id) ON DELETE CASCADE,
  revision_id TEXT NOT NULL,
  reviewer_id TEXT NOT NULL REFERENCES users (id),
  requested_by TEXT REFERENCES users (id),
  verdict TEXT NOT NULL CHECK (verdict IN ('changes-requested', 'approved')),
  comment TEXT,
  outdated BOOLEAN NOT NULL,
  -- Whether the space moved to another organization after the review: then the review never counts again.
  ended BOOLEAN NOT NULL,
  created_at TIMESTAMP NOT NULL,
  updated_at TIMESTAMP NOT NULL
);
CREATE INDEX reviews_by_change_request ON reviews (change_request_id, id);

CREATE TABLE requested_reviewers (
  change_request_id TEXT NOT NULL REFERENCES change_requests (id) ON DELETE CASCADE,
  user_id TEXT NOT NULL REFERENCES users (id),
  revision_id TEXT NOT NULL,
  requested_by TEXT REFERENCES users (id),
  created_at TIMESTAMP NOT NULL,
  PRIMARY KEY (change_request_id, user_id)
);
CREATE INDEX requested_reviewers_by_user ON requested_reviewers (user_id, change_request_id);

-- Search --------------------------------------------------------------------------------------------------------------

-- A short number for each space. It is a prefix of every term of the space's sections, so that a search in one space
-- reads nothing of the others.
CREATE TABLE search_spaces (
  number INTEGER PRIMARY KEY NOT NULL,
  space_id TEXT NOT NULL UNIQUE REFERENCES spaces (id) ON DELETE CASCADE
);

-- The primary content in the index: a row for each section of a page.
CREATE TABLE search_sections (
  id INTEGER PRIMARY KEY NOT NULL,
  space_id TEXT NOT NULL REFERENCES spaces (id) ON DELETE CASCADE,
  -- No foreign key: pages are content, not rows.
  page_id TEXT NOT NULL,
  ordinal INTEGER NOT NULL,
  terms TEXT NOT NULL,
  anchor TEXT,
  heading TEXT NOT NULL,
  body TEXT NOT NULL
);
CREATE INDEX search_sections_by_page ON search_sections (space_id, page_id);

-- The terms of sections, separated by spaces: every other character is part of a term. The index records only which
-- section has a term (detail), without the text (content).
CREATE VIRTUAL TABLE search_index USING fts5 (
  lexemes, content = '', contentless_delete = 1, detail = none,
  tokenize = "ascii tokenchars '!#$%&()*+,-./:;<=>?@[\]^_`{|}~'"
);
CREATE TRIGGER search_sections_deleted AFTER DELETE ON search_sections BEGIN
  DELETE FROM search_index WHERE rowid = old.id;
END;

-- Known words by their variants: the word itself, and the word without one of its letters.
CREATE TABLE search_words (
  variant TEXT NOT NULL,
  word TEXT NOT NULL,
  PRIMARY KEY (variant, word)
) WITHOUT ROWID;

-- Events --------------------------------------------------------------------------------------------------------------

-- No foreign keys: events outlive the objects that they refer to.
CREATE TABLE events (
  id TEXT PRIMARY KEY NOT NULL,
  organization_id TEXT,
  actor_id TEXT,
  token_id TEXT,
  at TIMESTAMP NOT NULL,
  source TEXT NOT NULL CHECK (source IN ('api', 'cli', 'server')),
  address TEXT,
  user_agent TEXT,
  request_id TEXT,
  -- The action and the target of the change, for filters.
  action TEXT NOT NULL,
  target_id TEXT NOT NULL,
  change TEXT NOT NULL
);
CREATE INDEX events_by_time ON events (at, id);
CREATE INDEX events_by_organization ON events (organization_id, at, id);
CREATE INDEX events_by_action ON events (organization_id, action, at, id);
CREATE INDEX events_by_actor ON events (organization_id, actor_id, at, id);
CREATE INDEX events_by_target ON events (organization_id, target_id, at, id);

-- Jobs ----------------------------------------------------------------------------------------------------------------

-- Background work. The transaction that causes the work writes the row; one server at a time claims it (leased_until;
-- claims tells one holder from the next); the row is removed when the work is done.
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
  created_at TIMESTAMP NOT NULL,
  CHECK ((failed_at IS NULL) = (reason IS NULL))
);
CREATE INDEX jobs_by_due ON jobs (due_at, id);

-- One row: the time that a server recorded last, and since when there is no gap between these records.
CREATE TABLE heartbeat (
  id TEXT PRIMARY KEY NOT NULL,
  at TIMESTAMP NOT NULL,
  steady_since TIMESTAMP NOT NULL
);

-- Content of purged spaces, until a job has checked whether other spaces hold it. No foreign key: a file is no row, and
-- an object can be stored again at any time.
CREATE TABLE condemned (
  kind TEXT NOT NULL CHECK (kind IN ('object', 'file')),
  hash BLOB NOT NULL,
  at TIMESTAMP NOT NULL,
  PRIMARY KEY (kind, hash)
) WITHOUT ROWID;
