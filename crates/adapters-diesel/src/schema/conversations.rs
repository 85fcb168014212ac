//! Conversations with customers, their issues, and the clusters of these.

diesel::table! {
    /// Conversations.
    conversations (id) {
        id -> Text,
        organization_id -> Text,
        source -> Text,
        external_id -> Text,
        subject -> Nullable<Text>,
        url -> Nullable<Text>,
        /// The parts and the attributes, as JSON.
        content -> Text,
        hash -> Binary,
        language -> Nullable<Text>,
        impact -> Nullable<Text>,
        created_at -> Timestamp,
        ingested_at -> Timestamp,
        processed_at -> Nullable<Timestamp>,
        ask_again_at -> Nullable<Timestamp>,
    }
}

diesel::table! {
    /// Clusters of issues.
    issue_clusters (id) {
        id -> Text,
        organization_id -> Text,
        language -> Nullable<Text>,
        label -> Text,
        /// A document in its canonical encoding.
        summary -> Text,
        icon -> Text,
        impact -> Text,
        muted -> Bool,
        merged_into_id -> Nullable<Text>,
        issues -> Integer,
        conversations -> Integer,
        counts -> Nullable<Json>,
        described_issues -> Nullable<Integer>,
        created_at -> Timestamp,
        updated_at -> Timestamp,
    }
}

diesel::table! {
    /// Issues in conversations.
    conversation_issues (id) {
        id -> Text,
        organization_id -> Text,
        conversation_id -> Text,
        cluster_id -> Text,
        title -> Text,
        details -> Text,
        gist -> Nullable<Text>,
        impact -> Text,
        language -> Nullable<Text>,
        features -> Binary,
        features_version -> Integer,
        created_at -> Timestamp,
        ingested_at -> Timestamp,
    }
}

diesel::allow_tables_to_appear_in_same_query!(conversations, conversation_issues);
