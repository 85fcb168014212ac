DROP TABLE site_adaptive_schemas;
DROP TABLE site_publishing_auths;
DROP TABLE site_share_links;
