DROP INDEX spaces_by_parent;
DROP INDEX spaces_by_organization;
CREATE INDEX spaces_by_organization ON spaces (organization_id, id);
ALTER TABLE spaces DROP COLUMN position;
DROP TABLE grants;
DROP TABLE collections;
