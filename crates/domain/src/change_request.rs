//! Change requests: proposed changes to a space. They are reviewed, kept up to date with the primary content, and
//! merged.
use crate::content::document::Document;
use crate::event::Audited;
use crate::id::{ChangeRequestId, InvalidId, IssueClusterId, RevisionId, SpaceId, UserId};
use crate::patch::{Patch, changed, set};
use crate::space::Space;
use crate::text::{Rule, Text};
use crate::words;
use chrono::{DateTime, Utc};
use serde::Deserialize;
use serde_json::{Value, json};

mod links;

pub use links::{
    ChangeRequestLink, ChangeRequestLinkId, ChangeRequestLinkKind, ChangeRequestLinkTarget, ChangeRequestLinkTitle,
    ChangeRequestLinks, MAX_LINKS,
};

/// The subject of a change request; may be empty.
pub type Subject = Text<0, 100>;

/// A reference to a change request of a space.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ChangeRequestRef {
    /// By its id.
    Id(ChangeRequestId),
    /// By its number in the space.
    Number(u32),
}

impl std::fmt::Display for ChangeRequestRef {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Id(id) => id.fmt(f),
            Self::Number(number) => number.fmt(f),
        }
    }
}

impl std::str::FromStr for ChangeRequestRef {
    type Err = InvalidId;

    /// A text of digits is a number, because no id consists of digits only.
    fn from_str(raw: &str) -> Result<Self, InvalidId> {
        if !raw.is_empty() && raw.bytes().all(|byte| byte.is_ascii_digit()) {
            // A number that is too large refers to no change request.
            return Ok(Self::Number(raw.parse().unwrap_or(u32::MAX)));
        }
        raw.parse().map(Self::Id)
    }
}

impl<'de> Deserialize<'de> for ChangeRequestRef {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

words! {
    /// The status of a change request in the API.
    #[derive(PartialOrd, Ord)]
    pub enum Status {
        /// Being worked on.
        Draft = "draft",
        /// Ready for review.
        Open = "open",
        /// Set aside.
        Archived = "archived",
        /// Part of the primary content; it cannot change any more.
        Merged = "merged",
    }
}

/// The state of a change request, with its data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// Being worked on.
    Draft,
    /// Ready for review.
    Open,
    /// Set aside.
    Archived,
    /// Part of the primary content.
    Merged(Merge),
}

/// The merge of a change request into the primary content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Merge {
    /// The primary revision that the merge created.
    pub revision: RevisionId,
    /// The user who merged it; absent for the server's operator.
    pub by: Option<UserId>,
    /// When it was merged.
    pub at: DateTime<Utc>,
}

/// A change request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangeRequest {
    /// The id.
    pub id: ChangeRequestId,
    /// The space it proposes to change.
    pub space: SpaceId,
    /// Its number in the space. Numbers start at 1 and have no gaps.
    pub number: u32,
    /// The subject: one line.
    pub subject: Subject,
    /// The description.
    pub description: Option<Document>,
    /// Its state.
    pub state: State,
    /// The user who created it.
    pub created_by: UserId,
    /// When it was created.
    pub created_at: DateTime<Utc>,
    /// When it or its content last changed.
    pub updated_at: DateTime<Utc>,
    /// The revision with its content.
    pub revision: RevisionId,
    /// The primary revision that it started from.
    pub revision_initial: RevisionId,
    /// The newest primary revision that it was updated to; absent until the first update.
    pub revision_merged_ancestor: Option<RevisionId>,
    /// Number of open comments.
    pub comments: u32,
    /// The cluster of customers' issues that it is about.
    pub cluster: Option<IssueClusterId>,
    /// Links to what it is about elsewhere.
    pub links: ChangeRequestLinks,
}

impl Audited for ChangeRequest {
    fn settings(&self) -> Vec<(&'static str, Value)> {
        vec![("subject", json!(self.subject)), ("status", json!(self.status())), ("links", json!(self.links))]
    }
}

/// A change to the metadata of a change request; absent fields keep their value.
#[derive(Clone, Debug, Default, PartialEq)]
#[expect(missing_docs, reason = "see the fields of ChangeRequest")]
pub struct ChangeRequestPatch {
    pub subject: Option<Subject>,
    pub description: Patch<Document>,
    pub status: Option<ProposedStatus>,
    pub links: Option<ChangeRequestLinks>,
}

words! {
    /// A status that a caller can set. Merging is a separate operation.
    pub enum ProposedStatus {
        /// See [`Status::Draft`].
        Draft = "draft",
        /// See [`Status::Open`].
        Open = "open",
        /// See [`Status::Archived`].
        Archived = "archived",
    }
}

impl ChangeRequest {
    /// A new change request: a draft with the content of the space.
    pub fn new(
        id: ChangeRequestId,
        space: &Space,
        number: u32,
        subject: Subject,
        created_by: UserId,
        at: DateTime<Utc>,
    ) -> Self {
        Self {
            id,
            space: space.id.clone(),
            number,
            subject,
            description: None,
            state: State::Draft,
            created_by,
            created_at: at,
            updated_at: at,
            revision: space.revision.clone(),
            revision_initial: space.revision.clone(),
            revision_merged_ancestor: None,
            comments: 0,
            cluster: None,
            links: ChangeRequestLinks::default(),
        }
    }

    /// The status without its data.
    pub fn status(&self) -> Status {
        match self.state {
            State::Draft => Status::Draft,
            State::Open => Status::Open,
            State::Archived => Status::Archived,
            State::Merged(_) => Status::Merged,
        }
    }

    /// The newest primary revision in its history: the common base of a merge.
    pub fn ancestor(&self) -> &RevisionId {
        self.revision_merged_ancestor.as_ref().unwrap_or(&self.revision_initial)
    }

    /// Whether the primary content has changed since. A merged change request is never outdated.
    pub fn outdated(&self, primary: &RevisionId) -> bool {
        !matches!(self.state, State::Merged(_)) && self.ancestor() != primary
    }

    /// Checks that its metadata may change: it must not be merged.
    ///
    /// # Errors
    /// The rule.
    pub fn check_changeable(&self) -> Result<(), Rule> {
        match self.state {
            State::Merged(_) => Err(Rule(format!("change request {} is merged and cannot be changed", self.number))),
            State::Draft | State::Open | State::Archived => Ok(()),
        }
    }

    /// Checks that its content may change: it must not be merged or archived.
    ///
    /// # Errors
    /// The rule.
    pub fn check_writable(&self) -> Result<(), Rule> {
        self.check_changeable()?;
        match self.state {
            State::Archived => {
                Err(Rule(format!("change request {} is archived: set its status to draft or open first", self.number)))
            }
            State::Draft | State::Open | State::Merged(_) => Ok(()),
        }
    }

    /// Applies a change of its metadata. Returns the change request before; `None` if nothing changed.
    pub fn update(&mut self, patch: ChangeRequestPatch, at: DateTime<Utc>) -> Option<Self> {
        let before = changed(self, |request| request.apply(patch))?;
        self.updated_at = at;
        Some(before)
    }

    fn apply(&mut self, patch: ChangeRequestPatch) {
        let ChangeRequestPatch { subject, description, status, links } = patch;
        set(&mut self.subject, subject);
        set(&mut self.links, links);
        description.apply(&mut self.description);
        self.state = match status {
            None => self.state.clone(),
            Some(ProposedStatus::Draft) => State::Draft,
            Some(ProposedStatus::Open) => State::Open,
            Some(ProposedStatus::Archived) => State::Archived,
        };
    }

    /// Sets new content.
    pub fn advance(&mut self, revision: RevisionId, at: DateTime<Utc>) {
        self.revision = revision;
        self.updated_at = at;
    }

    /// Sets new content that includes all changes up to the revision `primary`.
    pub fn bring_up_to_date(&mut self, revision: RevisionId, primary: RevisionId, at: DateTime<Utc>) {
        self.advance(revision, at);
        self.revision_merged_ancestor = Some(primary);
    }

    /// Marks it as merged.
    pub fn merge(&mut self, merge: Merge) {
        self.updated_at = merge.at;
        self.state = State::Merged(merge);
    }
}

/// Number of change requests of a space by status. Stored with the space, and updated in the same unit of work as the
/// change request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// All change requests. This is also the highest number, because change requests are never deleted.
    pub total: u32,
    /// Open change requests.
    pub open: u32,
    /// Draft change requests.
    pub draft: u32,
    /// Open comments on the primary content.
    pub comments: u32,
}

impl Counters {
    /// Counts a new draft and returns its number.
    pub fn create(&mut self) -> u32 {
        self.total += 1;
        self.draft += 1;
        self.total
    }

    /// Updates the counters for a change of status.
    pub fn follow(&mut self, from: Status, to: Status) {
        self.add(from, -1);
        self.add(to, 1);
    }

    fn add(&mut self, status: Status, change: i32) {
        match status {
            Status::Draft => self.draft = self.draft.saturating_add_signed(change),
            Status::Open => self.open = self.open.saturating_add_signed(change),
            Status::Archived | Status::Merged => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::space::NewSpace;
    use proptest::prelude::*;
    use rstest::rstest;

    fn at(seconds: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(seconds, 0).unwrap()
    }
    fn change_request() -> ChangeRequest {
        let ids = ("s".parse().unwrap(), "o".parse().unwrap(), "r1".parse().unwrap());
        let space = Space::new(ids.0, ids.1, ids.2, NewSpace::default(), at(0));
        ChangeRequest::new("c".parse().unwrap(), &space, 1, Subject::fitted("Fix", ""), "u".parse().unwrap(), at(0))
    }
    fn merged() -> ChangeRequest {
        let mut merged = change_request();
        merged.merge(Merge { revision: "r2".parse().unwrap(), by: None, at: at(2) });
        merged
    }

    #[rstest]
    #[case("7", Some(ChangeRequestRef::Number(7)))]
    #[case("0193a1f0-7c5e-7000-8000-000000000000", "0193a1f0-7c5e-7000-8000-000000000000".parse().ok().map(ChangeRequestRef::Id))]
    #[case("99999999999", Some(ChangeRequestRef::Number(u32::MAX)))]
    #[case("", None)]
    #[case("a b", None)]
    fn it_is_named_by_id_or_by_number(#[case] raw: &str, #[case] expected: Option<ChangeRequestRef>) {
        assert_eq!(raw.parse().ok(), expected);
    }

    #[test]
    fn a_new_one_is_a_draft_with_the_content_of_the_space() {
        let new = change_request();
        assert_eq!((new.status(), new.revision.as_str(), new.ancestor().as_str()), (Status::Draft, "r1", "r1"));
        assert!(!new.outdated(&"r1".parse().unwrap()) && new.outdated(&"r2".parse().unwrap()));
    }

    #[test]
    fn after_an_update_outdated_compares_with_the_new_revision() {
        let mut request = change_request();
        request.bring_up_to_date("r3".parse().unwrap(), "r2".parse().unwrap(), at(1));
        assert!(!request.outdated(&"r2".parse().unwrap()) && request.outdated(&"r1".parse().unwrap()));
        assert_eq!((request.revision.as_str(), request.updated_at), ("r3", at(1)));
    }

    #[test]
    fn a_merged_change_request_never_changes_and_is_never_outdated() {
        let merged = merged();
        assert!(merged.check_changeable().is_err() && merged.check_writable().is_err());
        assert!(!merged.outdated(&"another".parse().unwrap()));
    }

    #[rstest]
    #[case(ProposedStatus::Draft, true)]
    #[case(ProposedStatus::Open, true)]
    #[case(ProposedStatus::Archived, false)]
    fn an_archived_change_request_can_be_reopened_but_not_edited(
        #[case] status: ProposedStatus,
        #[case] writable: bool,
    ) {
        let mut request = change_request();
        request.update(ChangeRequestPatch { status: Some(status), ..ChangeRequestPatch::default() }, at(1));
        assert!(request.check_changeable().is_ok());
        assert_eq!(request.check_writable().is_ok(), writable);
    }

    #[test]
    fn a_patch_keeps_fields_that_it_does_not_set() {
        let mut request = change_request();
        assert_eq!(request.update(ChangeRequestPatch::default(), at(1)), None);
        assert_eq!(request, change_request());
    }

    proptest! {
        #[test]
        fn counters_equal_a_fresh_count(moves in prop::collection::vec((0usize..5, 0usize..4), 0..60)) {
            let states = [Status::Draft, Status::Open, Status::Archived, Status::Merged];
            let mut counters = Counters::default();
            let mut all: Vec<Status> = Vec::new();
            for (which, to) in moves {
                if which >= all.len() {
                    prop_assert_eq!(counters.create() as usize, all.len() + 1);
                    all.push(Status::Draft);
                } else {
                    counters.follow(all[which], states[to]);
                    all[which] = states[to];
                }
            }
            let count = |status| all.iter().filter(|found| **found == status).count() as u32;
            prop_assert_eq!(counters.total as usize, all.len());
            prop_assert_eq!((counters.open, counters.draft), (count(Status::Open), count(Status::Draft)));
        }
    }
}
