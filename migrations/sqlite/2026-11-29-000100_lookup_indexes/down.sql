DROP INDEX change_requests_latest;
DROP INDEX resolved_comments;
DROP INDEX organizations_by_hostname;
