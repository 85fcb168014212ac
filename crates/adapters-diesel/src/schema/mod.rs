//! The tables, by area. Written by hand; a test selects every column of every table on both databases.

pub(crate) mod accounts;
pub(crate) mod change_requests;
pub(crate) mod content;
pub(crate) mod events;
pub(crate) mod organizations;
pub(crate) mod search;

use change_requests::{change_request_contributors, change_requests as requests, requested_reviewers};
use organizations::{members, organizations as organization_table, spaces};

diesel::allow_tables_to_appear_in_same_query!(
    organization_table,
    members,
    spaces,
    requests,
    change_request_contributors,
    requested_reviewers,
);
