-- OpenAPI specs of organizations.
CREATE TABLE openapi_specs (
  id TEXT PRIMARY KEY NOT NULL,
  organization_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  slug TEXT NOT NULL,
  -- The slug in lower case.
  slug_key TEXT NOT NULL,
  -- The source: an address, or the hash of a text in `objects`.
  source_url TEXT,
  source_text BLOB,
  state TEXT NOT NULL CHECK (state IN ('pending', 'progress', 'complete')),
  visibility TEXT NOT NULL CHECK (visibility IN ('private', 'public')),
  -- The newest version. No foreign key: a version refers to its spec.
  last_version_id TEXT,
  -- What the host of the address said when the newest version was fetched.
  validators TEXT,
  processed_at TIMESTAMP,
  error TEXT CHECK (error IN ('FETCH_TIMEOUT', 'FETCH_ERROR', 'PARSE_ERROR')),
  findings TEXT NOT NULL,
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
  id TEXT PRIMARY KEY NOT NULL,
  -- No foreign key: a job removes the versions of a deleted spec, and condemns their objects.
  spec_id TEXT NOT NULL,
  created_at TIMESTAMP NOT NULL,
  source_url TEXT,
  -- The document as it was sent or fetched, and the root of the map of its parts: hashes in `objects`.
  text_hash BLOB NOT NULL,
  format TEXT NOT NULL CHECK (format IN ('json', 'yaml')),
  parts BLOB NOT NULL
);
CREATE INDEX openapi_versions_by_spec ON openapi_versions (spec_id, id);
