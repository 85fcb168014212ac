DROP TABLE notification_settings;
DROP TABLE notification_levels;
DROP TABLE notifications;
DELETE FROM jobs WHERE kind = 'mail-thread';
