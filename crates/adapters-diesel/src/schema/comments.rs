//! Comments, their replies and reactions.

diesel::table! {
    /// Comments on spaces and change requests.
    comments (id) {
        id -> Text,
        space_id -> Text,
        change_request_id -> Nullable<Text>,
        /// The change request, or else the space.
        discussion_id -> Text,
        review_id -> Nullable<Text>,
        revision_id -> Text,
        page_id -> Nullable<Text>,
        node -> Nullable<Text>,
        record -> Nullable<Text>,
        definition -> Nullable<Text>,
        quote -> Nullable<Text>,
        /// A document in its canonical encoding.
        body -> Text,
        posted_by -> Text,
        posted_at -> Timestamp,
        edited_at -> Nullable<Timestamp>,
        resolved_by -> Nullable<Text>,
        resolved_at -> Nullable<Timestamp>,
    }
}

diesel::table! {
    /// Replies to comments.
    comment_replies (id) {
        id -> Text,
        comment_id -> Text,
        discussion_id -> Text,
        /// A document in its canonical encoding.
        body -> Text,
        posted_by -> Text,
        posted_at -> Timestamp,
        edited_at -> Nullable<Timestamp>,
    }
}

diesel::table! {
    /// How many open comments each space has, without those of its change requests. The number is the sum of the rows
    /// of a space.
    comment_counts (id) {
        id -> BigInt,
        space_id -> Text,
        /// Changed only with [`crate::sql::count_comments`].
        comments -> BigInt,
    }
}

diesel::table! {
    /// Reactions to comments and replies.
    comment_reactions (text_id, emoji, user_id) {
        /// The reply, or else the comment.
        text_id -> Text,
        emoji -> Text,
        user_id -> Text,
        comment_id -> Text,
        reply_id -> Nullable<Text>,
        reacted_at -> Timestamp,
    }
}
