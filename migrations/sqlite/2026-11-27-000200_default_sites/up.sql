-- The site that is shown at the host of the organization.
ALTER TABLE organizations ADD COLUMN default_site_id TEXT REFERENCES sites (id) ON DELETE SET NULL;
CREATE INDEX organizations_by_default_site ON organizations (default_site_id) WHERE default_site_id IS NOT NULL;
