DROP INDEX sites_by_proxy;
DROP TABLE site_redirects;
DROP TABLE former_site_names;
DROP TABLE former_paths;
