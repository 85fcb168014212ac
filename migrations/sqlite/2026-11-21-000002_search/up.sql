-- What of primary content is searched: a row for each section of a page.
CREATE TABLE search_sections (
  id INTEGER PRIMARY KEY NOT NULL,
  space_id TEXT NOT NULL REFERENCES spaces (id) ON DELETE CASCADE,
  page_id TEXT NOT NULL,
  ordinal INTEGER NOT NULL,
  terms TEXT NOT NULL,
  anchor TEXT,
  heading TEXT NOT NULL,
  body TEXT NOT NULL
);
CREATE INDEX search_sections_by_page ON search_sections (space_id, page_id);

-- What a section is found by. The terms come ready-made with spaces between them: everything else is part of a term.
-- Only which section holds a term is kept (detail), not the text itself (content).
CREATE VIRTUAL TABLE search_index USING fts5 (
  lexemes, content = '', contentless_delete = 1, detail = none,
  tokenize = "ascii tokenchars '!#$%&()*+,-./:;<=>?@[\]^_`{|}~'"
);
CREATE TRIGGER search_sections_deleted AFTER DELETE ON search_sections BEGIN
  DELETE FROM search_index WHERE rowid = old.id;
END;

-- Known words by their variants: the word itself, and the word without one of its letters.
CREATE TABLE search_words (
  variant TEXT NOT NULL,
  word TEXT NOT NULL,
  PRIMARY KEY (variant, word)
) WITHOUT ROWID;
