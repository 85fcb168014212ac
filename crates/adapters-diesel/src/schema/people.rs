//! Teams, invites, and what organizations tell agents.

diesel::table! {
    /// Teams of members of one organization.
    teams (id) {
        id -> Text,
        organization_id -> Text,
        title -> Text,
        /// See [`domain::text::folded`].
        folded -> Text,
        created_at -> Timestamp,
    }
}

diesel::table! {
    /// Who belongs to a team, and who manages it.
    team_members (team_id, user_id) {
        team_id -> Text,
        user_id -> Text,
        role -> Text,
        joined_at -> Timestamp,
    }
}

diesel::table! {
    /// Invites for whoever has their id.
    link_invites (id) {
        id -> Text,
        organization_id -> Text,
        place -> Nullable<Text>,
        place_id -> Nullable<Text>,
        role -> Nullable<Text>,
        created_by -> Nullable<Text>,
        created_at -> Timestamp,
    }
}

diesel::table! {
    /// What an organization tells agents that work on its content.
    agent_instructions (organization_id) {
        organization_id -> Text,
        /// In its canonical encoding.
        instructions -> Text,
        updated_at -> Timestamp,
        updated_by -> Nullable<Text>,
    }
}
