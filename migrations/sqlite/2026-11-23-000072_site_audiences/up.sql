-- Share links of docs sites.
CREATE TABLE site_share_links (
  id TEXT PRIMARY KEY NOT NULL,
  site_id TEXT NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  active BOOLEAN NOT NULL,
  -- Which of the keys of this id is the key. The key itself is computed.
  number INTEGER NOT NULL,
  -- SHA-256 of the key.
  hash BLOB NOT NULL UNIQUE,
  created_at TIMESTAMP NOT NULL
);
CREATE INDEX site_share_links_by_site ON site_share_links (site_id, id);

-- How visitors of docs sites prove who they are. A site without a row has the defaults.
CREATE TABLE site_publishing_auths (
  site_id TEXT PRIMARY KEY NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
  backend TEXT NOT NULL CHECK (backend IN ('custom', 'integration')),
  fallback_url TEXT,
  logout_url TEXT,
  -- How many private keys the site has had. The keys themselves are computed.
  number INTEGER NOT NULL
);

-- The claims that docs sites know of their visitors.
CREATE TABLE site_adaptive_schemas (
  site_id TEXT PRIMARY KEY NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
  -- A JSON Schema.
  json_schema TEXT NOT NULL,
  updated_at TIMESTAMP NOT NULL
);
