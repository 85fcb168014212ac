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

diesel::table! {
    /// How many events of each action there are. The number is the sum of the rows of an organization and an action.
    event_counts (id) {
        id -> BigInt,
        /// Empty for events of no organization.
        organization_id -> Text,
        action -> Text,
        /// Changed only with [`crate::sql::count_events`].
        events -> BigInt,
    }
}
