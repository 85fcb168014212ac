//! Accounts and tokens.

diesel::table! {
    /// One row, for whoever must be the only one.
    instance (id) {
        id -> Text,
    }
}

diesel::table! {
    /// Accounts.
    users (id) {
        id -> Text,
        display_name -> Text,
        email -> Text,
        photo_url -> Nullable<Text>,
        created_at -> Timestamp,
        email_verified -> Bool,
        /// Name and address; see [`domain::text::folded`].
        folded -> Text,
    }
}

diesel::table! {
    /// Tokens, by the hash of their secret.
    tokens (id) {
        id -> Text,
        user_id -> Text,
        label -> Text,
        /// The words of the scopes; NULL for everything.
        scopes -> Nullable<Json>,
        hash -> Binary,
        created_at -> Timestamp,
        expires_at -> Nullable<Timestamp>,
        revoked_at -> Nullable<Timestamp>,
        last_used_at -> Nullable<Timestamp>,
    }
}

diesel::joinable!(tokens -> users (user_id));
