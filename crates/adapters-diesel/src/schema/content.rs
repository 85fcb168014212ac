//! Content.

diesel::table! {
    /// Immutable content, named by its hash.
    objects (hash) {
        /// BLAKE3 of the bytes, 32 bytes.
        hash -> Binary,
        /// The bytes as [`crate::objects`] packs them.
        data -> Binary,
    }
}

diesel::table! {
    /// Revisions of spaces and change requests.
    revisions (id) {
        id -> Text,
        space_id -> Text,
        parents -> Json,
        manifest -> Binary,
        kind -> Text,
        author_id -> Nullable<Text>,
        created_at -> Timestamp,
        git -> Nullable<Json>,
        merged_from -> Nullable<Text>,
        is_primary -> Bool,
    }
}

diesel::table! {
    /// The documents that any revision of a space has ever held.
    space_documents (space_id, hash) {
        space_id -> Text,
        hash -> Binary,
    }
}
