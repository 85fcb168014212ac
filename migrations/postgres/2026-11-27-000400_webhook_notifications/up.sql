-- Notifications about webhooks. They have no actor, since the server disables a webhook, and no space.
ALTER TABLE notifications ALTER COLUMN actor_id DROP NOT NULL;
ALTER TABLE notifications ALTER COLUMN space_id DROP NOT NULL;
-- The organization of the webhook.
ALTER TABLE notifications ADD COLUMN organization_id TEXT COLLATE "C" REFERENCES organizations (id) ON DELETE CASCADE;
ALTER TABLE notifications ADD COLUMN webhook_id TEXT COLLATE "C" REFERENCES webhooks (id) ON DELETE CASCADE;
ALTER TABLE notifications DROP CONSTRAINT notifications_kind_check;
ALTER TABLE notifications ADD CONSTRAINT notifications_kind_check
  CHECK (kind IN (
    'mention', 'comment', 'reply', 'resolved', 'review-requested', 'review-submitted', 'webhook-disabled'
  ));
-- The rule of the threads of comments and change requests stays beside this one.
ALTER TABLE notifications ADD CONSTRAINT notifications_thread_of_webhook
  CHECK (webhook_id IS NULL OR thread_id = webhook_id);
ALTER TABLE notifications ADD CONSTRAINT notifications_kind_of_webhook
  CHECK ((kind = 'webhook-disabled') = (webhook_id IS NOT NULL));
ALTER TABLE notifications ADD CONSTRAINT notifications_organization
  CHECK ((webhook_id IS NULL) = (organization_id IS NULL));
ALTER TABLE notifications ADD CONSTRAINT notifications_subject
  CHECK ((webhook_id IS NULL) = (space_id IS NOT NULL));
ALTER TABLE notifications ADD CONSTRAINT notifications_actor
  CHECK ((space_id IS NULL) = (actor_id IS NULL));
ALTER TABLE notifications ADD CONSTRAINT notifications_discussion
  CHECK (space_id IS NOT NULL OR (change_request_id IS NULL AND comment_id IS NULL AND review_id IS NULL));
CREATE INDEX notifications_by_user_and_organization ON notifications (user_id, organization_id)
  WHERE organization_id IS NOT NULL;
CREATE INDEX notifications_by_webhook ON notifications (webhook_id) WHERE webhook_id IS NOT NULL;
CREATE INDEX notifications_by_organization ON notifications (organization_id) WHERE organization_id IS NOT NULL;
