DELETE FROM notifications WHERE webhook_id IS NOT NULL;
ALTER TABLE notifications DROP CONSTRAINT notifications_thread_of_webhook;
ALTER TABLE notifications DROP CONSTRAINT notifications_kind_of_webhook;
ALTER TABLE notifications DROP CONSTRAINT notifications_organization;
ALTER TABLE notifications DROP CONSTRAINT notifications_subject;
ALTER TABLE notifications DROP CONSTRAINT notifications_actor;
ALTER TABLE notifications DROP CONSTRAINT notifications_discussion;
ALTER TABLE notifications DROP CONSTRAINT notifications_kind_check;
ALTER TABLE notifications ADD CONSTRAINT notifications_kind_check
  CHECK (kind IN ('mention', 'comment', 'reply', 'resolved', 'review-requested', 'review-submitted'));
DROP INDEX notifications_by_user_and_organization;
DROP INDEX notifications_by_webhook;
DROP INDEX notifications_by_organization;
ALTER TABLE notifications DROP COLUMN webhook_id;
ALTER TABLE notifications DROP COLUMN organization_id;
ALTER TABLE notifications ALTER COLUMN space_id SET NOT NULL;
ALTER TABLE notifications ALTER COLUMN actor_id SET NOT NULL;
