ALTER TABLE conversation_issues DROP COLUMN gist;
ALTER TABLE issue_clusters DROP COLUMN described_issues;
DROP INDEX conversations_asked_again;
ALTER TABLE conversations DROP COLUMN ask_again_at;
