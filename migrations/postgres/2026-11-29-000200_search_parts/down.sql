ALTER INDEX search_index_by_lexeme SET (gin_pending_list_limit = 1024);

-- A space has one number again: one with several parts is indexed again.
DELETE FROM search_sections
WHERE space_id IN (SELECT space_id FROM search_parts GROUP BY space_id HAVING count(*) > 1);
UPDATE search_spaces SET version = NULL
WHERE space_id IN (SELECT space_id FROM search_parts GROUP BY space_id HAVING count(*) > 1);

ALTER TABLE search_spaces DROP CONSTRAINT search_spaces_pkey;
ALTER TABLE search_spaces ADD COLUMN number BIGINT;
UPDATE search_spaces SET number = part.number
FROM (SELECT space_id, max(number) AS number FROM search_parts GROUP BY space_id) AS part
WHERE part.space_id = search_spaces.space_id;
UPDATE search_spaces SET number = fresh.number
FROM (
  SELECT space_id,
    (SELECT coalesce(max(number), 0) FROM search_parts) + row_number() OVER (ORDER BY space_id) AS number
  FROM search_spaces WHERE number IS NULL
) AS fresh
WHERE fresh.space_id = search_spaces.space_id;
ALTER TABLE search_spaces ALTER COLUMN number SET NOT NULL;
ALTER TABLE search_spaces ALTER COLUMN number ADD GENERATED ALWAYS AS IDENTITY;
ALTER TABLE search_spaces ADD PRIMARY KEY (number);
ALTER TABLE search_spaces ADD CONSTRAINT search_spaces_space_id_key UNIQUE (space_id);
SELECT setval(pg_get_serial_sequence('search_spaces', 'number'), (SELECT max(number) FROM search_spaces));
DROP TABLE search_parts;
