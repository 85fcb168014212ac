DELETE FROM grants WHERE site_id IS NOT NULL;
ALTER TABLE grants DROP CONSTRAINT grants_target;
ALTER TABLE grants DROP COLUMN site_id;
ALTER TABLE grants ADD CONSTRAINT grants_check CHECK ((space_id IS NULL) <> (collection_id IS NULL));
DROP TABLE site_items;
DROP TABLE sites;
