//! Spaces: a tree of pages with its history.
use crate::access::{Access, DefaultLevel, Guarded, Level, permissions};
use crate::change_request::Counters;
use crate::content::computed::ComputedSource;
use crate::content::order::OrderKey;
use crate::event::Audited;
use crate::id::{CollectionId, OrganizationId, RevisionId, SpaceId};
use crate::merge_rules::MergeRules;
use crate::patch::{Patch, changed, set};
use crate::retention;
use crate::site::SiteVisibility;
use crate::text::{Emoji, Language, SpaceTitle};
use crate::web_address::WebAddress;
use crate::words;
use chrono::{DateTime, Utc};
use serde_json::{Value, json};

/// The prefix of a duplicate's title.
const COPY: &str = "Copy";

words! {
    /// Who can read a space outside the API.
    #[derive(Default)]
    pub enum Visibility {
        /// Anyone; indexed by search engines.
        Public = "public",
        /// Anyone; not indexed.
        Unlisted = "unlisted",
        /// Anyone with a secret token in the address.
        ShareLink = "share-link",
        /// Anyone who authenticates with a JWT.
        VisitorAuth = "visitor-auth",
        /// Anyone who can access the parent collection.
        InCollection = "in-collection",
        /// Members with access.
        #[default]
        Private = "private",
    }
}

impl From<SiteVisibility> for Visibility {
    /// The visibility of a space on a site with this one.
    fn from(site: SiteVisibility) -> Self {
        match site {
            SiteVisibility::Public => Self::Public,
            SiteVisibility::Unlisted => Self::Unlisted,
            SiteVisibility::ShareLink => Self::ShareLink,
            SiteVisibility::VisitorAuth => Self::VisitorAuth,
        }
    }
}

words! {
    /// How a space is edited.
    #[derive(Default)]
    pub enum EditMode {
        /// Through change requests, imports and templates.
        #[default]
        Live = "live",
        /// Content edits are refused.
        Locked = "locked",
    }
}

/// A space.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Space {
    /// The id.
    pub id: SpaceId,
    /// The organization that owns it.
    pub organization: OrganizationId,
    /// The collection that contains it.
    pub parent: Option<CollectionId>,
    /// Its order among its siblings, spaces and collections alike.
    pub position: OrderKey,
    /// Its title; may be empty.
    pub title: SpaceTitle,
    /// Its emoji; empty if it has none, because the API requires a string.
    pub emoji: Emoji,
    /// Address of an icon, which replaces the emoji.
    pub icon: Option<WebAddress>,
    /// Who can read it outside the API.
    pub visibility: Visibility,
    /// How it is edited.
    pub edit_mode: EditMode,
    /// Role of members without a grant of their own.
    pub default_level: DefaultLevel,
    /// The language of its content.
    pub language: Option<Language>,
    /// Conditions for merging a change request.
    pub merge_rules: MergeRules,
    /// The address where the source files of its pages are edited; see [`WebAddress::of_file`].
    pub edit_url: Option<WebAddress>,
    /// The primary revision: the content that readers see.
    pub revision: RevisionId,
    /// Counts of its change requests and comments.
    pub counters: Counters,
    /// When the space was created.
    pub created_at: DateTime<Utc>,
    /// When it or its content last changed.
    pub updated_at: DateTime<Utc>,
    /// When it was deleted.
    pub deleted_at: Option<DateTime<Utc>>,
}

permissions! {
    /// What a member may do with a space (see `docs/access.md`).
    pub struct SpacePermissions {
        view = "view",
        access = "access",
        admin = "admin",
        view_invite_links = "viewInviteLinks",
        edit = "edit",
        trigger_git_sync = "triggerGitSync",
        comment = "comment",
        merge = "merge",
        review = "review",
        install_integration = "installIntegration",
    }
    internal {
        /// To read the primary content: members who may view the space, and visitors of a site that shows it.
        read,
    }
}

impl Guarded for Space {
    type Permissions = SpacePermissions;

    fn permissions(&self, access: &Access) -> SpacePermissions {
        let reads = access.at_least(Level::Read);
        let reviews = access.at_least(Level::Review);
        let manages = access.at_least(Level::Create);
        SpacePermissions {
            view: reads,
            access: reads,
            admin: manages,
            view_invite_links: manages,
            edit: access.at_least(Level::Edit),
            trigger_git_sync: manages,
            comment: access.at_least(Level::Comment),
            merge: reviews,
            review: reviews,
            install_integration: manages,
            read: reads || access.visits,
        }
    }

    fn visible(permissions: &SpacePermissions) -> bool {
        permissions.read
    }
}

impl Audited for Space {
    fn settings(&self) -> Vec<(&'static str, Value)> {
        vec![
            ("title", json!(self.title)),
            ("emoji", json!(self.emoji)),
            ("icon", json!(self.icon)),
            ("visibility", json!(self.visibility)),
            ("editMode", json!(self.edit_mode)),
            ("defaultLevel", json!(self.default_level.word())),
            ("language", json!(self.language)),
            ("mergeRules", json!(self.merge_rules)),
            ("editURL", json!(self.edit_url)),
        ]
    }
}

/// The initial settings of a new space.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewSpace {
    /// Its title; empty when absent.
    pub title: Option<SpaceTitle>,
    /// The collection that contains it.
    pub parent: Option<CollectionId>,
    /// Its emoji.
    pub emoji: Option<Emoji>,
    /// The language of its content.
    pub language: Option<Language>,
    /// How it is edited.
    pub edit_mode: EditMode,
    /// Whether it starts without a page; otherwise it starts with one empty page.
    pub empty: bool,
    /// What the pages that it starts with are generated from.
    pub computed: Option<ComputedSource>,
}

/// A change to a space's settings; absent fields keep their value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "see the fields of Space")]
pub struct SpacePatch {
    pub title: Option<SpaceTitle>,
    pub emoji: Patch<Emoji>,
    pub icon: Patch<WebAddress>,
    pub edit_mode: Option<EditMode>,
    pub default_level: Option<DefaultLevel>,
    pub language: Patch<Language>,
    pub merge_rules: Option<MergeRules>,
    pub edit_url: Patch<WebAddress>,
}

impl Space {
    /// The space as visitors of a published site see it: without what only members see.
    #[must_use]
    pub fn without_internals(self) -> Self {
        Self {
            parent: None,
            default_level: DefaultLevel::Inherit,
            merge_rules: MergeRules::default(),
            edit_url: None,
            counters: Counters::default(),
            ..self
        }
    }

    /// A new space: private, with the access and merge rules of its organization.
    pub fn new(
        id: SpaceId,
        organization: OrganizationId,
        revision: RevisionId,
        new: NewSpace,
        at: DateTime<Utc>,
    ) -> Self {
        let NewSpace { title, parent, emoji, language, edit_mode, empty: _, computed: _ } = new;
        Self {
            id,
            organization,
            parent,
            position: OrderKey::first(),
            title: title.unwrap_or_else(|| SpaceTitle::fitted("", "")),
            emoji: emoji.unwrap_or_else(|| Emoji::fitted("", "")),
            icon: None,
            visibility: Visibility::Private,
            edit_mode,
            default_level: DefaultLevel::Inherit,
            language,
            merge_rules: MergeRules::Inherit,
            edit_url: None,
            revision,
            counters: Counters::default(),
            created_at: at,
            updated_at: at,
            deleted_at: None,
        }
    }

    /// Applies a change of settings. Setting an emoji removes the icon; setting an icon removes the emoji. Returns the
    /// space before; `None` if nothing changed.
    pub fn update(&mut self, patch: SpacePatch, at: DateTime<Utc>) -> Option<Self> {
        let before = changed(self, |space| space.apply(patch))?;
        self.updated_at = at;
        Some(before)
    }

    fn apply(&mut self, patch: SpacePatch) {
        let SpacePatch { title, emoji, icon, edit_mode, default_level, language, merge_rules, edit_url } = patch;
        set(&mut self.title, title);
        match emoji {
            Patch::Keep => {}
            Patch::Clear => self.emoji = Emoji::fitted("", ""),
            Patch::Set(emoji) => {
                self.emoji = emoji;
                self.icon = None;
            }
        }
        if matches!(icon, Patch::Set(_)) {
            self.emoji = Emoji::fitted("", "");
        }
        icon.apply(&mut self.icon);
        set(&mut self.edit_mode, edit_mode);
        set(&mut self.default_level, default_level);
        language.apply(&mut self.language);
        set(&mut self.merge_rules, merge_rules);
        edit_url.apply(&mut self.edit_url);
    }

    /// Moves the space.
    pub fn put(&mut self, parent: Option<CollectionId>, position: OrderKey, at: DateTime<Utc>) {
        self.parent = parent;
        self.position = position;
        self.updated_at = at;
    }

    /// Transfers the space to the top level of another organization. Merge rules that name users are removed, because
    /// those users are not members there.
    pub fn transfer(&mut self, organization: OrganizationId, position: OrderKey, at: DateTime<Utc>) {
        self.organization = organization;
        self.merge_rules = std::mem::take(&mut self.merge_rules).without_users();
        self.put(None, position, at);
    }

    /// Deletes the space; it can be restored for a while.
    pub fn delete(&mut self, at: DateTime<Utc>) {
        self.deleted_at = Some(at);
    }

    /// Restores the space. Returns whether that was still possible.
    pub fn restore(&mut self, at: DateTime<Utc>) -> bool {
        let restorable = self.is_restorable(at);
        if restorable {
            self.deleted_at = None;
        }
        restorable
    }

    /// Whether the space is deleted and can be restored.
    pub fn is_restorable(&self, now: DateTime<Utc>) -> bool {
        self.deleted_at.is_some_and(|at| retention::is_restorable(at, now))
    }

    /// A new space with the settings of this one. It is private; change requests and comments stay with the original.
    #[must_use]
    pub fn duplicate(&self, id: SpaceId, revision: RevisionId, at: DateTime<Utc>) -> Self {
        let title = match self.title.as_str() {
            "" => COPY.to_owned(),
            title => format!("{COPY} of {title}"),
        };
        Self {
            id,
            title: SpaceTitle::fitted(&title, COPY),
            visibility: Visibility::Private,
            revision,
            counters: Counters::default(),
            created_at: at,
            updated_at: at,
            deleted_at: None,
            ..self.clone()
        }
    }

    /// Sets the primary revision.
    pub fn advance(&mut self, revision: RevisionId, at: DateTime<Utc>) {
        self.revision = revision;
        self.updated_at = at;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    fn space() -> Space {
        let new = NewSpace { title: "Docs".parse().ok(), emoji: "1f4d6".parse().ok(), ..NewSpace::default() };
        Space::new("s".parse().unwrap(), "o".parse().unwrap(), "r".parse().unwrap(), new, DateTime::UNIX_EPOCH)
    }

    #[rstest]
    #[case(Level::Guest, [false, false, false, false, false])]
    #[case(Level::Read, [true, false, false, false, false])]
    #[case(Level::Comment, [true, true, false, false, false])]
    #[case(Level::Edit, [true, true, true, false, false])]
    #[case(Level::Review, [true, true, true, true, false])]
    #[case(Level::Create, [true, true, true, true, true])]
    #[case(Level::Admin, [true, true, true, true, true])]
    fn rights_on_a_space_follow_the_level(#[case] level: Level, #[case] expected: [bool; 5]) {
        let may = space().permissions(&Access::new("u".parse().ok(), level));
        assert_eq!([may.view, may.comment, may.edit, may.merge, may.admin], expected);
    }

    #[rstest]
    #[case("Docs", "Copy of Docs")]
    #[case("", "Copy")]
    #[case(&"x".repeat(42), &format!("Copy of {}", "x".repeat(42)))]
    #[case(&"é".repeat(43), &format!("Copy of {}", "é".repeat(42)))]
    #[case(&"x".repeat(50), &format!("Copy of {}", "x".repeat(42)))]
    fn the_title_of_a_copy_fits(#[case] title: &str, #[case] expected: &str) {
        let original = Space { title: title.parse().unwrap(), ..space() };
        let copy = original.duplicate("t".parse().unwrap(), "q".parse().unwrap(), DateTime::UNIX_EPOCH);
        assert_eq!(copy.title.as_str(), expected);
    }

    #[test]
    fn a_copy_has_only_the_settings_of_the_original() {
        let original = Space {
            visibility: Visibility::Public,
            edit_mode: EditMode::Locked,
            default_level: DefaultLevel::NoAccess,
            edit_url: "https://example.org/edit/".parse().ok(),
            counters: Counters { total: 3, open: 1, draft: 1, comments: 2 },
            ..space()
        };
        let now = DateTime::UNIX_EPOCH + chrono::TimeDelta::days(1);
        let copy = original.duplicate("t".parse().unwrap(), "q".parse().unwrap(), now);
        let expected = Space {
            id: "t".parse().unwrap(),
            title: "Copy of Docs".parse().unwrap(),
            visibility: Visibility::Private,
            revision: "q".parse().unwrap(),
            counters: Counters::default(),
            created_at: now,
            updated_at: now,
            ..original
        };
        assert_eq!(copy, expected);
    }

    #[test]
    fn a_deleted_space_is_restored_unchanged_within_seven_days() {
        let at = DateTime::UNIX_EPOCH;
        let mut deleted = space();
        deleted.delete(at);
        assert_ne!(deleted, space());
        let mut late = deleted.clone();
        assert!(!late.restore(at + retention::RETENTION));
        assert_eq!(late, deleted);
        assert!(deleted.restore(at + retention::RETENTION - chrono::TimeDelta::seconds(1)));
        assert_eq!(deleted, space());
    }

    #[test]
    fn an_edit_url_is_kept_set_and_removed() {
        let (mut space, url) = (space(), "https://example.org/edit/");
        let patches = [Patch::Set(url.parse().unwrap()), Patch::Keep, Patch::Clear];
        let changed = patches.map(|edit_url| {
            space.update(SpacePatch { edit_url, ..SpacePatch::default() }, DateTime::UNIX_EPOCH);
            space.edit_url.as_ref().map(ToString::to_string)
        });
        assert_eq!(changed, [Some(url.to_owned()), Some(url.to_owned()), None]);
    }

    #[test]
    fn visitors_do_not_see_the_edit_url() {
        let original = Space { edit_url: "https://example.org/edit/".parse().ok(), ..space() };
        assert_eq!(original.without_internals().edit_url, None);
    }

    #[test]
    fn an_icon_replaces_the_emoji() {
        let mut space = space();
        let icon = Patch::Set("https://example.org/i.png".parse().unwrap());
        space.update(SpacePatch { icon, ..SpacePatch::default() }, DateTime::UNIX_EPOCH);
        assert_eq!((space.emoji.as_str(), space.icon.is_some()), ("", true));
    }
}
