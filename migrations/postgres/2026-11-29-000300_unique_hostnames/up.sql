-- A host name belongs to one organization. Of several with the same one, the oldest keeps it: its host led there already.
UPDATE organizations SET hostname = NULL
WHERE EXISTS (
  SELECT 1 FROM organizations AS older
  WHERE older.hostname = organizations.hostname AND older.id < organizations.id
);
DROP INDEX organizations_by_hostname;
CREATE UNIQUE INDEX organizations_by_hostname ON organizations (hostname) WHERE hostname IS NOT NULL;
