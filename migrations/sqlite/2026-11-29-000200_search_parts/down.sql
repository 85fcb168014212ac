-- A space has one number again.
CREATE TABLE search_spaces_new (
  number INTEGER PRIMARY KEY NOT NULL,
  space_id TEXT NOT NULL UNIQUE REFERENCES spaces (id) ON DELETE CASCADE,
  version INTEGER
);
INSERT INTO search_spaces_new (number, space_id, version)
SELECT search_parts.number, search_spaces.space_id, search_spaces.version
FROM search_spaces JOIN search_parts ON search_parts.space_id = search_spaces.space_id;
INSERT INTO search_spaces_new (space_id, version)
SELECT space_id, version FROM search_spaces WHERE space_id NOT IN (SELECT space_id FROM search_parts);
DROP TABLE search_spaces;
ALTER TABLE search_spaces_new RENAME TO search_spaces;
DROP TABLE search_parts;
