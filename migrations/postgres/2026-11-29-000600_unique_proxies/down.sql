DROP INDEX sites_by_proxy;
CREATE INDEX sites_by_proxy ON sites (proxy) WHERE proxy IS NOT NULL;
