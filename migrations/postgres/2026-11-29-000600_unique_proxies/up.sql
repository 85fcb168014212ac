-- The address that a proxy shows belongs to one site. Of several with the same one, the oldest keeps it: it was the one
-- that was found at the address.
UPDATE sites SET proxy = NULL
WHERE EXISTS (
  SELECT 1 FROM sites AS older
  WHERE older.proxy = sites.proxy AND older.id < sites.id
);
DROP INDEX sites_by_proxy;
CREATE UNIQUE INDEX sites_by_proxy ON sites (proxy) WHERE proxy IS NOT NULL;
