-- Comments of reviews return to them; all others are lost.
ALTER TABLE reviews ADD COLUMN comment TEXT;
UPDATE reviews SET comment = (SELECT body FROM comments WHERE comments.review_id = reviews.id);
UPDATE change_requests SET comments = 0;
UPDATE spaces SET comments = 0;
DROP TABLE comment_reactions;
DROP TABLE comment_replies;
DROP TABLE comments;
