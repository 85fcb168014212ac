DELETE FROM jobs WHERE kind IN ('process-openapi', 'remove-openapi');
DROP TABLE openapi_versions;
DROP TABLE openapi_specs;
