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

diesel::table! {
    /// Paths that pages of spaces had.
    former_paths (space_id, path_hash) {
        space_id -> Text,
        /// BLAKE3 of the path without regard to case: a path can be longer than a key of an index.
        path_hash -> Binary,
        path -> Text,
        page_id -> Text,
    }
}

diesel::table! {
    /// Anchors that headings of pages had.
    former_anchors (space_id, page_id) {
        space_id -> Text,
        page_id -> Text,
        /// A line for each, the newest first: the key of the heading, a space, and the anchor. Anchors have no blanks.
        anchors -> Text,
    }
}
