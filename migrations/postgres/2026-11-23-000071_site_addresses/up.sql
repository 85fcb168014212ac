-- Paths that pages of the primary content had: they lead to the page that last had them.
CREATE TABLE former_paths (
  space_id TEXT COLLATE "C" NOT NULL REFERENCES spaces (id) ON DELETE CASCADE,
  -- BLAKE3 of the path without regard to case.
  path_hash BYTEA NOT NULL,
  path TEXT NOT NULL,
  -- No foreign key: pages are content, and one that is deleted can be restored.
  page_id TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (space_id, path_hash)
);

-- Names that sites, sections and spaces on sites had in addresses: they lead to what last had them.
CREATE TABLE former_site_names (
  -- The scope in which the name was unique: the id of the site or the section; empty for basenames.
  scope_id TEXT COLLATE "C" NOT NULL,
  name TEXT COLLATE "C" NOT NULL,
  -- What had it: the site itself for basenames, else a section or a space on the site. No foreign key for the parts of a
  -- site, which are written as a whole.
  site_id TEXT COLLATE "C" NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
  item_id TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (scope_id, name)
);
CREATE INDEX former_site_names_by_site ON former_site_names (site_id);

CREATE TABLE site_redirects (
  id TEXT COLLATE "C" PRIMARY KEY NOT NULL,
  site_id TEXT COLLATE "C" NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
  -- The path in its normal form.
  source TEXT COLLATE "C" NOT NULL,
  draft BOOLEAN NOT NULL,
  -- A section, a space, a page or an address, as JSON. No foreign key: a redirect outlives where it leads.
  destination JSON NOT NULL,
  capture_wildcard BOOLEAN NOT NULL,
  permanent BOOLEAN NOT NULL,
  created_at TIMESTAMP NOT NULL,
  updated_at TIMESTAMP,
  -- The last of both.
  changed_at TIMESTAMP NOT NULL,
  UNIQUE (site_id, draft, source)
);
CREATE INDEX site_redirects_by_creation ON site_redirects (site_id, draft, created_at, id);
CREATE INDEX site_redirects_by_change ON site_redirects (site_id, draft, changed_at, id);

-- Sites are found by the address that a proxy shows.
CREATE INDEX sites_by_proxy ON sites (proxy) WHERE proxy IS NOT NULL;
