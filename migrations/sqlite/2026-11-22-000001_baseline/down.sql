DROP TABLE condemned;
DROP TABLE heartbeat;
DROP TABLE jobs;

DROP TABLE events;

DROP TABLE search_words;
DROP TABLE search_index;
DROP TABLE search_sections;
DROP TABLE search_spaces;

DROP TABLE requested_reviewers;
DROP TABLE reviews;
DROP TABLE change_request_contributors;
DROP TABLE change_request_conflicts;
DROP TABLE change_requests;

DROP TABLE space_documents;
DROP TABLE revisions;
DROP TABLE objects;

DROP TABLE link_invites;
DROP TABLE grants;
DROP TABLE spaces;
DROP TABLE collections;

DROP TABLE agent_instructions;
DROP TABLE team_members;
DROP TABLE teams;
DROP TABLE members;
DROP TABLE organization_email_domains;
DROP TABLE organizations;

DROP TABLE idempotency_keys;
DROP TABLE tokens;
DROP TABLE users;
DROP TABLE instance;
