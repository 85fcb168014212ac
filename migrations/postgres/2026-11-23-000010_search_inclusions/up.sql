-- The version of the indexer that made the entries of a space (domain::content::search::VERSION). NULL for spaces that were
-- indexed before there were versions: they are indexed again.
ALTER TABLE search_spaces ADD COLUMN version INTEGER;

-- Which reusable contents the entries of a page depend on, directly or through others: if the text of one changes, the
-- page is indexed again. Contents that do not exist are listed too.
CREATE TABLE search_inclusions (
  space_id TEXT COLLATE "C" NOT NULL REFERENCES spaces (id) ON DELETE CASCADE,
  -- No foreign keys: reusable contents and pages are content, not rows.
  reusable_content_id TEXT COLLATE "C" NOT NULL,
  page_id TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (space_id, reusable_content_id, page_id)
);
CREATE INDEX search_inclusions_by_page ON search_inclusions (space_id, page_id);
