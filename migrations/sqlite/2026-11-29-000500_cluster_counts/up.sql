-- The conversations of a cluster by source and its issues by week (domain::conversation::ClusterCounts). NULL until the
-- cluster is counted again; until then, they are computed from its issues.
ALTER TABLE issue_clusters ADD COLUMN counts TEXT;
