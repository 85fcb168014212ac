//! Teams, invites, and instructions for agents.

diesel::table! {
    /// Teams of members of one organization.
    teams (id) {
        id -> Text,
        organization_id -> Text,
        title -> Text,
        /// The title for searches; see [`domain::text::folded`].
        folded -> Text,
        created_at -> Timestamp,
    }
}

diesel::table! {
    /// Members and owners of teams.
    team_members (team_id, user_id) {
        team_id -> Text,
        user_id -> Text,
        role -> Text,
        joined_at -> Timestamp,
    }
}

diesel::table! {
    /// Invites by link: to an organization, or to a space or a collection of it.
    link_invites (id) {
        id -> Text,
        organization_id -> Text,
        space_id -> Nullable<Text>,
        collection_id -> Nullable<Text>,
        role -> Nullable<Text>,
        created_by -> Nullable<Text>,
        created_at -> Timestamp,
    }
}

diesel::table! {
    /// Instructions of an organization for agents.
    agent_instructions (organization_id) {
        organization_id -> Text,
        /// A document in its canonical encoding.
        instructions -> Text,
        updated_at -> Timestamp,
        updated_by -> Nullable<Text>,
    }
}
