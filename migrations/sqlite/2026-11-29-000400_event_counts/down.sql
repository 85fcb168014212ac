DROP TABLE event_counts;
