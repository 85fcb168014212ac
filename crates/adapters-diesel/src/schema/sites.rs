//! Docs sites.

diesel::table! {
    /// Docs sites.
    sites (id) {
        id -> Text,
        organization_id -> Text,
        kind -> Text,
        title -> Text,
        icon -> Nullable<Json>,
        basename -> Text,
        hostname -> Nullable<Text>,
        proxy -> Nullable<Text>,
        visibility -> Text,
        published_at -> Nullable<Timestamp>,
        default_level -> Text,
        adaptive_content -> Bool,
        agents_context -> Text,
        styleguide_id -> Nullable<Text>,
        version -> BigInt,
        created_at -> Timestamp,
        updated_at -> Timestamp,
    }
}

diesel::table! {
    /// The structure of sites: spaces, sections, groups of sections, and links.
    site_items (id) {
        id -> Text,
        site_id -> Text,
        kind -> Text,
        parent_id -> Nullable<Text>,
        position -> Integer,
        space_id -> Nullable<Text>,
        settings -> Json,
    }
}

diesel::table! {
    /// Overrides of the default customization by sites and the spaces on them.
    site_customizations (id) {
        id -> Text,
        site_id -> Text,
        item_id -> Nullable<Text>,
        overrides -> Json,
        updated_at -> Timestamp,
    }
}

diesel::table! {
    /// Feedback of visitors on pages of sites.
    site_feedback (id) {
        id -> Text,
        site_id -> Text,
        site_space_id -> Nullable<Text>,
        space_id -> Text,
        page_id -> Text,
        rating -> Text,
        comment -> Nullable<Text>,
        created_at -> Timestamp,
    }
}

diesel::table! {
    /// Names that sites and their parts had in addresses.
    former_site_names (scope_id, name) {
        scope_id -> Text,
        name -> Text,
        site_id -> Text,
        item_id -> Text,
    }
}

diesel::table! {
    /// Redirects of sites.
    site_redirects (id) {
        id -> Text,
        site_id -> Text,
        source -> Text,
        draft -> Bool,
        destination -> Json,
        capture_wildcard -> Bool,
        permanent -> Bool,
        created_at -> Timestamp,
        updated_at -> Nullable<Timestamp>,
        changed_at -> Timestamp,
    }
}
