-- Notifications about webhooks. SQLite cannot change the rules of a column.
CREATE TABLE notifications_new (
  id TEXT PRIMARY KEY NOT NULL,
  user_id TEXT NOT NULL REFERENCES users (id),
  kind TEXT NOT NULL
    CHECK (kind IN (
      'mention', 'comment', 'reply', 'resolved', 'review-requested', 'review-submitted', 'webhook-disabled'
    )),
  -- NULL for a webhook: the server disabled it.
  actor_id TEXT REFERENCES users (id),
  -- NULL for a webhook.
  space_id TEXT REFERENCES spaces (id) ON DELETE CASCADE,
  change_request_id TEXT REFERENCES change_requests (id) ON DELETE CASCADE,
  comment_id TEXT REFERENCES comments (id) ON DELETE CASCADE,
  reply_id TEXT REFERENCES comment_replies (id) ON DELETE CASCADE,
  -- No foreign key: reviews are removed only with their change request.
  review_id TEXT,
  -- The organization of the webhook.
  organization_id TEXT REFERENCES organizations (id) ON DELETE CASCADE,
  webhook_id TEXT REFERENCES webhooks (id) ON DELETE CASCADE,
  -- What e-mails are grouped by: the comment, or else the change request or the webhook.
  thread_id TEXT NOT NULL,
  excerpt TEXT NOT NULL,
  created_at TIMESTAMP NOT NULL,
  read_at TIMESTAMP,
  to_mail BOOLEAN NOT NULL,
  CHECK (thread_id = COALESCE(comment_id, change_request_id, webhook_id)),
  CHECK (reply_id IS NULL OR comment_id IS NOT NULL),
  CHECK ((kind = 'webhook-disabled') = (webhook_id IS NOT NULL)),
  CHECK ((webhook_id IS NULL) = (organization_id IS NULL)),
  CHECK ((webhook_id IS NULL) = (space_id IS NOT NULL)),
  CHECK ((space_id IS NULL) = (actor_id IS NULL)),
  CHECK (space_id IS NOT NULL OR (change_request_id IS NULL AND comment_id IS NULL AND review_id IS NULL))
);
INSERT INTO notifications_new (
  id, user_id, kind, actor_id, space_id, change_request_id, comment_id, reply_id, review_id, thread_id, excerpt, created_at,
  read_at, to_mail
)
SELECT
  id, user_id, kind, actor_id, space_id, change_request_id, comment_id, reply_id, review_id, thread_id, excerpt, created_at,
  read_at, to_mail
FROM notifications;
DROP TABLE notifications;
ALTER TABLE notifications_new RENAME TO notifications;
CREATE INDEX notifications_by_user ON notifications (user_id, id);
CREATE INDEX unread_notifications ON notifications (user_id, id) WHERE read_at IS NULL;
CREATE INDEX notifications_by_user_and_space ON notifications (user_id, space_id);
CREATE INDEX notifications_to_mail ON notifications (user_id, thread_id, id) WHERE to_mail;
CREATE INDEX notifications_by_comment ON notifications (comment_id) WHERE comment_id IS NOT NULL;
CREATE INDEX notifications_by_reply ON notifications (reply_id) WHERE reply_id IS NOT NULL;
CREATE INDEX notifications_by_change_request ON notifications (change_request_id) WHERE change_request_id IS NOT NULL;
CREATE INDEX notifications_by_space ON notifications (space_id);
CREATE INDEX notifications_by_user_and_organization ON notifications (user_id, organization_id)
  WHERE organization_id IS NOT NULL;
CREATE INDEX notifications_by_webhook ON notifications (webhook_id) WHERE webhook_id IS NOT NULL;
CREATE INDEX notifications_by_organization ON notifications (organization_id) WHERE organization_id IS NOT NULL;
