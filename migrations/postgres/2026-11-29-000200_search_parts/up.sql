-- Large spaces are indexed in parts: a search for a frequent word then reads no more parts than it needs. PostgreSQL's
-- index returns all sections that match, in no order, and each of them must be read.
--
-- The number of a part is a prefix of every term of its sections.
CREATE TABLE search_parts (
  number BIGINT PRIMARY KEY NOT NULL GENERATED ALWAYS AS IDENTITY,
  space_id TEXT COLLATE "C" NOT NULL REFERENCES spaces (id) ON DELETE CASCADE,
  -- No section of the part has a lower id.
  first_section BIGINT NOT NULL,
  -- How many sections were added, with those that were removed since. New sections go to the last part, until it is
  -- full.
  sections BIGINT NOT NULL
);
CREATE INDEX search_parts_by_space ON search_parts (space_id, number);

INSERT INTO search_parts (number, space_id, first_section, sections) OVERRIDING SYSTEM VALUE
SELECT search_spaces.number, search_spaces.space_id, coalesce(held.first_section, 0), coalesce(held.sections, 0)
FROM search_spaces
LEFT JOIN (
  SELECT space_id, min(id) AS first_section, count(*) AS sections FROM search_sections GROUP BY space_id
) AS held ON held.space_id = search_spaces.space_id;
SELECT setval(pg_get_serial_sequence('search_parts', 'number'), (SELECT max(number) FROM search_parts));

ALTER TABLE search_spaces DROP COLUMN number;
ALTER TABLE search_spaces DROP CONSTRAINT search_spaces_space_id_key;
ALTER TABLE search_spaces ADD PRIMARY KEY (space_id);
-- Spaces with more sections than a part takes are indexed again, in parts.
UPDATE search_spaces SET version = NULL WHERE space_id IN (SELECT space_id FROM search_parts WHERE sections > 8192);

-- A search compares the list of entries that are not yet in the index proper with the terms of each part.
ALTER INDEX search_index_by_lexeme SET (gin_pending_list_limit = 512);
