-- How many events of each action each organization has: the log only grows, and a list of it reports its total.
-- On SQLite each has one row; PostgreSQL has several for units of work that end at the same time.
CREATE TABLE event_counts (
  id INTEGER PRIMARY KEY NOT NULL,
  -- Empty for events of no organization. No foreign key: events outlive their organization.
  organization_id TEXT NOT NULL,
  action TEXT NOT NULL,
  events BIGINT NOT NULL
);
CREATE INDEX event_counts_by_action ON event_counts (organization_id, action, id);

INSERT INTO event_counts (organization_id, action, events)
SELECT coalesce(organization_id, ''), action, count(*) FROM events GROUP BY coalesce(organization_id, ''), action;
