-- Whether the address is known to be the account's own. Those that the operator made are taken to be.
ALTER TABLE users ADD COLUMN email_verified BOOLEAN NOT NULL DEFAULT TRUE;

-- The name and the address in the form in which people are looked for and put in order (domain::text::folded): neither
-- database folds more than ASCII in the same way.
ALTER TABLE users ADD COLUMN folded TEXT COLLATE "C" NOT NULL DEFAULT '';
UPDATE users SET folded = lower(display_name) || ' ' || email;

ALTER TABLE members ADD COLUMN last_seen_at TIMESTAMP;
ALTER TABLE members ADD COLUMN sso BOOLEAN NOT NULL DEFAULT FALSE;
CREATE INDEX members_by_joining ON members (organization_id, joined_at, user_id);

-- The domains that organizations let in, to find these by: the same as organizations.email_domains, written with it.
CREATE TABLE organization_email_domains (
  domain TEXT COLLATE "C" NOT NULL,
  organization_id TEXT COLLATE "C" NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  PRIMARY KEY (domain, organization_id)
);
CREATE INDEX organization_email_domains_by_organization ON organization_email_domains (organization_id);
INSERT INTO organization_email_domains (domain, organization_id)
SELECT DISTINCT one.value, organizations.id
FROM organizations, json_array_elements_text(organizations.email_domains) AS one (value);

CREATE TABLE teams (
  id TEXT COLLATE "C" PRIMARY KEY NOT NULL,
  organization_id TEXT COLLATE "C" NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  title TEXT NOT NULL,
  -- The title in the form in which it is looked for.
  folded TEXT NOT NULL,
  created_at TIMESTAMP NOT NULL
);
CREATE INDEX teams_by_organization ON teams (organization_id, id);

CREATE TABLE team_members (
  team_id TEXT COLLATE "C" NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
  user_id TEXT COLLATE "C" NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  role TEXT NOT NULL,
  joined_at TIMESTAMP NOT NULL,
  PRIMARY KEY (team_id, user_id)
);
CREATE INDEX team_members_by_user ON team_members (user_id, team_id);

-- Whoever has the id may join: with a role in the organization, or as a guest with a grant on one place.
CREATE TABLE link_invites (
  id TEXT COLLATE "C" PRIMARY KEY NOT NULL,
  organization_id TEXT COLLATE "C" NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  place TEXT,
  place_id TEXT COLLATE "C",
  role TEXT,
  created_by TEXT COLLATE "C" REFERENCES users (id) ON DELETE SET NULL,
  created_at TIMESTAMP NOT NULL
);
CREATE INDEX link_invites_by_organization ON link_invites (organization_id, id);

CREATE TABLE agent_instructions (
  organization_id TEXT COLLATE "C" PRIMARY KEY NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  instructions TEXT NOT NULL,
  updated_at TIMESTAMP NOT NULL,
  updated_by TEXT COLLATE "C" REFERENCES users (id) ON DELETE SET NULL
);
