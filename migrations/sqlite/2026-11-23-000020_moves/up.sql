-- Moves of spaces and collections: each row has a position that an item had before it changed. The rows of an organization
-- are numbered from 1 without gaps; the oldest ones are removed. A walk over the pages of a list remembers the last
-- number when it begins, and stays in the order of that time.
CREATE TABLE moves (
  organization_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  number BIGINT NOT NULL,
  -- A space or a collection. No foreign key: it may be purged, or belong to another organization.
  place_id TEXT NOT NULL,
  position TEXT NOT NULL,
  PRIMARY KEY (organization_id, number)
) WITHOUT ROWID;
