//! The audiences of sites: who may see them.

diesel::table! {
    /// Share links.
    site_share_links (id) {
        id -> Text,
        site_id -> Text,
        name -> Text,
        active -> Bool,
        number -> Integer,
        hash -> Binary,
        created_at -> Timestamp,
    }
}

diesel::table! {
    /// How visitors prove who they are.
    site_publishing_auths (site_id) {
        site_id -> Text,
        backend -> Text,
        fallback_url -> Nullable<Text>,
        logout_url -> Nullable<Text>,
        number -> Integer,
    }
}

diesel::table! {
    /// The claims that sites know of their visitors.
    site_adaptive_schemas (site_id) {
        site_id -> Text,
        json_schema -> Json,
        updated_at -> Timestamp,
    }
}
