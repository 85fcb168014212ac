//! Accounts and tokens.

diesel::table! {
    /// A single row used as a global lock; never updated.
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
        /// The name and address for searches; see [`domain::text::folded`].
        folded -> Text,
    }
}

diesel::table! {
    /// Tokens, by the hash of their secret.
    tokens (id) {
        id -> Text,
        user_id -> Text,
        label -> Text,
        /// The scopes of the token; NULL for all.
        scopes -> Nullable<Json>,
        hash -> Binary,
        created_at -> Timestamp,
        expires_at -> Nullable<Timestamp>,
        revoked_at -> Nullable<Timestamp>,
        last_used_at -> Nullable<Timestamp>,
    }
}

diesel::joinable!(tokens -> users (user_id));
