-- OpenAPI specs of organizations.
CREATE TABLE openapi_specs (
  id TEXT COLLATE "C" PRIMARY KEY NOT NULL,
  organization_id TEXT COLLATE "C" NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  slug TEXT NOT NULL,
  -- The slug in lower case.
  slug_key TEXT COLLATE "C" NOT NULL,
  -- The source: an address, or the hash of a text in `objects`.
  source_url TEXT,
  source_text BYTEA,
  state TEXT COLLATE "C" NOT NULL CHECK (state IN ('pending', 'progress', 'complete')),
  visibility TEXT COLLATE "C" NOT NULL CHECK (visibility IN ('private', 'public')),
  -- The newest version. No foreign key: a version refers to its spec.
  last_version_id TEXT COLLATE "C",
  -- What the host of the address said when the newest version was fetched.
  validators JSON,
  processed_at TIMESTAMP,
  error TEXT COLLATE "C" CHECK (error IN ('FETCH_TIMEOUT', 'FETCH_ERROR', 'PARSE_ERROR')),
  findings JSON NOT NULL,
  finding_count INTEGER NOT NULL,
  failures INTEGER NOT NULL,
  created_at TIMESTAMP NOT NULL,
  updated_at TIMESTAMP NOT NULL,
  UNIQUE (organization_id, slug_key),
  CHECK ((source_url IS NULL) <> (source_text IS NULL))
);
CREATE INDEX openapi_specs_by_organization ON openapi_specs (organization_id, id);

-- Versions of OpenAPI specs. A version never changes.
CREATE TABLE openapi_versions (
  id TEXT COLLATE "C" PRIMARY KEY NOT NULL,
  -- No foreign key: a job removes the versions of a deleted spec, and condemns their objects.
  spec_id TEXT COLLATE "C" NOT NULL,
  created_at TIMESTAMP NOT NULL,
  source_url TEXT,
  -- The document as it was sent or fetched, and the root of the map of its parts: hashes in `objects`.
  text_hash BYTEA NOT NULL,
  format TEXT COLLATE "C" NOT NULL CHECK (format IN ('json', 'yaml')),
  parts BYTEA NOT NULL
);
CREATE INDEX openapi_versions_by_spec ON openapi_versions (spec_id, id);
