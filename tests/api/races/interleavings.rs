//! Changes made by others between the read and the write of a use case are taken into account.
use acceptance::{Editor, Fields, Fixture, Interleaved, World};
use domain::access::Role;
use domain::change_request::{ChangeRequestPatch, ProposedStatus};
use domain::id::OrganizationId;
use domain::merge_rules::{MergeRule, MergeRules};
use domain::organization::OrganizationPatch;
use domain::review::Verdict;
use domain::space::{EditMode, SpacePatch};
use domain::usecases::{Error, Precondition};

/// An editor whose store runs `event` before its first write.
fn while_(editor: &Editor, event: impl Future<Output = ()> + Send + 'static) -> Editor {
    editor.with_store(Interleaved::new(editor.services.store.clone(), event))
}

fn strict() -> MergeRules {
    MergeRules::Rules { rules: vec![MergeRule::RequireAtLeastOneApprovedReview] }
}

async fn set_space(editor: Editor, patch: SpacePatch) {
    editor.services.spaces.update(&editor.actor, &editor.space, Precondition::none(), patch.into()).await.unwrap();
}

async fn set_rules_of_organization(editor: Editor, organization: OrganizationId, rules: MergeRules) {
    let patch = OrganizationPatch { merge_rules: Some(rules), ..OrganizationPatch::default() };
    let organizations = &editor.services.organizations;
    organizations.update(&editor.actor, &organization, Precondition::none(), patch.into()).await.unwrap();
}

#[acceptance::test]
#[case::of_the_organization(true)]
#[case::of_the_space(false)]
async fn a_rule_that_is_added_during_a_merge_blocks_it(world: World, #[case] of_organization: bool) {
    let space = world.import(&Fixture::guide()).await;
    let editor = Editor::of(&world, &world.ada, &space).await;
    let request = editor.propose("").await;
    let (other, organization) = (editor.clone(), world.organization.clone());
    let rule = async move {
        if of_organization {
            set_rules_of_organization(other, organization, strict()).await;
        } else {
            set_space(other, SpacePatch { merge_rules: Some(strict()), ..SpacePatch::default() }).await;
        }
    };
    let refused = while_(&editor, rule).merge(&request).await;
    assert!(matches!(&refused, Err(Error::Forbidden(why)) if why.contains("approving review")), "{refused:?}");
}

#[acceptance::test]
async fn a_rule_that_is_removed_during_a_merge_does_not_block_it(world: World) {
    let space = world.import(&Fixture::guide()).await;
    let editor = Editor::of(&world, &world.ada, &space).await;
    set_rules_of_organization(editor.clone(), world.organization.clone(), strict()).await;
    let request = editor.propose("").await;
    assert!(matches!(editor.merge(&request).await, Err(Error::Forbidden(_))));
    let none = set_rules_of_organization(editor.clone(), world.organization.clone(), MergeRules::None);
    assert!(!while_(&editor, none).merge(&request).await.unwrap().conflicts);
}

#[acceptance::test]
#[case("Download the tarball.", "Download the installer.", true)]
#[case("Download the package.\n\nSee below.\n\nThat is all.", "Download the package.", false)]
async fn a_merge_includes_changes_that_were_merged_concurrently(
    world: World,
    #[case] first: &str,
    #[case] second: &str,
    #[case] collide: bool,
) {
    let space = world.import(&Fixture::guide()).await;
    let editor = Editor::of(&world, &world.ada, &space).await;
    let page = world.page(&space, "install/macos").await;
    let (one, two) = (editor.propose("One").await, editor.propose("Two").await);
    editor.rewrite(&one, &page, first).await;
    editor.rewrite(&two, &page, second).await;
    editor.insert(&two, "Another page", None).await.unwrap();
    let other = editor.clone();
    let landed = async move { assert!(!other.merge(&one).await.unwrap().conflicts) };
    let outcome = while_(&editor, landed).merge(&two).await.unwrap();
    assert_eq!(outcome.conflicts, collide);
    let primary = world.ada.get(&format!("/spaces/{space}/content")).await.ok();
    assert_eq!(primary["id"] == outcome.revision.as_str(), !collide);
    let text = world.ada.get(&format!("/spaces/{space}/content/page/{page}?format=markdown")).await.ok();
    assert!(text.text("markdown").contains(first), "{text}");
    assert_eq!(primary.to_string().contains("Another page"), !collide);
}

#[acceptance::test]
async fn a_lock_that_comes_while_a_merge_is_worked_out_holds(world: World) {
    let space = world.import(&Fixture::guide()).await;
    let editor = Editor::of(&world, &world.ada, &space).await;
    let request = editor.propose("").await;
    let lock = set_space(editor.clone(), SpacePatch { edit_mode: Some(EditMode::Locked), ..SpacePatch::default() });
    let refused = while_(&editor, lock).merge(&request).await;
    assert!(matches!(&refused, Err(Error::Conflict(why)) if why.contains("locked")), "{refused:?}");
}

#[acceptance::test]
#[case::at_any_revision(false)]
#[case::at_the_one_that_was_read(true)]
async fn a_batch_is_based_on_concurrent_edits_or_is_refused(world: World, #[case] conditional: bool) {
    let space = world.import(&Fixture::guide()).await;
    let editor = Editor::of(&world, &world.ada, &space).await;
    let request = editor.propose("").await;
    let at = conditional.then(|| editor.get(&request));
    let at = match at {
        Some(read) => Some(read.await.request.revision),
        None => None,
    };
    let (other, same) = (editor.clone(), request.clone());
    let edit = async move { drop(other.insert(&same, "First", None).await.unwrap()) };
    let edited = while_(&editor, edit).insert(&request, "Second", at).await;
    let content = world.ada.get(&format!("/spaces/{space}/change-requests/{request}/content")).await.ok().to_string();
    assert!(content.contains("\"First\""), "{content}");
    assert_eq!(content.contains("\"Second\""), !conditional, "{content}");
    match edited {
        Ok(_) => assert!(!conditional),
        Err(error) => assert!(conditional && matches!(error, Error::PreconditionFailed(_)), "{error:?}"),
    }
}

#[acceptance::test]
async fn a_merge_is_checked_against_the_state_at_its_commit(world: World) {
    let space = world.import(&Fixture::guide()).await;
    let bob = world.member("bob", Some(Role::Review)).await;
    let (ada, bob) = (Editor::of(&world, &world.ada, &space).await, Editor::of(&world, &bob, &space).await);
    set_space(ada.clone(), SpacePatch { merge_rules: Some(strict()), ..SpacePatch::default() }).await;
    let approved = async || {
        let request = ada.propose("").await;
        bob.review(&request, Verdict::Approved).await.unwrap();
        (request.clone(), request)
    };

    let (request, same) = approved().await;
    let reviewer = bob.clone();
    let against = async move { reviewer.review(&same, Verdict::ChangesRequested).await.unwrap() };
    let refused = while_(&ada, against).merge(&request).await;
    assert!(matches!(refused, Err(Error::Forbidden(_))), "the approval was withdrawn: {refused:?}");

    let (request, same) = approved().await;
    let other = ada.clone();
    let archive = async move {
        let patch = ChangeRequestPatch { status: Some(ProposedStatus::Archived), ..ChangeRequestPatch::default() };
        let requests = &other.services.change_requests;
        drop(requests.update(&other.actor, &other.space, &same, Precondition::none(), patch.into()).await.unwrap());
    };
    let refused = while_(&ada, archive).merge(&request).await;
    assert!(matches!(&refused, Err(Error::Conflict(why)) if why.contains("archived")), "{refused:?}");

    let (request, same) = approved().await;
    let other = ada.clone();
    let merge = async move { drop(other.merge(&same).await.unwrap()) };
    let refused = while_(&ada, merge).merge(&request).await;
    assert!(matches!(&refused, Err(Error::Conflict(why)) if why.contains("merged")), "{refused:?}");

    let (request, same) = approved().await;
    let other = ada.clone();
    let edit = async move { drop(other.insert(&same, "Just in time", None).await.unwrap()) };
    assert!(!while_(&ada, edit).merge(&request).await.unwrap().conflicts);
    let content = world.ada.get(&format!("/spaces/{space}/content")).await.ok().to_string();
    assert!(content.contains("Just in time"), "{content}");
}
