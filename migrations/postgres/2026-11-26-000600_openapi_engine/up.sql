-- The engine that made the parts of a version from its text. NULL for versions that were added before engines had
-- numbers. A newer engine makes the parts again, as long as the text is kept.
ALTER TABLE openapi_versions ADD COLUMN engine INTEGER;
