-- A short number for each space: it stands before every term of the space's sections, so that a search in one space
-- reads nothing of the others.
CREATE TABLE search_spaces (
  number INTEGER PRIMARY KEY NOT NULL,
  space_id TEXT NOT NULL UNIQUE REFERENCES spaces (id) ON DELETE CASCADE
);
INSERT INTO search_spaces (space_id) SELECT DISTINCT space_id FROM search_sections;

-- What is indexed already gets the numbers. The index keeps no text: its vocabulary tells which section has which term.
CREATE VIRTUAL TABLE temp.search_vocabulary USING fts5vocab(main, search_index, instance);
CREATE TEMP TABLE search_numbered AS
  SELECT found.doc AS id, group_concat(spaces.number || ':' || found.term, ' ') AS lexemes
  FROM temp.search_vocabulary AS found
  JOIN search_sections AS sections ON sections.id = found.doc
  JOIN search_spaces AS spaces ON spaces.space_id = sections.space_id
  GROUP BY found.doc;
INSERT INTO search_index (search_index) VALUES ('delete-all');
INSERT INTO search_index (rowid, lexemes) SELECT id, lexemes FROM search_numbered;
DROP TABLE temp.search_numbered;
DROP TABLE temp.search_vocabulary;
