-- Docs sites.
CREATE TABLE sites (
  id TEXT PRIMARY KEY NOT NULL,
  organization_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  kind TEXT NOT NULL,
  title TEXT NOT NULL,
  -- The icon as JSON.
  icon TEXT,
  -- The name in addresses of the instance.
  basename TEXT NOT NULL UNIQUE,
  hostname TEXT UNIQUE,
  proxy TEXT,
  visibility TEXT NOT NULL CHECK (visibility IN ('public', 'unlisted', 'share-link', 'visitor-auth')),
  -- NULL while visitors cannot reach it.
  published_at TIMESTAMP,
  default_level TEXT NOT NULL,
  adaptive_content BOOLEAN NOT NULL,
  agents_context TEXT NOT NULL CHECK (agents_context IN ('excluded', 'included')),
  styleguide_id TEXT REFERENCES spaces (id) ON DELETE SET NULL,
  -- Grows with every change of what visitors see.
  version BIGINT NOT NULL,
  created_at TIMESTAMP NOT NULL,
  updated_at TIMESTAMP NOT NULL
);
CREATE INDEX sites_by_organization ON sites (organization_id, id);
CREATE INDEX sites_by_styleguide ON sites (styleguide_id) WHERE styleguide_id IS NOT NULL;

-- The structure of sites: spaces, sections, groups of sections, and links.
CREATE TABLE site_items (
  id TEXT PRIMARY KEY NOT NULL,
  site_id TEXT NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
  kind TEXT NOT NULL CHECK (kind IN ('site-space', 'site-section', 'site-section-group', 'site-external-link')),
  -- The section of a space, or the group of anything else; NULL at the top level. No foreign key: a structure is
  -- written as a whole.
  parent_id TEXT,
  -- The order among the siblings.
  position INTEGER NOT NULL,
  space_id TEXT REFERENCES spaces (id) ON DELETE CASCADE,
  -- Title, path, and so on, as JSON.
  settings TEXT NOT NULL,
  CHECK ((kind = 'site-space') = (space_id IS NOT NULL))
);
CREATE INDEX site_items_by_site ON site_items (site_id, position);
CREATE INDEX site_items_by_space ON site_items (space_id) WHERE space_id IS NOT NULL;

-- Grants on sites. SQLite cannot change the rule that a grant has one target.
CREATE TABLE grants_new (
  space_id TEXT REFERENCES spaces (id) ON DELETE CASCADE,
  collection_id TEXT REFERENCES collections (id) ON DELETE CASCADE,
  site_id TEXT REFERENCES sites (id) ON DELETE CASCADE,
  organization_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  user_id TEXT REFERENCES users (id) ON DELETE CASCADE,
  team_id TEXT REFERENCES teams (id) ON DELETE CASCADE,
  role TEXT CHECK (role IN ('read', 'comment', 'edit', 'review', 'create', 'admin')),
  created_at TIMESTAMP NOT NULL,
  UNIQUE (space_id, user_id),
  UNIQUE (space_id, team_id),
  UNIQUE (collection_id, user_id),
  UNIQUE (collection_id, team_id),
  UNIQUE (site_id, user_id),
  UNIQUE (site_id, team_id),
  CHECK ((space_id IS NOT NULL) + (collection_id IS NOT NULL) + (site_id IS NOT NULL) = 1),
  CHECK ((user_id IS NULL) <> (team_id IS NULL))
);
INSERT INTO grants_new (space_id, collection_id, organization_id, user_id, team_id, role, created_at)
  SELECT space_id, collection_id, organization_id, user_id, team_id, role, created_at FROM grants;
DROP TABLE grants;
ALTER TABLE grants_new RENAME TO grants;
CREATE INDEX grants_by_user ON grants (user_id, organization_id);
CREATE INDEX grants_by_team ON grants (team_id);
