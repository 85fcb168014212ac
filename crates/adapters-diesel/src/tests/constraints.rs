//! Constraints of the schema, on both databases.
use super::*;
use diesel::sql_types::{BigInt, Text};
use domain::access::Role;
use domain::actor::Source;
use domain::change_request::ProposedStatus;
use domain::content::revision::RevisionKind;
use domain::conversation::Impact;
use domain::notification::{NotificationKind, NotificationLevel};
use domain::openapi_spec::{DocumentFormat, ProcessError, ProcessingState, SpecVisibility};
use domain::ports::store::garbage::Kind;
use domain::review::{ContributorAction, Verdict};
use domain::site::feedback::FeedbackRating;
use domain::site::publishing_auth::AuthBackend;
use domain::space::{EditMode, Visibility};
use domain::team::TeamRole;
use domain::translation::{TranslationErrorCode, TranslationStatus};
use domain::webhook::{DeliveryState, DisabledReason};
use domain::words::Words;
use rstest::rstest;

/// A row in every table that belongs to the organization `o`, and one in each of the others with a checked word.
const ROWS: &[&str] = &[
    "INSERT INTO users (id, display_name, email, email_verified, folded, created_at) \
     VALUES ('u', 'Ada', 'ada@example.org', true, 'ada', '2026-01-01 00:00:00')",
    "INSERT INTO organizations (id, title, email_domains, sso, ai, invite_links, merge_rules, created_at) \
     VALUES ('o', 'Engines', '[]', false, false, false, '{}', '2026-01-01 00:00:00')",
    "INSERT INTO organization_email_domains (domain, organization_id) VALUES ('example.org', 'o')",
    "INSERT INTO members (organization_id, user_id, disabled, sso, joined_at) \
     VALUES ('o', 'u', false, false, '2026-01-01 00:00:00')",
    "INSERT INTO teams (id, organization_id, title, folded, created_at) \
     VALUES ('t', 'o', 'Team', 'team', '2026-01-01 00:00:00')",
    "INSERT INTO team_members (team_id, user_id, role, joined_at) VALUES ('t', 'u', 'owner', '2026-01-01 00:00:00')",
    "INSERT INTO agent_instructions (organization_id, instructions, updated_at) \
     VALUES ('o', '', '2026-01-01 00:00:00')",
    "INSERT INTO collections (id, organization_id, title, default_level, position, created_at, updated_at) \
     VALUES ('c', 'o', 'Outer', 'inherit', '1', '2026-01-01 00:00:00', '2026-01-01 00:00:00')",
    "INSERT INTO collections (id, organization_id, parent_id, title, default_level, position, created_at, updated_at) \
     VALUES ('d', 'o', 'c', 'Inner', 'inherit', '1', '2026-01-01 00:00:00', '2026-01-01 00:00:00')",
    "INSERT INTO spaces (id, organization_id, parent_id, title, emoji, visibility, edit_mode, default_level, \
     merge_rules, position, revision_id, change_requests, change_requests_open, change_requests_draft, \
     created_at, updated_at) VALUES ('s', 'o', 'd', 'Space', '', 'private', 'live', 'inherit', '{}', '1', 'r', \
     1, 1, 0, '2026-01-01 00:00:00', '2026-01-01 00:00:00')",
    "INSERT INTO moves (organization_id, number, place_id, position) VALUES ('o', 1, 's', '1')",
    "INSERT INTO openapi_specs (id, organization_id, slug, slug_key, source_url, state, visibility, error, \
     findings, finding_count, failures, created_at, updated_at) VALUES ('a', 'o', 'Pets', 'pets', 'https://example.org/', \
     'complete', 'private', 'FETCH_ERROR', '[]', 0, 0, '2026-01-01 00:00:00', '2026-01-01 00:00:00')",
    "INSERT INTO openapi_versions (id, spec_id, created_at, text_hash, format, parts) \
     VALUES ('b', 'a', '2026-01-01 00:00:00', '', 'json', '')",
    "INSERT INTO conversations (id, organization_id, source, external_id, content, hash, created_at, ingested_at) \
     VALUES ('v', 'o', 'email', 'x', '{}', '', '2026-01-01 00:00:00', '2026-01-01 00:00:00')",
    "INSERT INTO issue_clusters (id, organization_id, label, summary, icon, impact, muted, issues, \
     conversations, created_at, updated_at) \
     VALUES ('ic', 'o', 'Login', '[]', 'key', 'low', FALSE, 1, 1, '2026-01-01 00:00:00', '2026-01-01 00:00:00')",
    "INSERT INTO conversation_issues (id, organization_id, conversation_id, cluster_id, title, details, impact, features, \
     features_version, created_at, ingested_at) \
     VALUES ('ci', 'o', 'v', 'ic', 'I', 'I', 'low', '', 1, '2026-01-01 00:00:00', '2026-01-01 00:00:00')",
    "INSERT INTO sites (id, organization_id, kind, title, basename, visibility, default_level, adaptive_content, \
     agents_context, version, created_at, updated_at) VALUES ('site', 'o', 'basic', 'Site', 'site', 'public', 'inherit', \
     false, 'included', 1, '2026-01-01 00:00:00', '2026-01-01 00:00:00')",
    "INSERT INTO site_items (id, site_id, kind, position, space_id, settings) \
     VALUES ('item', 'site', 'site-space', 0, 's', '{}')",
    "INSERT INTO site_customizations (id, site_id, overrides, updated_at) \
     VALUES ('site', 'site', '{}', '2026-01-01 00:00:00')",
    "INSERT INTO site_feedback (id, site_id, site_space_id, space_id, page_id, rating, created_at) \
     VALUES ('f', 'site', 'item', 's', 'p', 'good', '2026-01-01 00:00:00')",
    "INSERT INTO grants (space_id, organization_id, user_id, role, created_at) \
     VALUES ('s', 'o', 'u', 'read', '2026-01-01 00:00:00')",
    "INSERT INTO link_invites (id, organization_id, space_id, role, created_at) \
     VALUES ('i', 'o', 's', 'read', '2026-01-01 00:00:00')",
    "INSERT INTO revisions (id, space_id, parents, manifest, kind, created_at, is_primary) \
     VALUES ('r', 's', '[]', '', 'edits', '2026-01-01 00:00:00', TRUE)",
    "INSERT INTO space_documents (space_id, hash) VALUES ('s', '')",
    "INSERT INTO former_anchors (space_id, page_id, anchors) VALUES ('s', 'p', '')",
    "INSERT INTO change_requests (id, space_id, number, subject, status, created_by, created_at, updated_at, \
     revision_id, revision_initial_id, comments) \
     VALUES ('q', 's', 1, '', 'open', 'u', '2026-01-01 00:00:00', '2026-01-01 00:00:00', 'r', 'r', 0)",
    "INSERT INTO change_request_conflicts (id, change_request_id, place, conflict) VALUES ('x', 'q', 'p', '{}')",
    "INSERT INTO change_request_contributors (change_request_id, user_id, action, count, updated_at) \
     VALUES ('q', 'u', 'edit', 1, '2026-01-01 00:00:00')",
    "INSERT INTO reviews (id, change_request_id, revision_id, reviewer_id, verdict, outdated, ended, created_at, \
     updated_at) VALUES ('v', 'q', 'r', 'u', 'approved', false, false, '2026-01-01 00:00:00', '2026-01-01 00:00:00')",
    "INSERT INTO requested_reviewers (change_request_id, user_id, revision_id, created_at) \
     VALUES ('q', 'u', 'r', '2026-01-01 00:00:00')",
    "INSERT INTO comment_counts (space_id, comments) VALUES ('s', 1)",
    "INSERT INTO notifications (id, user_id, kind, actor_id, space_id, change_request_id, thread_id, excerpt, \
     created_at, to_mail) VALUES ('n', 'u', 'mention', 'u', 's', 'q', 'q', '', '2026-01-01 00:00:00', FALSE)",
    "INSERT INTO notification_levels (space_id, user_id, level) VALUES ('s', 'u', 'all')",
    "INSERT INTO notification_settings (user_id, email) VALUES ('u', TRUE)",
    "INSERT INTO search_sections (id, space_id, page_id, ordinal, terms, heading, body) \
     VALUES (1, 's', 'p', 0, '', '', '')",
    "INSERT INTO search_spaces (space_id, version) VALUES ('s', 1)",
    "INSERT INTO search_parts (space_id, first_section, sections) VALUES ('s', 1, 1)",
    "INSERT INTO search_inclusions (space_id, reusable_content_id, page_id) VALUES ('s', 'x', 'p')",
    "INSERT INTO openapi_usages (space_id, page_id, ordinal, block, spec, version_id, shows) \
     VALUES ('s', 'p', 0, 'b', 'x', 'v', '{}')",
    "INSERT INTO events (id, organization_id, at, source, action, target_id, change) \
     VALUES ('e', 'o', '2026-01-01 00:00:00', 'api', 'space_created', 's', '{}')",
    "INSERT INTO event_counts (organization_id, action, events) VALUES ('o', 'space_created', 1)",
    "INSERT INTO webhooks (id, organization_id, url, description, events, salt, disabled_at, disabled_reason, created_at, \
     updated_at) VALUES ('w', 'o', 'https://example.org/', '', '[]', '', '2026-01-01 00:00:00', 'request', \
     '2026-01-01 00:00:00', '2026-01-01 00:00:00')",
    "INSERT INTO webhook_deliveries (id, organization_id, webhook_id, kind, target_id, state, attempts, created_at, \
     finished_at) VALUES ('d', 'o', 'w', 'ping', 'w', 'stopped', 0, '2026-01-01 00:00:00', '2026-01-01 00:00:00')",
    "INSERT INTO sites (id, organization_id, kind, title, basename, visibility, default_level, adaptive_content, \
     agents_context, version, created_at, updated_at) VALUES ('k', 'o', 'basic', 'Docs', 'docs', 'public', 'inherit', \
     FALSE, 'included', 1, '2026-01-01 00:00:00', '2026-01-01 00:00:00')",
    "INSERT INTO site_share_links (id, site_id, name, active, number, hash, created_at) \
     VALUES ('l', 'k', '', TRUE, 1, '', '2026-01-01 00:00:00')",
    "INSERT INTO site_publishing_auths (site_id, backend, number) VALUES ('k', 'custom', 1)",
    "INSERT INTO site_adaptive_schemas (site_id, json_schema, updated_at) VALUES ('k', '{}', '2026-01-01 00:00:00')",
    "INSERT INTO translations (id, organization_id, source_space_id, source_language, language, instructions, created_by, \
     target_space_id, state, again, runs, total_words, total_pages, total_milliseconds, latest_words, latest_pages, \
     latest_milliseconds, untranslated, error_code, error_message, error_at, created_at, updated_at) VALUES ('tr', 'o', 'gone', \
     'en', 'de', '[]', 'u', 's', 'pending', FALSE, 0, 0, 0, 0, 0, 0, 0, 0, 'engine_down', '', '2026-01-01 00:00:00', \
     '2026-01-01 00:00:00', '2026-01-01 00:00:00')",
    "INSERT INTO translation_runs (id, translation_id, started_at, milliseconds, words, pages, memory_hits, floored, \
     untranslated, failures, requests, tokens, engine) VALUES ('ru', 'tr', '2026-01-01 00:00:00', 0, 0, 0, 0, 0, 0, 0, 0, 0, \
     'pseudo')",
    "INSERT INTO translation_memory (organization_id, key, target, engine, created_at, used_at) \
     VALUES ('o', '', '', 'pseudo', '2026-01-01 00:00:00', '2026-01-01 00:00:00')",
    "INSERT INTO glossary_entries (id, organization_id, translations, created_at, updated_at) \
     VALUES ('gl', 'o', '{}', '2026-01-01 00:00:00', '2026-01-01 00:00:00')",
    "INSERT INTO engine_usage (organization_id, day, engine, words, characters, requests, tokens) \
     VALUES ('o', '2026-01-01 00:00:00', 'pseudo', 0, 0, 0, 0)",
    "INSERT INTO condemned (kind, hash, at) VALUES ('file', '', '2026-01-01 00:00:00')",
];

async fn rows(backend: Backend) -> Option<World> {
    let world = world(backend).await?;
    run(&world, ROWS).await;
    Some(world)
}

async fn run(world: &World, statements: &[&str]) {
    let mut conn = world.database.write().await.unwrap();
    for sql in statements {
        conn.run(diesel::sql_query(*sql)).await.expect(sql);
    }
    conn.commit().await.unwrap();
}

/// Whether the schema allows a statement. It is rolled back.
async fn allowed(world: &World, sql: &str) -> bool {
    let mut conn = world.database.write().await.unwrap();
    conn.run(diesel::sql_query(sql)).await.is_ok()
}

#[derive(diesel::QueryableByName)]
struct Name {
    #[diesel(sql_type = Text)]
    name: String,
}

/// The column `name` of a query.
async fn names(world: &World, sql: &str) -> Vec<String> {
    let mut conn = world.database.read().await.unwrap();
    let names: Vec<Name> = conn.all(diesel::sql_query(sql)).await.unwrap();
    names.into_iter().map(|row| row.name).collect()
}

#[derive(diesel::QueryableByName)]
struct Count {
    #[diesel(sql_type = BigInt)]
    rows: i64,
}

async fn count(world: &World, table: &str) -> i64 {
    let mut conn = world.database.read().await.unwrap();
    let counts: Vec<Count> =
        conn.all(diesel::sql_query(format!("SELECT count(*) AS rows FROM {table}"))).await.unwrap();
    counts[0].rows
}

/// The words of an enum.
fn words<T: Words>() -> Vec<String> {
    T::WORDS.iter().map(|word| (*word).to_owned()).collect()
}

fn roles(others: &[&str]) -> Vec<String> {
    Role::WORDS.iter().chain(others).map(|word| (*word).to_owned()).collect()
}

/// The columns that hold a word of a closed list, and the words.
fn checked_columns() -> Vec<(&'static str, &'static str, Vec<String>)> {
    let condemned = [Kind::Object, Kind::File].map(|kind| kind.as_str().to_owned());
    let finished = words::<DeliveryState>().into_iter().filter(|word| word != "pending").collect::<Vec<_>>();
    let of_spaces = NotificationKind::ALL.iter().filter(|kind| kind.is_of_space()).map(ToString::to_string).collect();
    vec![
        ("organizations", "default_role", roles(&[])),
        ("members", "role", roles(&[])),
        ("team_members", "role", words::<TeamRole>()),
        ("collections", "default_level", roles(&["inherit", "none"])),
        ("spaces", "default_level", roles(&["inherit", "none"])),
        ("spaces", "visibility", words::<Visibility>()),
        ("spaces", "edit_mode", words::<EditMode>()),
        ("grants", "role", roles(&[])),
        ("link_invites", "role", roles(&[])),
        ("revisions", "kind", words::<RevisionKind>()),
        // A merged one also has a revision and a time: see below.
        ("change_requests", "status", words::<ProposedStatus>()),
        ("change_request_contributors", "action", words::<ContributorAction>()),
        ("reviews", "verdict", words::<Verdict>()),
        // One about a webhook also has the webhook: see below.
        ("notifications", "kind", of_spaces),
        ("notification_levels", "level", words::<NotificationLevel>()),
        ("events", "source", words::<Source>()),
        ("webhooks", "disabled_reason", words::<DisabledReason>()),
        // A pending one also has a next attempt: see below.
        ("webhook_deliveries", "state", finished),
        ("openapi_specs", "state", words::<ProcessingState>()),
        ("openapi_specs", "visibility", words::<SpecVisibility>()),
        ("openapi_specs", "error", words::<ProcessError>()),
        ("openapi_versions", "format", words::<DocumentFormat>()),
        ("conversations", "impact", words::<Impact>()),
        ("conversation_issues", "impact", words::<Impact>()),
        ("issue_clusters", "impact", words::<Impact>()),
        ("site_publishing_auths", "backend", words::<AuthBackend>()),
        ("site_feedback", "rating", words::<FeedbackRating>()),
        ("translations", "state", words::<TranslationStatus>()),
        ("translations", "error_code", words::<TranslationErrorCode>()),
        ("condemned", "kind", condemned.to_vec()),
    ]
}

#[rstest]
#[tokio::test]
async fn an_enum_column_accepts_only_its_values(#[values(Backend::Sqlite, Backend::Postgres)] backend: Backend) {
    let Some(world) = rows(backend).await else { return };
    for (table, column, words) in checked_columns() {
        for word in words {
            let sql = format!("UPDATE {table} SET {column} = '{word}'");
            assert!(allowed(&world, &sql).await, "{sql}");
        }
        for wrong in ["nonsense", ""] {
            let sql = format!("UPDATE {table} SET {column} = '{wrong}'");
            assert!(!allowed(&world, &sql).await, "{sql}");
        }
    }
}

#[rstest]
#[case::a_merge("UPDATE change_requests SET status = 'merged', revision_merged_id = 'r', merged_at = created_at", true)]
#[case::a_merge_without_its_revision("UPDATE change_requests SET status = 'merged', merged_at = created_at", false)]
#[case::a_merge_without_a_time("UPDATE change_requests SET status = 'merged', revision_merged_id = 'r'", false)]
#[case::a_time_of_no_merge("UPDATE change_requests SET revision_merged_id = 'r', merged_at = created_at", false)]
#[case::a_grant_on_a_collection("UPDATE grants SET space_id = NULL, collection_id = 'c'", true)]
#[case::a_grant_on_two_places("UPDATE grants SET collection_id = 'c'", false)]
#[case::a_grant_on_nothing("UPDATE grants SET space_id = NULL", false)]
#[case::a_grant_on_no_space("UPDATE grants SET space_id = 'gone'", false)]
#[case::a_grant_on_no_collection("UPDATE grants SET space_id = NULL, collection_id = 's'", false)]
#[case::a_grant_to_a_team("UPDATE grants SET user_id = NULL, team_id = 't'", true)]
#[case::a_grant_to_two("UPDATE grants SET team_id = 't'", false)]
#[case::an_invite_to_a_collection("UPDATE link_invites SET space_id = NULL, collection_id = 'd'", true)]
#[case::an_invite_to_two_places("UPDATE link_invites SET collection_id = 'd'", false)]
#[case::an_invite_to_no_space("UPDATE link_invites SET space_id = 'gone'", false)]
#[case::an_invite_of_a_guest("UPDATE link_invites SET space_id = NULL, role = NULL", true)]
#[case::an_invite_that_gives_nothing("UPDATE link_invites SET role = NULL", false)]
#[case::a_customization_of_a_space("UPDATE site_customizations SET id = 'item', item_id = 'item'", true)]
#[case::a_customization_with_another_id("UPDATE site_customizations SET id = 'item'", false)]
#[case::a_customization_of_no_space("UPDATE site_customizations SET id = 'gone', item_id = 'gone'", false)]
#[case::feedback_on_a_space_that_left_the_site("UPDATE site_feedback SET site_space_id = NULL", true)]
#[case::feedback_on_no_space_of_a_site("UPDATE site_feedback SET site_space_id = 'gone'", false)]
#[case::feedback_on_no_space("UPDATE site_feedback SET space_id = 'gone'", false)]
#[case::feedback_on_no_site("UPDATE site_feedback SET site_id = 'gone'", false)]
#[case::an_issue_of_no_conversation("UPDATE conversation_issues SET conversation_id = 'gone'", false)]
#[case::an_issue_in_no_cluster("UPDATE conversation_issues SET cluster_id = 'gone'", false)]
#[case::a_cluster_merged_into_none("UPDATE issue_clusters SET merged_into_id = 'gone'", false)]
#[case::a_change_request_about_no_cluster("UPDATE change_requests SET issue_cluster_id = 'gone'", false)]
#[case::a_pending_delivery(
    "UPDATE webhook_deliveries SET state = 'pending', next_attempt_at = created_at, finished_at = NULL",
    true
)]
#[case::a_pending_delivery_without_a_time("UPDATE webhook_deliveries SET state = 'pending', finished_at = NULL", false)]
#[case::a_finished_delivery_with_another_attempt("UPDATE webhook_deliveries SET next_attempt_at = created_at", false)]
#[case::a_finished_delivery_without_a_time("UPDATE webhook_deliveries SET finished_at = NULL", false)]
#[case::a_response_with_a_failure(
    "UPDATE webhook_deliveries SET response_status = 200, response_body = '', failure = 'timeout'",
    false
)]
#[case::a_disabled_webhook_without_a_reason("UPDATE webhooks SET disabled_reason = NULL", false)]
#[case::a_spec_with_two_sources("UPDATE openapi_specs SET source_text = ''", false)]
#[case::a_spec_without_a_source("UPDATE openapi_specs SET source_url = NULL", false)]
#[case::a_slug_in_another_case(
    "INSERT INTO openapi_specs (id, organization_id, slug, slug_key, source_url, state, visibility, findings, \
     finding_count, failures, created_at, updated_at) VALUES ('a2', 'o', 'PETS', 'pets', '', 'pending', 'private', \
     '[]', 0, 0, '2026-01-01 00:00:00', '2026-01-01 00:00:00')",
    false
)]
#[case::a_translation_without_a_target("UPDATE translations SET target_space_id = NULL", true)]
#[case::a_translation_into_no_space("UPDATE translations SET target_space_id = 'gone'", false)]
#[case::a_translation_error_without_a_message("UPDATE translations SET error_message = NULL", false)]
#[case::a_retry_of_no_error(
    "UPDATE translations SET error_code = NULL, error_message = NULL, error_at = NULL, retry_at = created_at",
    false
)]
#[case::a_run_of_no_translation("UPDATE translation_runs SET translation_id = 'gone'", false)]
#[case::a_delivery_of_a_deleted_webhook("UPDATE webhook_deliveries SET webhook_id = 'gone'", true)]
#[case::a_notification_of_another_thread("UPDATE notifications SET thread_id = 'x'", false)]
#[case::a_notification_of_a_webhook(
    "UPDATE notifications SET kind = 'webhook-disabled', actor_id = NULL, space_id = NULL, change_request_id = NULL, \
     organization_id = 'o', webhook_id = 'w', thread_id = 'w'",
    true
)]
#[case::a_notification_of_a_webhook_in_another_thread(
    "UPDATE notifications SET kind = 'webhook-disabled', actor_id = NULL, space_id = NULL, change_request_id = NULL, \
     organization_id = 'o', webhook_id = 'w', thread_id = 'x'",
    false
)]
#[case::a_notification_of_a_webhook_in_a_change_request(
    "UPDATE notifications SET kind = 'webhook-disabled', actor_id = NULL, space_id = NULL, organization_id = 'o', \
     webhook_id = 'w'",
    false
)]
#[case::a_notification_of_no_webhook(
    "UPDATE notifications SET kind = 'webhook-disabled', actor_id = NULL, space_id = NULL, change_request_id = NULL, \
     organization_id = 'o', webhook_id = 'gone', thread_id = 'gone'",
    false
)]
#[case::a_notification_of_a_webhook_with_an_actor(
    "UPDATE notifications SET kind = 'webhook-disabled', space_id = NULL, change_request_id = NULL, \
     organization_id = 'o', webhook_id = 'w', thread_id = 'w'",
    false
)]
#[case::a_notification_of_a_space_and_a_webhook(
    "UPDATE notifications SET organization_id = 'o', webhook_id = 'w'",
    false
)]
#[case::a_notification_of_nothing("UPDATE notifications SET actor_id = NULL, space_id = NULL", false)]
#[case::a_notification_of_a_reply_without_a_comment("UPDATE notifications SET reply_id = 'x'", false)]
#[case::a_space_in_no_collection("UPDATE spaces SET parent_id = 'gone'", false)]
#[case::a_collection_in_no_collection("UPDATE collections SET parent_id = 'gone'", false)]
#[case::a_collection_with_a_space_removed("DELETE FROM collections WHERE id = 'd'", false)]
#[case::a_collection_with_a_collection_removed("DELETE FROM collections WHERE id = 'c'", false)]
#[tokio::test]
async fn contradicting_rows_are_refused(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
    #[case] sql: &str,
    #[case] expected: bool,
) {
    let Some(world) = rows(backend).await else { return };
    assert_eq!(allowed(&world, sql).await, expected, "{sql}");
}

#[rstest]
#[tokio::test]
async fn a_space_is_removed_with_its_grants_and_invites(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let Some(world) = rows(backend).await else { return };
    run(&world, &["DELETE FROM spaces WHERE id = 's'"]).await;
    for table in [
        "grants",
        "link_invites",
        "revisions",
        "former_anchors",
        "change_requests",
        "reviews",
        "search_spaces",
        "search_parts",
        "notifications",
        "site_feedback",
    ] {
        assert_eq!(count(&world, table).await, 0, "{table}");
    }
    run(&world, &["DELETE FROM collections WHERE id = 'd'"]).await;
    assert_eq!(count(&world, "collections").await, 1);
}

#[rstest]
#[tokio::test]
async fn an_organization_is_removed_with_everything_but_its_events(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let Some(world) = rows(backend).await else { return };
    run(&world, &["DELETE FROM organizations WHERE id = 'o'"]).await;
    // Versions of OpenAPI specs are removed by a job, which condemns what they refer to.
    let kept = [
        "openapi_versions",
        "users",
        "notification_settings",
        "events",
        "event_counts",
        "condemned",
        "instance",
        "counters",
        "__diesel_schema_migrations",
    ];
    let tables = match backend {
        Backend::Sqlite => {
            "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%'"
        }
        Backend::Postgres => "SELECT tablename::text AS name FROM pg_tables WHERE schemaname = 'public'",
    };
    let tables = names(&world, tables).await;
    assert!(tables.len() > 25, "only {tables:?}");
    for table in tables {
        assert_eq!(count(&world, &table).await > 0, kept.contains(&table.as_str()), "{table}");
    }
}

/// A default would hide a column that a row struct forgot.
#[rstest]
#[tokio::test]
async fn no_column_has_a_default(#[values(Backend::Sqlite, Backend::Postgres)] backend: Backend) {
    let Some(world) = world(backend).await else { return };
    let sql = match backend {
        Backend::Sqlite => {
            "SELECT one.name || '.' || two.name AS name FROM pragma_table_list AS one, pragma_table_info(one.name) AS two \
             WHERE one.schema = 'main' AND one.type = 'table' AND two.dflt_value IS NOT NULL"
        }
        Backend::Postgres => {
            "SELECT (table_name || '.' || column_name)::text AS name FROM information_schema.columns \
             WHERE table_schema = 'public' AND column_default IS NOT NULL"
        }
    };
    let mut with_default = names(&world, sql).await;
    // This table belongs to diesel.
    with_default.retain(|name| !name.starts_with("__diesel_schema_migrations."));
    assert_eq!(with_default, Vec::<String>::new());
}

#[tokio::test]
async fn every_id_compares_by_bytes_on_postgresql() {
    let Some(world) = world(Backend::Postgres).await else { return };
    let ids = "FROM information_schema.columns WHERE table_schema = 'public' AND data_type = 'text' \
         AND table_name <> 'counters' AND (column_name = 'id' OR column_name LIKE '%\\_id' OR column_name LIKE '%\\_by')";
    let all = names(&world, &format!("SELECT (table_name || '.' || column_name)::text AS name {ids}")).await;
    assert!(all.len() > 50, "only {all:?}");
    let sql = format!(
        "SELECT (table_name || '.' || column_name)::text AS name {ids} AND collation_name IS DISTINCT FROM 'C'"
    );
    assert_eq!(names(&world, &sql).await, Vec::<String>::new());
}
