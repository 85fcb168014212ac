DROP TABLE openapi_usages;
