-- How many events of each action each organization has: the log only grows, and a list of it reports its total.
-- The number is the sum of some rows: a unit of work adds to a row that no other one has locked, so that none waits.
CREATE TABLE event_counts (
  id BIGINT PRIMARY KEY NOT NULL GENERATED ALWAYS AS IDENTITY,
  -- Empty for events of no organization. No foreign key: events outlive their organization.
  organization_id TEXT COLLATE "C" NOT NULL,
  action TEXT COLLATE "C" NOT NULL,
  events BIGINT NOT NULL
);
CREATE INDEX event_counts_by_action ON event_counts (organization_id, action, id);

INSERT INTO event_counts (organization_id, action, events)
SELECT coalesce(organization_id, ''), action, count(*) FROM events GROUP BY coalesce(organization_id, ''), action;
