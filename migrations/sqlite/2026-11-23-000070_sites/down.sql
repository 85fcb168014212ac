CREATE TABLE grants_old (
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
INSERT INTO grants_old (space_id, collection_id, organization_id, user_id, team_id, role, created_at)
  SELECT space_id, collection_id, organization_id, user_id, team_id, role, created_at FROM grants WHERE site_id IS NULL;
DROP TABLE grants;
ALTER TABLE grants_old RENAME TO grants;
CREATE INDEX grants_by_user ON grants (user_id, organization_id);
CREATE INDEX grants_by_team ON grants (team_id);
DROP TABLE site_items;
DROP TABLE sites;
