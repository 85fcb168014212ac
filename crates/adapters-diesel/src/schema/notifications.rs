//! Notifications of users, and their settings.

diesel::table! {
    /// Notifications about discussions, reviews and webhooks.
    notifications (id) {
        id -> Text,
        user_id -> Text,
        kind -> Text,
        /// NULL for webhooks.
        actor_id -> Nullable<Text>,
        /// NULL for webhooks.
        space_id -> Nullable<Text>,
        change_request_id -> Nullable<Text>,
        comment_id -> Nullable<Text>,
        reply_id -> Nullable<Text>,
        review_id -> Nullable<Text>,
        /// The organization of the webhook.
        organization_id -> Nullable<Text>,
        webhook_id -> Nullable<Text>,
        /// The comment, or else the change request or the webhook.
        thread_id -> Text,
        excerpt -> Text,
        created_at -> Timestamp,
        read_at -> Nullable<Timestamp>,
        to_mail -> Bool,
    }
}

diesel::table! {
    /// The levels that users have set for spaces.
    notification_levels (space_id, user_id) {
        space_id -> Text,
        user_id -> Text,
        level -> Text,
    }
}

diesel::table! {
    /// Whether users want e-mails.
    notification_settings (user_id) {
        user_id -> Text,
        email -> Bool,
    }
}
