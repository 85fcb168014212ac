-- How many open comments each space has, without those of its change requests. On SQLite each has one row; PostgreSQL
-- has several for comments that are posted at the same time.
CREATE TABLE comment_counts (
  id INTEGER PRIMARY KEY NOT NULL,
  space_id TEXT NOT NULL REFERENCES spaces (id) ON DELETE CASCADE,
  comments BIGINT NOT NULL
);
CREATE INDEX comment_counts_by_space ON comment_counts (space_id, id);

INSERT INTO comment_counts (space_id, comments) SELECT id, comments FROM spaces WHERE comments <> 0;
ALTER TABLE spaces DROP COLUMN comments;
