-- Translations of spaces into other languages.
CREATE TABLE translations (
  id TEXT PRIMARY KEY NOT NULL,
  organization_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  -- No foreign key: a translation outlives its source, and says so.
  source_space_id TEXT NOT NULL,
  source_language TEXT NOT NULL,
  language TEXT NOT NULL,
  instructions TEXT NOT NULL,
  created_by TEXT NOT NULL REFERENCES users (id),
  -- The user who asked for the next run; NULL for an automatic one.
  asked_by TEXT REFERENCES users (id),
  -- The space with the translation; NULL before the first run.
  target_space_id TEXT REFERENCES spaces (id) ON DELETE SET NULL,
  -- What the machine made last, the revision of the source that it was made from, and the primary revision of the target
  -- after that. No foreign keys: they are removed with their spaces.
  machine_revision_id TEXT,
  source_revision_id TEXT,
  result_revision_id TEXT,
  -- The change request with texts that both people and the source changed. No foreign key, for the same reason.
  change_request_id TEXT,
  state TEXT NOT NULL CHECK (state IN ('pending', 'running', 'completed')),
  -- Whether another run was asked for during the current one.
  again BOOLEAN NOT NULL,
  -- Older texts of the memory are not used by the next run.
  fresh_since TIMESTAMP,
  runs INTEGER NOT NULL,
  total_words BIGINT NOT NULL,
  total_pages BIGINT NOT NULL,
  total_milliseconds BIGINT NOT NULL,
  latest_words BIGINT NOT NULL,
  latest_pages BIGINT NOT NULL,
  latest_milliseconds BIGINT NOT NULL,
  untranslated INTEGER NOT NULL,
  -- Why the next run has to wait.
  error_code TEXT CHECK (error_code IN (
    'engine_down', 'engine_busy', 'engine_denied', 'engine_spent', 'engine_languages', 'engine_refused',
    'language_models_off', 'source_missing', 'access_lost', 'target_locked'
  )),
  error_message TEXT,
  error_at TIMESTAMP,
  retry_at TIMESTAMP,
  created_at TIMESTAMP NOT NULL,
  updated_at TIMESTAMP NOT NULL,
  CHECK ((error_code IS NULL) = (error_message IS NULL)),
  CHECK ((error_code IS NULL) = (error_at IS NULL)),
  CHECK (retry_at IS NULL OR error_code IS NOT NULL)
);
CREATE INDEX translations_by_organization ON translations (organization_id, id);
CREATE INDEX translations_by_source ON translations (source_space_id, id);
CREATE INDEX translations_by_target ON translations (target_space_id) WHERE target_space_id IS NOT NULL;

-- The last runs of each translation, and the one that has not ended.
CREATE TABLE translation_runs (
  id TEXT PRIMARY KEY NOT NULL,
  translation_id TEXT NOT NULL REFERENCES translations (id) ON DELETE CASCADE,
  started_at TIMESTAMP NOT NULL,
  finished_at TIMESTAMP,
  -- Work, without waiting.
  milliseconds BIGINT NOT NULL,
  words BIGINT NOT NULL,
  pages BIGINT NOT NULL,
  -- The page that was counted last, so that it is not counted again. No foreign key: pages are content, not rows.
  last_page_id TEXT,
  memory_hits INTEGER NOT NULL,
  floored INTEGER NOT NULL,
  untranslated INTEGER NOT NULL,
  -- Failed requests since the last answer.
  failures INTEGER NOT NULL,
  requests BIGINT NOT NULL,
  tokens BIGINT NOT NULL,
  engine TEXT NOT NULL
);
CREATE INDEX translation_runs_by_translation ON translation_runs (translation_id, id);

-- Texts that engines have translated.
CREATE TABLE translation_memory (
  organization_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  -- The hash of the text, of its languages, and of what else decides about its translation.
  key BLOB NOT NULL,
  target TEXT NOT NULL,
  engine TEXT NOT NULL,
  created_at TIMESTAMP NOT NULL,
  used_at TIMESTAMP NOT NULL,
  PRIMARY KEY (organization_id, key)
);
CREATE INDEX translation_memory_by_use ON translation_memory (used_at);

-- Terms, each with its words in some languages.
CREATE TABLE glossary_entries (
  id TEXT PRIMARY KEY NOT NULL,
  organization_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  translations TEXT NOT NULL,
  created_at TIMESTAMP NOT NULL,
  updated_at TIMESTAMP NOT NULL
);
CREATE INDEX glossary_entries_by_organization ON glossary_entries (organization_id, id);

-- What each engine did for an organization on a day (UTC).
CREATE TABLE engine_usage (
  organization_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  day TIMESTAMP NOT NULL,
  engine TEXT NOT NULL,
  words BIGINT NOT NULL,
  characters BIGINT NOT NULL,
  requests BIGINT NOT NULL,
  tokens BIGINT NOT NULL,
  PRIMARY KEY (organization_id, day, engine)
);
