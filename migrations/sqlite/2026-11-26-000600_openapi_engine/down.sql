ALTER TABLE openapi_versions DROP COLUMN engine;
