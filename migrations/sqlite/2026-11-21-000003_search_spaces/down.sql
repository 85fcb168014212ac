DROP TABLE search_spaces;
