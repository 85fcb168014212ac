//! The event log.

diesel::table! {
    /// What happened.
    events (id) {
        id -> Text,
        organization_id -> Nullable<Text>,
        actor_id -> Nullable<Text>,
        token_id -> Nullable<Text>,
        at -> Timestamp,
        change -> Json,
    }
}
