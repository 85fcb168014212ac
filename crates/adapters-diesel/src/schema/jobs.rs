//! Jobs, and content to remove.

diesel::table! {
    /// Background jobs.
    jobs (id) {
        id -> Text,
        key -> Text,
        kind -> Text,
        task -> Json,
        due_at -> Timestamp,
        attempts -> Integer,
        claims -> Integer,
        leased_until -> Nullable<Timestamp>,
        failed_at -> Nullable<Timestamp>,
        reason -> Nullable<Text>,
        created_at -> Timestamp,
    }
}

diesel::table! {
    /// The last recorded time: one row.
    heartbeat (id) {
        id -> Text,
        at -> Timestamp,
        steady_since -> Timestamp,
    }
}

diesel::table! {
    /// Content that may be unused and is checked before it is removed.
    condemned (kind, hash) {
        kind -> Text,
        hash -> Binary,
        at -> Timestamp,
    }
}
