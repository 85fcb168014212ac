//! The event log.

diesel::table! {
    /// Events.
    events (id) {
        id -> Text,
        organization_id -> Nullable<Text>,
        actor_id -> Nullable<Text>,
        token_id -> Nullable<Text>,
        at -> Timestamp,
        source -> Text,
        address -> Nullable<Text>,
        user_agent -> Nullable<Text>,
        request_id -> Nullable<Text>,
        action -> Text,
        target_id -> Text,
        change -> Json,
    }
}
