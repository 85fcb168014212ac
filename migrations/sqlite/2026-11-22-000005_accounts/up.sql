-- What a token opens: the words of its scopes, or everything.
ALTER TABLE tokens ADD COLUMN scopes TEXT;
ALTER TABLE tokens ADD COLUMN last_used_at TIMESTAMP;

-- Where what happened came from, and what it is looked for by.
ALTER TABLE events ADD COLUMN source TEXT NOT NULL DEFAULT '';
ALTER TABLE events ADD COLUMN address TEXT;
ALTER TABLE events ADD COLUMN user_agent TEXT;
ALTER TABLE events ADD COLUMN request_id TEXT;
ALTER TABLE events ADD COLUMN action TEXT NOT NULL DEFAULT '';
ALTER TABLE events ADD COLUMN target_id TEXT NOT NULL DEFAULT '';

-- What is there already tells most of it. What was made by nobody's token in an organization was made by the first start.
UPDATE events SET action = json_extract(change, '$.type');
UPDATE events SET
  source = CASE
    WHEN token_id IS NOT NULL THEN 'api'
    WHEN organization_id IS NOT NULL AND action IN ('user_created', 'token_created', 'organization_created') THEN 'server'
    ELSE 'cli'
  END,
  target_id = coalesce(
    json_extract(change, '$.change_request'),
    json_extract(change, '$.space'),
    json_extract(change, '$.organization'),
    json_extract(change, '$.token'),
    json_extract(change, '$.user')
  ),
  -- Accounts and tokens belong to no organization.
  organization_id = CASE WHEN action IN ('user_created', 'token_created') THEN NULL ELSE organization_id END;

DROP INDEX events_by_organization;
CREATE INDEX events_by_time ON events (at, id);
CREATE INDEX events_by_organization ON events (organization_id, at, id);
CREATE INDEX events_by_action ON events (organization_id, action, at, id);
CREATE INDEX events_by_actor ON events (organization_id, actor_id, at, id);
CREATE INDEX events_by_target ON events (organization_id, target_id, at, id);
