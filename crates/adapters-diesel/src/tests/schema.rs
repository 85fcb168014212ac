use super::*;
use crate::schema::{
    accounts, change_requests, collections, comments, content, conversations, events, jobs, notifications,
    openapi_specs, organizations, people, search, site_audiences, sites, translations, webhooks,
};
use diesel::Table;
use diesel::dsl::{exists, select};
use rstest::rstest;

macro_rules! asked_for {
    ($conn:ident: $($table:path),+ $(,)?) => {$({
        use $table as table;
        let query = select(exists(table::table.select(table::table::all_columns())));
        $conn.one::<bool>(query).await.expect(stringify!($table));
    })+};
}

/// The schema in Rust is written by hand, and migrations create the tables: this compares them.
#[rstest]
#[tokio::test]
async fn every_declared_column_exists(#[values(Backend::Sqlite, Backend::Postgres)] backend: Backend) {
    let Some(world) = world(backend).await else { return };
    let mut conn = world.database.read().await.unwrap();
    asked_for!(conn:
        accounts::instance, accounts::users, accounts::tokens,
        organizations::organizations, organizations::organization_email_domains, organizations::members,
        organizations::spaces,
        content::objects, content::revisions, content::space_documents, content::former_paths,
        content::former_anchors,
        change_requests::change_requests, change_requests::change_request_conflicts,
        change_requests::change_request_contributors, change_requests::reviews, change_requests::requested_reviewers,
        change_requests::idempotency_keys,
        events::events, events::event_counts,
        people::teams, people::team_members, people::link_invites, people::agent_instructions,
        collections::collections, collections::moves, collections::grants,
        comments::comments, comments::comment_replies, comments::comment_reactions, comments::comment_counts,
        notifications::notifications, notifications::notification_levels, notifications::notification_settings,
        jobs::jobs, jobs::heartbeat, jobs::condemned,
        search::search_spaces, search::search_parts, search::search_inclusions, search::search_sections,
        search::search_words,
        sites::sites, sites::site_items, sites::site_customizations, sites::site_feedback, sites::former_site_names, sites::site_redirects,
        site_audiences::site_share_links, site_audiences::site_publishing_auths,
        site_audiences::site_adaptive_schemas,
        openapi_specs::openapi_specs, openapi_specs::openapi_versions, openapi_specs::openapi_usages,
        conversations::conversations, conversations::conversation_issues, conversations::issue_clusters,
        webhooks::webhooks, webhooks::webhook_deliveries,
        translations::translations, translations::translation_runs, translations::translation_memory,
        translations::glossary_entries, translations::engine_usage,
    );
}
