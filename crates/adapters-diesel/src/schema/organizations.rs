//! Organizations, members and spaces.

diesel::table! {
    /// Organizations.
    organizations (id) {
        id -> Text,
        title -> Text,
        email_domains -> Json,
        hostname -> Nullable<Text>,
        default_role -> Nullable<Text>,
        logo -> Nullable<Text>,
        sso -> Bool,
        ai -> Bool,
        invite_links -> Bool,
        merge_rules -> Json,
        created_at -> Timestamp,
        default_site_id -> Nullable<Text>,
    }
}

diesel::table! {
    /// The e-mail domains whose users can join an organization.
    organization_email_domains (domain, organization_id) {
        domain -> Text,
        organization_id -> Text,
    }
}

diesel::table! {
    /// Members of organizations; no role means guest.
    members (organization_id, user_id) {
        organization_id -> Text,
        user_id -> Text,
        role -> Nullable<Text>,
        disabled -> Bool,
        joined_at -> Timestamp,
        last_seen_at -> Nullable<Timestamp>,
        sso -> Bool,
    }
}

diesel::table! {
    /// Spaces.
    spaces (id) {
        id -> Text,
        organization_id -> Text,
        parent_id -> Nullable<Text>,
        title -> Text,
        emoji -> Text,
        icon -> Nullable<Text>,
        visibility -> Text,
        edit_mode -> Text,
        default_level -> Text,
        language -> Nullable<Text>,
        merge_rules -> Json,
        revision_id -> Text,
        created_at -> Timestamp,
        updated_at -> Timestamp,
        deleted_at -> Nullable<Timestamp>,
        change_requests -> Integer,
        change_requests_open -> Integer,
        change_requests_draft -> Integer,
        position -> Text,
        edit_url -> Nullable<Text>,
    }
}
