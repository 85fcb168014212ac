-- The parts in which spaces are indexed. A search reads them in order, no more than it needs. On SQLite each space has
-- one: its index returns the sections that match in order, and is not read further than a search needs.
--
-- The number of a part is a prefix of every term of its sections.
CREATE TABLE search_parts (
  number INTEGER PRIMARY KEY NOT NULL,
  space_id TEXT NOT NULL REFERENCES spaces (id) ON DELETE CASCADE,
  -- No section of the part has a lower id.
  first_section BIGINT NOT NULL,
  -- How many sections were added, with those that were removed since.
  sections BIGINT NOT NULL
);
CREATE INDEX search_parts_by_space ON search_parts (space_id, number);

INSERT INTO search_parts (number, space_id, first_section, sections)
SELECT search_spaces.number, search_spaces.space_id, coalesce(held.first_section, 0), coalesce(held.sections, 0)
FROM search_spaces
LEFT JOIN (
  SELECT space_id, min(id) AS first_section, count(*) AS sections FROM search_sections GROUP BY space_id
) AS held ON held.space_id = search_spaces.space_id;

CREATE TABLE search_spaces_new (
  space_id TEXT PRIMARY KEY NOT NULL REFERENCES spaces (id) ON DELETE CASCADE,
  version INTEGER
);
INSERT INTO search_spaces_new (space_id, version) SELECT space_id, version FROM search_spaces;
DROP TABLE search_spaces;
ALTER TABLE search_spaces_new RENAME TO search_spaces;
