DROP INDEX organizations_by_default_site;
ALTER TABLE organizations DROP COLUMN default_site_id;
