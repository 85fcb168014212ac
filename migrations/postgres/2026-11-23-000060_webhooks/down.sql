DELETE FROM jobs WHERE kind IN ('send-webhook', 'remove-deliveries');
DROP TABLE webhook_deliveries;
DROP TABLE webhooks;
