CREATE TABLE collections (
  id TEXT PRIMARY KEY NOT NULL,
  organization_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  parent_id TEXT,
  title TEXT NOT NULL,
  description TEXT,
  default_level TEXT NOT NULL,
  position TEXT NOT NULL,
  created_at TIMESTAMP NOT NULL,
  updated_at TIMESTAMP NOT NULL,
  deleted_at TIMESTAMP
);
CREATE INDEX collections_by_organization ON collections (organization_id, position, id);
CREATE INDEX collections_by_parent ON collections (parent_id, position, id);

-- A grant to a user or a team on a place: a space or a collection. No role: shut out.
CREATE TABLE grants (
  place TEXT NOT NULL,
  place_id TEXT NOT NULL,
  organization_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  user_id TEXT REFERENCES users (id) ON DELETE CASCADE,
  team_id TEXT REFERENCES teams (id) ON DELETE CASCADE,
  role TEXT,
  created_at TIMESTAMP NOT NULL,
  UNIQUE (place_id, user_id),
  UNIQUE (place_id, team_id),
  CHECK ((user_id IS NULL) <> (team_id IS NULL))
);
CREATE INDEX grants_by_user ON grants (user_id, organization_id);
CREATE INDEX grants_by_team ON grants (team_id);

-- The order of spaces and collections in a collection, or at the top: keys of one kind (domain::content::order).
ALTER TABLE spaces ADD COLUMN position TEXT NOT NULL DEFAULT '';
UPDATE spaces SET position = (
  SELECT printf('%08d1', place.number) FROM (
    SELECT id, row_number() OVER (PARTITION BY organization_id ORDER BY id) AS number FROM spaces
  ) AS place WHERE place.id = spaces.id
);
DROP INDEX spaces_by_organization;
CREATE INDEX spaces_by_organization ON spaces (organization_id, position, id);
CREATE INDEX spaces_by_parent ON spaces (parent_id, position, id);
