DROP TABLE search_words;
DROP TABLE search_index;
DROP TABLE search_sections;
DROP SEQUENCE search_section_ids;
