-- A short number for each space: it stands before every term of the space's sections, so that a search in one space
-- reads nothing of the others.
CREATE TABLE search_spaces (
  number BIGINT PRIMARY KEY NOT NULL GENERATED ALWAYS AS IDENTITY,
  space_id TEXT COLLATE "C" NOT NULL UNIQUE REFERENCES spaces (id) ON DELETE CASCADE
);
INSERT INTO search_spaces (space_id) SELECT DISTINCT space_id FROM search_sections;

-- What is indexed already gets the numbers.
UPDATE search_index SET lexemes = array_to_tsvector(ARRAY(
    SELECT spaces.number || ':' || term FROM unnest(tsvector_to_array(search_index.lexemes)) AS term
  ))
  FROM search_sections AS sections
  JOIN search_spaces AS spaces ON spaces.space_id = sections.space_id
  WHERE sections.id = search_index.rowid;

-- In kB: many terms of one space stand together, so more of them may wait before they go into the index proper.
ALTER INDEX search_index_by_lexeme SET (gin_pending_list_limit = 1024);
