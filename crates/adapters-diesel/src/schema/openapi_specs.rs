//! OpenAPI specs, their versions, and what pages show of them.

diesel::table! {
    /// OpenAPI specs of organizations.
    openapi_specs (id) {
        id -> Text,
        organization_id -> Text,
        slug -> Text,
        slug_key -> Text,
        source_url -> Nullable<Text>,
        source_text -> Nullable<Binary>,
        state -> Text,
        visibility -> Text,
        last_version_id -> Nullable<Text>,
        validators -> Nullable<Json>,
        processed_at -> Nullable<Timestamp>,
        error -> Nullable<Text>,
        findings -> Json,
        finding_count -> Integer,
        failures -> Integer,
        created_at -> Timestamp,
        updated_at -> Timestamp,
    }
}

diesel::table! {
    /// Versions of OpenAPI specs.
    openapi_versions (id) {
        id -> Text,
        spec_id -> Text,
        created_at -> Timestamp,
        source_url -> Nullable<Text>,
        text_hash -> Binary,
        format -> Text,
        parts -> Binary,
        changes -> Nullable<Json>,
        text_removed_at -> Nullable<Timestamp>,
        engine -> Nullable<Integer>,
        changelog -> Nullable<Json>,
    }
}

diesel::table! {
    /// Usages of OpenAPI specs in the primary content of spaces.
    openapi_usages (space_id, page_id, ordinal) {
        space_id -> Text,
        page_id -> Text,
        ordinal -> Integer,
        block -> Text,
        spec -> Text,
        version_id -> Nullable<Text>,
        shows -> Json,
    }
}

diesel::allow_tables_to_appear_in_same_query!(openapi_specs, openapi_versions);
