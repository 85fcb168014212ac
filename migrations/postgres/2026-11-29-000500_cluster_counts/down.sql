ALTER TABLE issue_clusters DROP COLUMN counts;
