-- When the text of a version was removed. NULL while it is kept: the newest versions of a spec and those that blocks name
-- keep theirs. The content that `text_hash` names is then no longer referenced.
ALTER TABLE openapi_versions ADD COLUMN text_removed_at TIMESTAMP;
