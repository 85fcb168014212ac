//! Jobs, and what they are about to remove.

diesel::table! {
    /// Work that is done later.
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
    /// When the time was last noted: one row.
    heartbeat (id) {
        id -> Text,
        at -> Timestamp,
        steady_since -> Timestamp,
    }
}

diesel::table! {
    /// Content that a purged space held.
    condemned (kind, hash) {
        kind -> Text,
        hash -> Binary,
        at -> Timestamp,
    }
}
