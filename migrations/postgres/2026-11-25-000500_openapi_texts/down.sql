ALTER TABLE openapi_versions DROP COLUMN text_removed_at;
