-- Each request of a site below the host name of an organization looks for the organization.
CREATE INDEX organizations_by_hostname ON organizations (hostname, id) WHERE hostname IS NOT NULL;
-- Few of the comments of a long discussion may be resolved.
CREATE INDEX resolved_comments ON comments (discussion_id, id) WHERE resolved_at IS NOT NULL;
-- For whole organizations, in the order of creation.
CREATE INDEX change_requests_latest ON change_requests (status, created_at, id);
