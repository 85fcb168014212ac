//! Translations, their runs and their memory, the glossary, and what engines did.

diesel::table! {
    /// Translations of spaces.
    translations (id) {
        id -> Text,
        organization_id -> Text,
        source_space_id -> Text,
        source_language -> Text,
        language -> Text,
        instructions -> Text,
        created_by -> Text,
        asked_by -> Nullable<Text>,
        target_space_id -> Nullable<Text>,
        machine_revision_id -> Nullable<Text>,
        source_revision_id -> Nullable<Text>,
        result_revision_id -> Nullable<Text>,
        change_request_id -> Nullable<Text>,
        state -> Text,
        again -> Bool,
        fresh_since -> Nullable<Timestamp>,
        runs -> Integer,
        total_words -> BigInt,
        total_pages -> BigInt,
        total_milliseconds -> BigInt,
        latest_words -> BigInt,
        latest_pages -> BigInt,
        latest_milliseconds -> BigInt,
        untranslated -> Integer,
        error_code -> Nullable<Text>,
        error_message -> Nullable<Text>,
        error_at -> Nullable<Timestamp>,
        retry_at -> Nullable<Timestamp>,
        created_at -> Timestamp,
        updated_at -> Timestamp,
    }
}

diesel::table! {
    /// Runs of translations.
    translation_runs (id) {
        id -> Text,
        translation_id -> Text,
        started_at -> Timestamp,
        finished_at -> Nullable<Timestamp>,
        milliseconds -> BigInt,
        words -> BigInt,
        pages -> BigInt,
        last_page_id -> Nullable<Text>,
        memory_hits -> Integer,
        floored -> Integer,
        untranslated -> Integer,
        failures -> Integer,
        requests -> BigInt,
        tokens -> BigInt,
        engine -> Text,
    }
}

diesel::table! {
    /// Translated texts.
    translation_memory (organization_id, key) {
        organization_id -> Text,
        key -> Binary,
        target -> Text,
        engine -> Text,
        created_at -> Timestamp,
        used_at -> Timestamp,
    }
}

diesel::table! {
    /// Terms.
    glossary_entries (id) {
        id -> Text,
        organization_id -> Text,
        translations -> Json,
        created_at -> Timestamp,
        updated_at -> Timestamp,
    }
}

diesel::table! {
    /// Usage of engines by day.
    engine_usage (organization_id, day, engine) {
        organization_id -> Text,
        day -> Timestamp,
        engine -> Text,
        words -> BigInt,
        characters -> BigInt,
        requests -> BigInt,
        tokens -> BigInt,
    }
}
