ALTER TABLE openapi_versions DROP COLUMN changelog;
