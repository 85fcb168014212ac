-- Issues whose features another version of the program computed.
CREATE INDEX conversation_issues_by_features ON conversation_issues (organization_id, features_version, id);
