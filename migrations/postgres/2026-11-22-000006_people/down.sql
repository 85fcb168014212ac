DROP TABLE agent_instructions;
DROP TABLE link_invites;
DROP TABLE team_members;
DROP TABLE teams;
ALTER TABLE members DROP COLUMN sso;
ALTER TABLE members DROP COLUMN last_seen_at;
ALTER TABLE users DROP COLUMN email_verified;
