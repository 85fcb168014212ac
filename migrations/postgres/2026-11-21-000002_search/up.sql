-- What of primary content is searched: a row for each section of a page.
CREATE SEQUENCE search_section_ids;
CREATE TABLE search_sections (
  id BIGINT PRIMARY KEY NOT NULL,
  space_id TEXT COLLATE "C" NOT NULL REFERENCES spaces (id) ON DELETE CASCADE,
  page_id TEXT COLLATE "C" NOT NULL,
  ordinal INTEGER NOT NULL,
  terms TEXT NOT NULL,
  anchor TEXT,
  heading TEXT NOT NULL,
  body TEXT NOT NULL
);
CREATE INDEX search_sections_by_page ON search_sections (space_id, page_id);

-- What a section is found by. A table of its own, and its terms out of line: the rows that match are found through
-- the index, and reading them for their order must not read their terms. The list of entries that are not yet in the
-- index proper is kept short, because every search reads all of it.
CREATE TABLE search_index (
  rowid BIGINT PRIMARY KEY NOT NULL REFERENCES search_sections (id) ON DELETE CASCADE,
  lexemes TSVECTOR NOT NULL
) WITH (toast_tuple_target = 128);
CREATE INDEX search_index_by_lexeme ON search_index USING gin (lexemes) WITH (gin_pending_list_limit = 256);

-- Known words by their variants: the word itself, and the word without one of its letters.
CREATE TABLE search_words (
  variant TEXT COLLATE "C" NOT NULL,
  word TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (variant, word)
);
