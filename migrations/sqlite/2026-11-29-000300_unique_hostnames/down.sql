DROP INDEX organizations_by_hostname;
CREATE INDEX organizations_by_hostname ON organizations (hostname, id) WHERE hostname IS NOT NULL;
