//! Change requests, their reviews, and idempotency keys.

diesel::table! {
    /// Proposed changes to spaces.
    change_requests (id) {
        id -> Text,
        space_id -> Text,
        number -> Integer,
        subject -> Text,
        /// A document in its canonical encoding.
        description -> Nullable<Text>,
        status -> Text,
        created_by -> Text,
        created_at -> Timestamp,
        updated_at -> Timestamp,
        revision_id -> Text,
        revision_initial_id -> Text,
        revision_merged_ancestor_id -> Nullable<Text>,
        revision_merged_id -> Nullable<Text>,
        merged_by -> Nullable<Text>,
        merged_at -> Nullable<Timestamp>,
        comments -> Integer,
        issue_cluster_id -> Nullable<Text>,
        links -> Nullable<Json>,
    }
}

diesel::table! {
    /// Conflicts between a change request and the primary content.
    change_request_conflicts (id) {
        id -> Text,
        change_request_id -> Text,
        place -> Text,
        conflict -> Json,
    }
}

diesel::table! {
    /// Contributors of change requests.
    change_request_contributors (change_request_id, user_id, action) {
        change_request_id -> Text,
        user_id -> Text,
        action -> Text,
        count -> Integer,
        updated_at -> Timestamp,
    }
}

diesel::table! {
    /// Reviews of change requests.
    reviews (id) {
        id -> Text,
        change_request_id -> Text,
        revision_id -> Text,
        reviewer_id -> Text,
        requested_by -> Nullable<Text>,
        verdict -> Text,
        outdated -> Bool,
        created_at -> Timestamp,
        updated_at -> Timestamp,
        ended -> Bool,
    }
}

diesel::table! {
    /// Requests for reviews.
    requested_reviewers (change_request_id, user_id) {
        change_request_id -> Text,
        user_id -> Text,
        revision_id -> Text,
        requested_by -> Nullable<Text>,
        created_at -> Timestamp,
    }
}

diesel::table! {
    /// Idempotency keys and stored responses.
    idempotency_keys (user_id, key) {
        user_id -> Text,
        key -> Text,
        request -> Binary,
        created_at -> Timestamp,
        status -> Nullable<Integer>,
        location -> Nullable<Text>,
        body -> Nullable<Binary>,
    }
}
