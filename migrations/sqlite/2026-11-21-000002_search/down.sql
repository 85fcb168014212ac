DROP TABLE search_words;
DROP TABLE search_sections;
DROP TABLE search_index;
