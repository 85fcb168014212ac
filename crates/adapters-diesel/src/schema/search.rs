//! The search index.

diesel::table! {
    /// The version of the indexer of each space in the index.
    search_spaces (space_id) {
        space_id -> Text,
        version -> Nullable<Integer>,
    }
}

diesel::table! {
    /// The parts in which spaces are indexed.
    search_parts (number) {
        number -> BigInt,
        space_id -> Text,
        first_section -> BigInt,
        sections -> BigInt,
    }
}

diesel::table! {
    /// The reusable contents that the entries of pages depend on.
    search_inclusions (space_id, reusable_content_id, page_id) {
        space_id -> Text,
        reusable_content_id -> Text,
        page_id -> Text,
    }
}

diesel::table! {
    /// Sections of pages.
    search_sections (id) {
        id -> BigInt,
        space_id -> Text,
        page_id -> Text,
        ordinal -> Integer,
        terms -> Text,
        anchor -> Nullable<Text>,
        heading -> Text,
        body -> Text,
    }
}

diesel::table! {
    /// The terms of sections.
    search_index (rowid) {
        rowid -> BigInt,
        /// Written only with [`crate::sql::lexemes`] and matched only with [`crate::sql::matching_sections`],
        /// [`crate::sql::best_sections`] and [`crate::sql::occurring`].
        lexemes -> Text,
    }
}

diesel::table! {
    /// Known words, by their variants.
    search_words (variant, word) {
        variant -> Text,
        word -> Text,
    }
}

diesel::allow_tables_to_appear_in_same_query!(search_sections, search_index);
