-- Counted with the space, in the transaction that changes one of them.
ALTER TABLE spaces ADD COLUMN comments INTEGER NOT NULL DEFAULT 0;
ALTER TABLE spaces ADD COLUMN change_requests INTEGER NOT NULL DEFAULT 0;
ALTER TABLE spaces ADD COLUMN change_requests_open INTEGER NOT NULL DEFAULT 0;
ALTER TABLE spaces ADD COLUMN change_requests_draft INTEGER NOT NULL DEFAULT 0;

CREATE TABLE change_requests (
  id TEXT PRIMARY KEY NOT NULL,
  space_id TEXT NOT NULL REFERENCES spaces (id) ON DELETE CASCADE,
  number INTEGER NOT NULL,
  subject TEXT NOT NULL,
  description TEXT,
  status TEXT NOT NULL,
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
  UNIQUE (space_id, number)
);
CREATE INDEX change_requests_by_update ON change_requests (space_id, status, updated_at, id);
CREATE INDEX change_requests_by_creation ON change_requests (space_id, status, created_at, id);
-- For whole organizations, newest first.
CREATE INDEX change_requests_newest ON change_requests (status, updated_at, id);
CREATE INDEX change_requests_by_creator ON change_requests (created_by, id);

-- Where a change request and the primary content could not be joined, until somebody decides. One row for each place.
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
  action TEXT NOT NULL,
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
  verdict TEXT NOT NULL,
  comment TEXT,
  outdated BOOLEAN NOT NULL,
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

-- Requests that must not be done twice: the key of the caller, and, once it was given, the answer.
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
