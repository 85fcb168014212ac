-- How many changes of each level a version has, compared with the version before it (openapi::diff::ChangeCounts). NULL for
-- the first version, and for versions that were added before this was counted.
ALTER TABLE openapi_versions ADD COLUMN changes TEXT;
