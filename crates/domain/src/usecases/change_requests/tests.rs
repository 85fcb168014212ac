//! The calls of change requests to their ports, and the state after a refused operation.
use super::*;
use crate::access::{Membership, Role};
use crate::change_request::Status;
use crate::content::object::{Hash, MemoryObjects, Scratch};
use crate::content::order::OrderKey;
use crate::content::page::{PageEntry, PageKind};
use crate::content::revision::{Revision, RevisionKind};
use crate::content::snapshot::{Edits, Snapshot};
use crate::id::UserId;
use crate::idempotency::IdempotencyKey;
use crate::merge_rules::{MergeRule, MergeRules};
use crate::organization::Organization;
use crate::ports::StoreError;
use crate::ports::files::MockFiles;
use crate::ports::store::organizations::OrganizationForUser;
use crate::ports::store::spaces::ForUser;
use crate::ports::testing::{MockTx, Offline, token};
use crate::review::Verdict;
use crate::space::NewSpace;
use crate::user::User;
use chrono::{DateTime, Utc};
use rstest::rstest;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

const AT: DateTime<Utc> = DateTime::UNIX_EPOCH;

/// The content of three revisions: `base`, `head` with one more page, and `moved` with another one.
struct Content {
    objects: MemoryObjects,
    manifests: BTreeMap<&'static str, Hash>,
}

impl Content {
    fn new() -> Self {
        let mut content = Self { objects: MemoryObjects::default(), manifests: BTreeMap::new() };
        let base = content.add("base", &Snapshot::default(), "first");
        content.add("head", &base, "second");
        content.add("moved", &base, "third");
        content
    }

    fn add(&mut self, name: &'static str, from: &Snapshot, page: &str) -> Snapshot {
        let order = OrderKey::sequence(1).remove(0);
        let entry = PageEntry::new(PageKind::Document { document: None }, page, page, order, AT);
        let mut edits = Edits::default();
        edits.pages.insert(page.parse().unwrap(), Some(entry));
        let (snapshot, manifest, written) = {
            let mut scratch = Scratch::new(&self.objects);
            let snapshot = from.edit(&mut scratch, &edits).unwrap().unwrap();
            let manifest = snapshot.store(&mut scratch);
            (snapshot, manifest, scratch.into_written())
        };
        self.objects.extend(written);
        self.manifests.insert(name, manifest);
        snapshot
    }
}

fn space(revision: &str, rules: MergeRules) -> Space {
    let ids = ("s".parse().unwrap(), "o".parse().unwrap(), revision.parse().unwrap());
    Space { merge_rules: rules, ..Space::new(ids.0, ids.1, ids.2, NewSpace::default(), AT) }
}

fn request() -> ChangeRequest {
    let subject = Subject::fitted("Fix", "");
    let new = ChangeRequest::new(
        "c".parse().unwrap(),
        &space("base", MergeRules::None),
        1,
        subject,
        "ada".parse().unwrap(),
        AT,
    );
    ChangeRequest { revision: "head".parse().unwrap(), ..new }
}

/// A unit of work over a space at a revision, for Ada in this role. Calls that save must be expected in addition.
fn unit(revision: &'static str, role: Role, rules: MergeRules) -> MockTx {
    let membership = Some(Membership { role: Some(role), disabled: false });
    let mut tx = MockTx::default();
    tx.tokens.expect_find().returning(|_| Ok(Some(token("ada".parse().unwrap()))));
    tx.users.expect_find_many().returning(|ids| {
        let user = |id: &UserId| User {
            id: id.clone(),
            display_name: "Ada".parse().unwrap(),
            email: "ada@example.org".parse().unwrap(),
            email_verified: true,
            photo_url: None,
            created_at: AT,
        };
        Ok(ids.iter().map(user).collect())
    });
    tx.spaces.expect_find().returning(move |_, _| {
        Ok(Some(ForUser { entity: space(revision, rules.clone()), membership, places: Vec::new() }))
    });
    tx.organizations.expect_find().returning(move |id, _| {
        let organization = Organization::new(id.clone(), "Docs".parse().unwrap(), AT);
        Ok(Some(OrganizationForUser { organization, membership, owns_team: false }))
    });
    tx.members.expect_named().returning(|_, _, _| Ok(Vec::new()));
    tx.members.expect_find_many().returning(|_, _| Ok(Vec::new()));
    tx.change_requests.expect_find().returning(|_, _| Ok(Some(request())));
    tx.change_requests.expect_conflicts().returning(|_| Ok(Vec::new()));
    tx.reviews.expect_current().returning(|_| Ok(Vec::new()));
    tx.reviews.expect_requested().returning(|_| Ok(Vec::new()));
    let content = Content::new();
    let manifests = content.manifests;
    let revision = move |id: &RevisionId| {
        manifests.get(id.as_str()).map(|manifest| Revision {
            id: id.clone(),
            space: "s".parse().unwrap(),
            parents: Vec::new(),
            manifest: *manifest,
            kind: RevisionKind::Edits,
            author: None,
            created_at: AT,
            git: None,
            merged_from: None,
            is_primary: true,
        })
    };
    let one = revision.clone();
    tx.content.expect_revision().returning(move |_, id| Ok(one(id)));
    tx.content.expect_revisions().returning(move |ids| Ok(ids.iter().filter_map(&revision).collect()));
    let objects = content.objects;
    tx.content.expect_objects().returning(move |hashes| {
        use crate::content::object::Objects;
        Ok(hashes.iter().filter_map(|hash| Some((*hash, objects.get(hash)?))).collect())
    });
    tx
}

/// The same, expecting a merge into the primary content.
fn landing(revision: &'static str, parents: [&'static str; 2]) -> MockTx {
    let mut tx = unit(revision, Role::Review, MergeRules::None);
    tx.content.expect_put_objects().returning(|_| Ok(()));
    tx.content
        .expect_insert_revision()
        .withf(move |new| new.kind == RevisionKind::Merge && new.parents.iter().map(RevisionId::as_str).eq(parents))
        .times(1)
        .returning(|_| Ok(()));
    tx.content.expect_record_documents().returning(|_, _| Ok(()));
    tx.search.expect_remove().returning(|_, _| Ok(()));
    tx.search.expect_insert().returning(|_, _| Ok(()));
    tx.search.expect_add_words().returning(|_| Ok(()));
    tx.spaces.expect_save().times(1).returning(|_| Ok(()));
    tx.change_requests.expect_save().withf(|saved| saved.status() == Status::Merged).times(1).returning(|_| Ok(()));
    tx.events.expect_record().returning(|_| Ok(()));
    tx
}

fn usecase(units: impl IntoIterator<Item = MockTx>) -> (ChangeRequests, Arc<AtomicBool>) {
    let (store, committed) = MockTx::script(units);
    let usecase = ChangeRequests {
        units: Units::over(store),
        files: Arc::new(MockFiles::new()),
        fetcher: Arc::new(Offline),
        drafts: false,
    };
    (usecase, committed)
}

fn ada() -> Actor {
    Actor::of("ada".parse().unwrap(), "t".parse().unwrap())
}
fn place() -> (SpaceId, ChangeRequestRef) {
    ("s".parse().unwrap(), ChangeRequestRef::Number(1))
}

#[tokio::test]
async fn a_merge_with_unchanged_inputs_is_stored_as_computed() {
    let (usecase, committed) =
        usecase([unit("base", Role::Review, MergeRules::None), landing("base", ["base", "head"])]);
    let (space, which) = place();
    let outcome = usecase.merge(&ada(), &space, &which).await.unwrap();
    assert!(!outcome.conflicts && committed.load(Ordering::SeqCst));
}

#[tokio::test]
async fn a_join_is_worked_out_again_when_the_primary_content_moved_meanwhile() {
    let seen = |revision| unit(revision, Role::Review, MergeRules::None);
    let (usecase, committed) =
        usecase([seen("base"), seen("moved"), seen("moved"), landing("moved", ["moved", "head"])]);
    let (space, which) = place();
    let outcome = usecase.merge(&ada(), &space, &which).await.unwrap();
    assert!(!outcome.conflicts && committed.load(Ordering::SeqCst));
}

#[tokio::test]
async fn a_repeatedly_outdated_merge_is_computed_under_the_lock() {
    let seen = |revision| unit(revision, Role::Review, MergeRules::None);
    let (usecase, committed) = usecase([
        seen("base"),
        seen("moved"),
        seen("base"),
        seen("moved"),
        seen("base"),
        landing("moved", ["moved", "head"]),
    ]);
    let (space, which) = place();
    let outcome = usecase.merge(&ada(), &space, &which).await.unwrap();
    assert!(!outcome.conflicts && committed.load(Ordering::SeqCst));
}

#[tokio::test]
async fn a_violated_merge_rule_prevents_the_merge() {
    let rules = || MergeRules::Rules { rules: vec![MergeRule::RequireAtLeastOneReview] };
    let (usecase, committed) = usecase([unit("base", Role::Review, rules()), unit("base", Role::Review, rules())]);
    let (space, which) = place();
    let refused = usecase.merge(&ada(), &space, &which).await;
    assert!(
        matches!(&refused, Err(Error::Forbidden(why)) if why.contains("at least one review is required")),
        "{refused:?}"
    );
    assert!(!committed.load(Ordering::SeqCst));
}

#[tokio::test]
async fn rules_that_are_added_during_a_merge_are_checked_under_the_lock_of_the_organization() {
    let unruled = || unit("base", Role::Review, MergeRules::None);
    let ruled = || unit("base", Role::Review, MergeRules::Rules { rules: vec![MergeRule::RequireAtLeastOneReview] });
    let (space, which) = place();
    let (refusing, committed) = usecase([unruled(), ruled(), ruled(), ruled()]);
    assert!(matches!(refusing.merge(&ada(), &space, &which).await, Err(Error::Forbidden(_))));
    assert!(!committed.load(Ordering::SeqCst));
    let (merging, committed) = usecase([unruled(), ruled(), unruled(), landing("base", ["base", "head"])]);
    assert!(!merging.merge(&ada(), &space, &which).await.unwrap().conflicts);
    assert!(committed.load(Ordering::SeqCst), "they were removed again");
}

#[tokio::test]
async fn a_merge_locks_the_organization_only_if_rules_apply() {
    let rules = || MergeRules::Rules { rules: vec![MergeRule::RequireAtLeastOneReview] };
    for (rules, locks) in [(MergeRules::None, 0), (rules(), 1)] {
        let kept = Arc::new(AtomicUsize::new(0));
        let counted = |mut tx: MockTx| {
            tx.shared_locks = Arc::clone(&kept);
            tx
        };
        let (usecase, _) =
            usecase([counted(unit("base", Role::Review, rules)), counted(landing("base", ["base", "head"]))]);
        let (space, which) = place();
        assert!(!usecase.merge(&ada(), &space, &which).await.unwrap().conflicts);
        assert_eq!(kept.load(Ordering::SeqCst), locks);
    }
}

#[rstest]
#[case(Role::Read)]
#[case(Role::Edit)]
#[tokio::test]
async fn only_reviewers_merge(#[case] role: Role) {
    let (usecase, committed) = usecase([unit("base", role, MergeRules::None)]);
    let (space, which) = place();
    assert!(matches!(usecase.merge(&ada(), &space, &which).await, Err(Error::Forbidden(_))));
    assert!(!committed.load(Ordering::SeqCst));
}

#[tokio::test]
async fn a_caller_without_an_account_creates_no_change_request() {
    let (usecase, committed) = usecase([unit("base", Role::Admin, MergeRules::None)]);
    let (space, _) = place();
    let answer = usecase.create(&Actor::Operator, &space, NewChangeRequest::default().into()).await;
    assert!(matches!(answer, Err(Error::Forbidden(_))) && !committed.load(Ordering::SeqCst));
}

#[tokio::test]
async fn a_review_by_a_caller_without_permission_or_request_is_refused() {
    let (usecase, committed) = usecase([unit("base", Role::Edit, MergeRules::None)]);
    let (space, which) = place();
    let review = SubmitReview { verdict: Verdict::Approved, comment: None };
    let answer = usecase.submit_review(&ada(), &space, &which, review.into()).await;
    assert!(matches!(answer, Err(Error::Forbidden(_))) && !committed.load(Ordering::SeqCst));
}

#[tokio::test]
async fn a_request_with_the_key_of_a_running_request_is_a_conflict() {
    let mut tx = unit("base", Role::Edit, MergeRules::None);
    let taken = |_: &UserId, _: &IdempotencyKey, _, _| Err(StoreError::Conflict("Idempotency-Key".into()));
    tx.idempotency.expect_begin().times(1).returning(taken);
    let (usecase, committed) = usecase([tx]);
    let idempotency_key = Some(IdempotencyKey::new("k", [1; 32]).unwrap());
    let mut actor = ada();
    if let Actor::User { idempotency_key: sent, .. } = &mut actor {
        *sent = idempotency_key;
    }
    let (space, _) = place();
    let answer = usecase.create(&actor, &space, NewChangeRequest::default().into()).await;
    assert!(matches!(&answer, Err(Error::Conflict(why)) if why.contains("Idempotency-Key")), "{answer:?}");
    assert!(!committed.load(Ordering::SeqCst));
}
