-- Addresses that get a request for each event of an organization.
CREATE TABLE webhooks (
  id TEXT COLLATE "C" PRIMARY KEY NOT NULL,
  organization_id TEXT COLLATE "C" NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  url TEXT NOT NULL,
  description TEXT NOT NULL,
  -- The names of the kinds of events; empty for all.
  events JSON NOT NULL,
  -- A random value. The secret is computed from it, with a key that is not in the database.
  salt BYTEA NOT NULL,
  disabled_at TIMESTAMP,
  disabled_reason TEXT CHECK (disabled_reason IN ('request', 'failures')),
  created_at TIMESTAMP NOT NULL,
  updated_at TIMESTAMP NOT NULL,
  CHECK ((disabled_at IS NULL) = (disabled_reason IS NULL))
);
CREATE INDEX webhooks_by_organization ON webhooks (organization_id, id);

-- An event, or a ping, for one webhook. A job sends it; the row keeps the result.
CREATE TABLE webhook_deliveries (
  id TEXT COLLATE "C" PRIMARY KEY NOT NULL,
  organization_id TEXT COLLATE "C" NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  -- No foreign key: with one, a change would fail if the webhook is deleted at the same time, or wait for it. A job
  -- removes the deliveries of a deleted webhook.
  webhook_id TEXT COLLATE "C" NOT NULL,
  -- NULL for a ping. No foreign key: events are never removed.
  event_id TEXT COLLATE "C",
  -- The kind of the event and the object that it is about.
  kind TEXT NOT NULL,
  target_id TEXT COLLATE "C" NOT NULL,
  -- The delivery that this one repeats. No foreign key: that one is removed earlier.
  repeats_id TEXT COLLATE "C",
  state TEXT COLLATE "C" NOT NULL CHECK (state IN ('pending', 'delivered', 'failed', 'stopped')),
  attempts INTEGER NOT NULL,
  created_at TIMESTAMP NOT NULL,
  first_attempt_at TIMESTAMP,
  last_attempt_at TIMESTAMP,
  next_attempt_at TIMESTAMP,
  finished_at TIMESTAMP,
  -- The response to the last attempt: its status and the beginning of its body, or why there was none.
  response_status INTEGER,
  response_body TEXT,
  failure TEXT,
  CHECK ((response_status IS NULL) = (response_body IS NULL)),
  CHECK (failure IS NULL OR response_status IS NULL),
  CHECK ((state = 'pending') = (next_attempt_at IS NOT NULL)),
  CHECK ((state = 'pending') = (finished_at IS NULL))
);
CREATE INDEX webhook_deliveries_by_webhook ON webhook_deliveries (webhook_id, id);
CREATE INDEX webhook_deliveries_by_state ON webhook_deliveries (webhook_id, state, id);
CREATE INDEX webhook_deliveries_by_target ON webhook_deliveries (webhook_id, target_id, state, id);
CREATE INDEX webhook_deliveries_by_organization ON webhook_deliveries (organization_id);
