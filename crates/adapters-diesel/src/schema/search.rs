//! The search index.

diesel::table! {
    /// Numbers of spaces.
    search_spaces (number) {
        number -> BigInt,
        space_id -> Text,
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
    /// What sections are found by.
    search_index (rowid) {
        rowid -> BigInt,
        /// Written by [`crate::sql::lexemes`] and asked by [`crate::sql::matches`] only.
        lexemes -> Text,
    }
}

diesel::table! {
    /// Known words by their variants.
    search_words (variant, word) {
        variant -> Text,
        word -> Text,
    }
}

diesel::allow_tables_to_appear_in_same_query!(search_sections, search_index);
