//! Webhooks and their deliveries.

diesel::table! {
    /// Addresses that get the events of an organization.
    webhooks (id) {
        id -> Text,
        organization_id -> Text,
        url -> Text,
        description -> Text,
        events -> Json,
        salt -> Binary,
        disabled_at -> Nullable<Timestamp>,
        disabled_reason -> Nullable<Text>,
        created_at -> Timestamp,
        updated_at -> Timestamp,
    }
}

diesel::table! {
    /// Events and pings for webhooks.
    webhook_deliveries (id) {
        id -> Text,
        organization_id -> Text,
        webhook_id -> Text,
        event_id -> Nullable<Text>,
        kind -> Text,
        target_id -> Text,
        repeats_id -> Nullable<Text>,
        state -> Text,
        attempts -> Integer,
        created_at -> Timestamp,
        first_attempt_at -> Nullable<Timestamp>,
        last_attempt_at -> Nullable<Timestamp>,
        next_attempt_at -> Nullable<Timestamp>,
        finished_at -> Nullable<Timestamp>,
        response_status -> Nullable<Integer>,
        response_body -> Nullable<Text>,
        failure -> Nullable<Text>,
    }
}
