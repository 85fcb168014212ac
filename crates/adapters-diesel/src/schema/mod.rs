//! The tables, by area. Written by hand; a test selects every column of every table on both databases.

pub(crate) mod accounts;
pub(crate) mod change_requests;
pub(crate) mod collections;
pub(crate) mod comments;
pub(crate) mod content;
pub(crate) mod conversations;
pub(crate) mod events;
pub(crate) mod jobs;
pub(crate) mod notifications;
pub(crate) mod openapi_specs;
pub(crate) mod organizations;
pub(crate) mod people;
pub(crate) mod search;
pub(crate) mod site_audiences;
pub(crate) mod sites;
pub(crate) mod translations;
pub(crate) mod webhooks;

use accounts::{tokens, users};
use change_requests::{change_request_contributors, change_requests as requests, requested_reviewers, reviews};
use collections::{collections as collection_table, grants, moves};
use comments::{comment_counts, comment_reactions, comment_replies, comments as comment_table};
use conversations::{conversation_issues, issue_clusters};
use jobs::jobs as job_table;
use notifications::{notification_levels, notification_settings, notifications as notification_table};
use openapi_specs::openapi_usages;
use organizations::{members, organization_email_domains, organizations as organization_table, spaces};
use people::{agent_instructions, link_invites, team_members, teams};
use sites::{former_site_names, site_items, sites as site_table};
use webhooks::{webhook_deliveries, webhooks as webhook_table};

diesel::allow_tables_to_appear_in_same_query!(
    organization_table,
    organization_email_domains,
    members,
    spaces,
    requests,
    change_request_contributors,
    requested_reviewers,
    reviews,
    collection_table,
    grants,
    moves,
    comment_table,
    comment_counts,
    comment_replies,
    comment_reactions,
    notification_table,
    notification_levels,
    notification_settings,
    site_table,
    site_items,
    former_site_names,
    teams,
    team_members,
    link_invites,
    agent_instructions,
    users,
    tokens,
    job_table,
    webhook_table,
    webhook_deliveries,
    openapi_usages,
    issue_clusters,
    conversation_issues,
);
