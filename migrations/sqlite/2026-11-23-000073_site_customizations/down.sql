DROP TABLE site_customizations;
