//! Collections, and grants on spaces, collections and sites.

diesel::table! {
    /// Collections: folders of spaces and collections.
    collections (id) {
        id -> Text,
        organization_id -> Text,
        parent_id -> Nullable<Text>,
        title -> Text,
        description -> Nullable<Text>,
        default_level -> Text,
        position -> Text,
        created_at -> Timestamp,
        updated_at -> Timestamp,
        deleted_at -> Nullable<Timestamp>,
    }
}

diesel::table! {
    /// The positions that spaces and collections had before they were moved.
    moves (organization_id, number) {
        organization_id -> Text,
        number -> BigInt,
        place_id -> Text,
        position -> Text,
    }
}

diesel::table! {
    /// Grants to a user or a team on a space, a collection or a site; a grant without a role denies access.
    grants (space_id, collection_id, site_id, user_id, team_id) {
        space_id -> Nullable<Text>,
        collection_id -> Nullable<Text>,
        site_id -> Nullable<Text>,
        organization_id -> Text,
        user_id -> Nullable<Text>,
        team_id -> Nullable<Text>,
        role -> Nullable<Text>,
        created_at -> Timestamp,
    }
}
