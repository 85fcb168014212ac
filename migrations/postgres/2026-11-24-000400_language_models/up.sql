-- What language models say of conversations.

-- When a language model is asked again that did not answer.
ALTER TABLE conversations ADD COLUMN ask_again_at TIMESTAMP;
CREATE INDEX conversations_asked_again ON conversations (organization_id, ask_again_at) WHERE ask_again_at IS NOT NULL;

-- The number of issues of a cluster when a language model described it.
ALTER TABLE issue_clusters ADD COLUMN described_issues INTEGER;

-- The problem in plain English, if a language model found it.
ALTER TABLE conversation_issues ADD COLUMN gist TEXT;
