-- Comments on spaces and change requests. The number of open ones is in spaces.comments and change_requests.comments.
CREATE TABLE comments (
  id TEXT COLLATE "C" PRIMARY KEY NOT NULL,
  space_id TEXT COLLATE "C" NOT NULL REFERENCES spaces (id) ON DELETE CASCADE,
  change_request_id TEXT COLLATE "C" REFERENCES change_requests (id) ON DELETE CASCADE,
  -- What lists are of: the change request, or else the space.
  discussion_id TEXT COLLATE "C" NOT NULL,
  -- The review that it came with. No foreign key: reviews are removed only with their change request.
  review_id TEXT COLLATE "C",
  -- The place that it is on, as its author saw it: pages, blocks and cells are content, not rows.
  revision_id TEXT COLLATE "C" NOT NULL,
  page_id TEXT COLLATE "C",
  node TEXT COLLATE "C",
  record TEXT COLLATE "C",
  definition TEXT COLLATE "C",
  quote TEXT,
  body TEXT NOT NULL,
  posted_by TEXT COLLATE "C" NOT NULL REFERENCES users (id),
  posted_at TIMESTAMP NOT NULL,
  edited_at TIMESTAMP,
  resolved_by TEXT COLLATE "C" REFERENCES users (id),
  resolved_at TIMESTAMP,
  CHECK (discussion_id = COALESCE(change_request_id, space_id)),
  CHECK (page_id IS NOT NULL OR (node IS NULL AND record IS NULL)),
  CHECK ((record IS NULL) = (definition IS NULL)),
  CHECK ((resolved_by IS NULL) = (resolved_at IS NULL))
);
CREATE INDEX comments_by_discussion ON comments (discussion_id, id);
CREATE INDEX comments_by_page ON comments (discussion_id, page_id, id);
CREATE INDEX comments_by_author ON comments (discussion_id, posted_by, id);
CREATE INDEX open_comments ON comments (discussion_id, id) WHERE resolved_at IS NULL;
CREATE INDEX comments_by_space ON comments (space_id);
CREATE INDEX comments_by_change_request ON comments (change_request_id) WHERE change_request_id IS NOT NULL;
CREATE INDEX comments_by_review ON comments (review_id) WHERE review_id IS NOT NULL;

CREATE TABLE comment_replies (
  id TEXT COLLATE "C" PRIMARY KEY NOT NULL,
  comment_id TEXT COLLATE "C" NOT NULL REFERENCES comments (id) ON DELETE CASCADE,
  -- That of the comment.
  discussion_id TEXT COLLATE "C" NOT NULL,
  body TEXT NOT NULL,
  posted_by TEXT COLLATE "C" NOT NULL REFERENCES users (id),
  posted_at TIMESTAMP NOT NULL,
  edited_at TIMESTAMP
);
CREATE INDEX comment_replies_by_comment ON comment_replies (comment_id, id);
CREATE INDEX comment_replies_by_author ON comment_replies (discussion_id, posted_by);

-- Reactions to comments and replies: each user once with each emoji.
CREATE TABLE comment_reactions (
  -- The reply, or else the comment.
  text_id TEXT COLLATE "C" NOT NULL,
  emoji TEXT COLLATE "C" NOT NULL,
  user_id TEXT COLLATE "C" NOT NULL REFERENCES users (id),
  comment_id TEXT COLLATE "C" NOT NULL REFERENCES comments (id) ON DELETE CASCADE,
  reply_id TEXT COLLATE "C" REFERENCES comment_replies (id) ON DELETE CASCADE,
  reacted_at TIMESTAMP NOT NULL,
  PRIMARY KEY (text_id, emoji, user_id),
  CHECK (text_id = COALESCE(reply_id, comment_id))
);
CREATE INDEX comment_reactions_by_comment ON comment_reactions (comment_id);
CREATE INDEX comment_reactions_by_reply ON comment_reactions (reply_id) WHERE reply_id IS NOT NULL;

-- The comments of reviews become comments of their change requests, with the ids that the API showed for them.
INSERT INTO comments (
  id, space_id, change_request_id, discussion_id, review_id, revision_id, body, posted_by, posted_at
)
SELECT
  reviews.id, change_requests.space_id, change_requests.id, change_requests.id, reviews.id, reviews.revision_id,
  reviews.comment, reviews.reviewer_id, reviews.created_at
FROM reviews
INNER JOIN change_requests ON change_requests.id = reviews.change_request_id
WHERE reviews.comment IS NOT NULL;
UPDATE change_requests
SET comments = (SELECT count(*) FROM comments WHERE comments.change_request_id = change_requests.id);
ALTER TABLE reviews DROP COLUMN comment;
