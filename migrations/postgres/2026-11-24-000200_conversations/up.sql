-- Conversations with customers, the issues found in them, and the clusters that the issues form.
CREATE TABLE conversations (
  id TEXT COLLATE "C" PRIMARY KEY NOT NULL,
  organization_id TEXT COLLATE "C" NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  source TEXT COLLATE "C" NOT NULL,
  -- The id that the sender gave.
  external_id TEXT COLLATE "C" NOT NULL,
  subject TEXT,
  url TEXT,
  -- The parts and the attributes, as JSON.
  content TEXT NOT NULL,
  hash BYTEA NOT NULL,
  language TEXT,
  impact TEXT CHECK (impact IN ('low', 'medium', 'high')),
  created_at TIMESTAMP NOT NULL,
  ingested_at TIMESTAMP NOT NULL,
  -- NULL while it waits for the analysis.
  processed_at TIMESTAMP
);
CREATE UNIQUE INDEX conversations_by_external_id ON conversations (organization_id, source, external_id);
CREATE INDEX conversations_by_time ON conversations (organization_id, created_at, id);
CREATE INDEX conversations_by_sender_id ON conversations (organization_id, external_id);
CREATE INDEX conversations_waiting ON conversations (organization_id, id) WHERE processed_at IS NULL;

CREATE TABLE issue_clusters (
  id TEXT COLLATE "C" PRIMARY KEY NOT NULL,
  organization_id TEXT COLLATE "C" NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  language TEXT,
  label TEXT NOT NULL,
  -- A document.
  summary TEXT NOT NULL,
  icon TEXT NOT NULL,
  impact TEXT NOT NULL CHECK (impact IN ('low', 'medium', 'high')),
  muted BOOLEAN NOT NULL,
  -- The cluster that has its issues now; its id stays known.
  merged_into_id TEXT COLLATE "C" REFERENCES issue_clusters (id) ON DELETE CASCADE,
  issues INTEGER NOT NULL,
  conversations INTEGER NOT NULL,
  created_at TIMESTAMP NOT NULL,
  updated_at TIMESTAMP NOT NULL
);
CREATE INDEX issue_clusters_by_update ON issue_clusters (organization_id, updated_at, id);
CREATE INDEX issue_clusters_by_issues ON issue_clusters (organization_id, issues, id);
CREATE INDEX issue_clusters_by_conversations ON issue_clusters (organization_id, conversations, id);
CREATE INDEX issue_clusters_merged ON issue_clusters (merged_into_id) WHERE merged_into_id IS NOT NULL;

CREATE TABLE conversation_issues (
  id TEXT COLLATE "C" PRIMARY KEY NOT NULL,
  organization_id TEXT COLLATE "C" NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  conversation_id TEXT COLLATE "C" NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
  cluster_id TEXT COLLATE "C" NOT NULL REFERENCES issue_clusters (id) ON DELETE CASCADE,
  title TEXT NOT NULL,
  -- Plain text.
  details TEXT NOT NULL,
  impact TEXT NOT NULL CHECK (impact IN ('low', 'medium', 'high')),
  language TEXT,
  -- What issues are compared by, in the form of this version.
  features BYTEA NOT NULL,
  features_version INTEGER NOT NULL,
  created_at TIMESTAMP NOT NULL,
  ingested_at TIMESTAMP NOT NULL
);
CREATE INDEX conversation_issues_by_organization ON conversation_issues (organization_id, id);
CREATE INDEX conversation_issues_by_cluster ON conversation_issues (cluster_id, id);
CREATE INDEX conversation_issues_by_conversation ON conversation_issues (conversation_id, id);

-- The cluster that a change request is about.
ALTER TABLE change_requests ADD COLUMN issue_cluster_id TEXT COLLATE "C" REFERENCES issue_clusters (id) ON DELETE SET NULL;
CREATE INDEX change_requests_by_cluster ON change_requests (issue_cluster_id) WHERE issue_cluster_id IS NOT NULL;
