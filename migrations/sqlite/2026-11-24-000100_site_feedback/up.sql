-- What visitors of docs sites think of their pages.
CREATE TABLE site_feedback (
  id TEXT PRIMARY KEY NOT NULL,
  site_id TEXT NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
  -- NULL if the space is not on the site any more.
  site_space_id TEXT REFERENCES site_items (id) ON DELETE SET NULL,
  space_id TEXT NOT NULL REFERENCES spaces (id) ON DELETE CASCADE,
  -- No foreign key: pages are content, not rows.
  page_id TEXT NOT NULL,
  rating TEXT NOT NULL CHECK (rating IN ('bad', 'ok', 'good')),
  comment TEXT,
  created_at TIMESTAMP NOT NULL
);
CREATE INDEX site_feedback_by_site ON site_feedback (site_id, id);
CREATE INDEX site_feedback_by_page ON site_feedback (site_id, page_id, id);
-- For the numbers of ratings, without reading the rows.
CREATE INDEX site_feedback_by_rating ON site_feedback (site_id, space_id, rating);
CREATE INDEX site_feedback_by_item ON site_feedback (site_space_id) WHERE site_space_id IS NOT NULL;
CREATE INDEX site_feedback_by_space ON site_feedback (space_id);
