DROP TABLE search_inclusions;
ALTER TABLE search_spaces DROP COLUMN version;
