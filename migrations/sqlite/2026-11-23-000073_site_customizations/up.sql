-- What sites change of the default customization, and the spaces on them of that of their site.
CREATE TABLE site_customizations (
  -- The id of the site, or of the space on it.
  id TEXT PRIMARY KEY NOT NULL,
  site_id TEXT NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
  -- NULL for the site itself.
  item_id TEXT REFERENCES site_items (id) ON DELETE CASCADE,
  -- The values as JSON, with the version of their form.
  overrides TEXT NOT NULL,
  updated_at TIMESTAMP NOT NULL,
  CHECK (id = COALESCE(item_id, site_id))
);
CREATE INDEX site_customizations_by_site ON site_customizations (site_id, id);
CREATE INDEX site_customizations_by_item ON site_customizations (item_id) WHERE item_id IS NOT NULL;
