DROP TABLE engine_usage;
DROP TABLE glossary_entries;
DROP TABLE translation_memory;
DROP TABLE translation_runs;
DROP TABLE translations;
