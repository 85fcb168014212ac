ALTER TABLE spaces ADD COLUMN comments INTEGER NOT NULL DEFAULT 0;
UPDATE spaces SET comments = (
  SELECT coalesce(sum(comment_counts.comments), 0) FROM comment_counts WHERE space_id = spaces.id
);
ALTER TABLE spaces ALTER COLUMN comments DROP DEFAULT;
DROP TABLE comment_counts;
