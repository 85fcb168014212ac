-- How many open comments each space has, without those of its change requests. The number of a space is the sum of
-- its rows: a comment is counted in a row that no other unit of work has locked, so that callers can post side by side.
CREATE TABLE comment_counts (
  id BIGINT PRIMARY KEY NOT NULL GENERATED ALWAYS AS IDENTITY,
  space_id TEXT COLLATE "C" NOT NULL REFERENCES spaces (id) ON DELETE CASCADE,
  comments BIGINT NOT NULL
);
CREATE INDEX comment_counts_by_space ON comment_counts (space_id, id);

INSERT INTO comment_counts (space_id, comments) SELECT id, comments FROM spaces WHERE comments <> 0;
ALTER TABLE spaces DROP COLUMN comments;
