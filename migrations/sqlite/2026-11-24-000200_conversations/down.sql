DROP INDEX change_requests_by_cluster;
ALTER TABLE change_requests DROP COLUMN issue_cluster_id;
DROP TABLE conversation_issues;
DROP TABLE issue_clusters;
DROP TABLE conversations;
