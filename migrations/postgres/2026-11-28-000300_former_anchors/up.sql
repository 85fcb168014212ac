-- Anchors that headings of pages of the primary content had: they lead to the heading that last had them.
CREATE TABLE former_anchors (
  space_id TEXT COLLATE "C" NOT NULL REFERENCES spaces (id) ON DELETE CASCADE,
  -- No foreign key: pages are content.
  page_id TEXT COLLATE "C" NOT NULL,
  -- A line for each, the newest first: the key of the heading, a space, and the anchor. Only the newest lines are kept;
  -- the last one can be cut off. One column, so that a change adds its anchors and drops the oldest ones in one
  -- statement.
  anchors TEXT NOT NULL,
  PRIMARY KEY (space_id, page_id)
);
