-- What the primary content of spaces shows of OpenAPI specs: a row for each block. The entries of the search index depend
-- on it: if a spec gets a version, the pages that show the spec are indexed again.
CREATE TABLE openapi_usages (
  space_id TEXT COLLATE "C" NOT NULL REFERENCES spaces (id) ON DELETE CASCADE,
  -- No foreign key: pages are content, not rows.
  page_id TEXT COLLATE "C" NOT NULL,
  -- The place of the block among those of its page, from 0.
  ordinal INTEGER NOT NULL,
  block TEXT COLLATE "C" NOT NULL,
  -- The slug in lower case. No foreign key: there may be no such spec.
  spec TEXT COLLATE "C" NOT NULL,
  -- The version as it is written; NULL for the newest one.
  version_id TEXT COLLATE "C",
  -- What the block shows (domain::content::document::SpecificationPart).
  shows JSON NOT NULL,
  PRIMARY KEY (space_id, page_id, ordinal)
);
CREATE INDEX openapi_usages_by_spec ON openapi_usages (spec, space_id, page_id);
