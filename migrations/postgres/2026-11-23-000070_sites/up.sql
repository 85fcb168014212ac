-- Docs sites.
CREATE TABLE sites (
  id TEXT COLLATE "C" PRIMARY KEY NOT NULL,
  organization_id TEXT COLLATE "C" NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  kind TEXT NOT NULL,
  title TEXT NOT NULL,
  -- Images or an emoji.
  icon JSON,
  -- The name in addresses of the instance.
  basename TEXT COLLATE "C" NOT NULL UNIQUE,
  hostname TEXT COLLATE "C" UNIQUE,
  proxy TEXT,
  visibility TEXT NOT NULL CHECK (visibility IN ('public', 'unlisted', 'share-link', 'visitor-auth')),
  -- NULL while visitors cannot reach it.
  published_at TIMESTAMP,
  default_level TEXT NOT NULL,
  adaptive_content BOOLEAN NOT NULL,
  agents_context TEXT NOT NULL CHECK (agents_context IN ('excluded', 'included')),
  styleguide_id TEXT COLLATE "C" REFERENCES spaces (id) ON DELETE SET NULL,
  -- Grows with every change of what visitors see.
  version BIGINT NOT NULL,
  created_at TIMESTAMP NOT NULL,
  updated_at TIMESTAMP NOT NULL
);
CREATE INDEX sites_by_organization ON sites (organization_id, id);
CREATE INDEX sites_by_styleguide ON sites (styleguide_id) WHERE styleguide_id IS NOT NULL;

-- The structure of sites: spaces, sections, groups of sections, and links.
CREATE TABLE site_items (
  id TEXT COLLATE "C" PRIMARY KEY NOT NULL,
  site_id TEXT COLLATE "C" NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
  kind TEXT NOT NULL CHECK (kind IN ('site-space', 'site-section', 'site-section-group', 'site-external-link')),
  -- The section of a space, or the group of anything else; NULL at the top level. No foreign key: a structure is
  -- written as a whole.
  parent_id TEXT COLLATE "C",
  -- The order among the siblings.
  position INTEGER NOT NULL,
  space_id TEXT COLLATE "C" REFERENCES spaces (id) ON DELETE CASCADE,
  -- Title, path, and so on.
  settings JSON NOT NULL,
  CHECK ((kind = 'site-space') = (space_id IS NOT NULL))
);
CREATE INDEX site_items_by_site ON site_items (site_id, position);
CREATE INDEX site_items_by_space ON site_items (space_id) WHERE space_id IS NOT NULL;

-- Grants on sites.
ALTER TABLE grants ADD COLUMN site_id TEXT COLLATE "C" REFERENCES sites (id) ON DELETE CASCADE;
ALTER TABLE grants DROP CONSTRAINT grants_check;
ALTER TABLE grants ADD CONSTRAINT grants_target CHECK (num_nonnulls(space_id, collection_id, site_id) = 1);
ALTER TABLE grants ADD UNIQUE (site_id, user_id);
ALTER TABLE grants ADD UNIQUE (site_id, team_id);
