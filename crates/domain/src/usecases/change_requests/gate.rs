//! The merge rules of a change request, and whether they allow the caller to merge it.
use super::LoadedChangeRequest;
use crate::content::document::{Document, SpecificationUse};
use crate::content::object::{Hash, MemoryObjects, together};
use crate::content::text_of;
use crate::id::UserId;
use crate::merge_rules::{Facts, Gate, MergeRule, MergeRules, OpenapiBlocks};
use crate::openapi_spec::Presence;
use crate::review::Review;
use crate::usecases::Error;
use crate::usecases::content::write::Base;
use crate::usecases::openapi_specs::shown::ShownSpecs;
use crate::usecases::work::Work;
use std::collections::BTreeSet;

/// The merge rules that apply to a space.
async fn rules(work: &mut Work<'_>, opened: &LoadedChangeRequest) -> Result<Vec<MergeRule>, Error> {
    let rules = match &opened.space.merge_rules {
        MergeRules::Inherit => {
            let organization = &opened.space.organization;
            let found = work.organizations().merge_rules(organization).await?;
            found.ok_or_else(|| Error::Corrupt(format!("organization {organization} is missing")))?
        }
        own => own.clone(),
    };
    Ok(match rules {
        MergeRules::Rules { rules } => rules,
        MergeRules::Inherit | MergeRules::None => Vec::new(),
    })
}

/// Whether merge rules apply to a change request.
pub(super) async fn has_rules(work: &mut Work<'_>, opened: &LoadedChangeRequest) -> Result<bool, Error> {
    Ok(!rules(work, opened).await?.is_empty())
}

/// The result of the merge rules for the caller.
pub(super) async fn gate(work: &mut Work<'_>, opened: &LoadedChangeRequest) -> Result<Gate, Error> {
    let rules = rules(work, opened).await?;
    if rules.is_empty() {
        return Ok(Gate::default());
    }
    let reviews = work.reviews().current(&opened.request.id).await?;
    let requested = work.reviews().requested(&opened.request.id).await?;
    let members = members(work, opened, &rules, &reviews).await?;
    let facts = Facts {
        change_request: &opened.request,
        outdated: opened.outdated(),
        reviews: &reviews,
        requested: &requested,
        actor: work.actor.user(),
        members: &members,
        openapi: if asks_for_openapi(&rules) { openapi_blocks(work, opened).await? } else { OpenapiBlocks::default() },
    };
    Ok(Gate::of(&rules, facts))
}

/// Whether a rule may need the blocks that show OpenAPI specs, which take longer to find than everything else.
fn asks_for_openapi(rules: &[MergeRule]) -> bool {
    rules.iter().any(|rule| matches!(rule, MergeRule::Custom { expression, .. } if expression.contains("openapi")))
}

/// The blocks that show OpenAPI specs, in pages and reusable contents that the change request changes.
async fn openapi_blocks(work: &mut Work<'_>, opened: &LoadedChangeRequest) -> Result<OpenapiBlocks, Error> {
    let space = &opened.space.id;
    let before = Base::load(work, space, opened.request.ancestor()).await?.snapshot;
    let after = Base::load(work, space, &opened.request.revision).await?.snapshot;
    let read = |objects: &MemoryObjects| {
        let diff = before.diff(&after, objects)?;
        let pages = diff.pages.iter().filter_map(|change| change.after.as_ref()?.document());
        let contents = diff.reusable_contents.iter().filter_map(|change| change.after.as_ref()?.document);
        let documents: Vec<Hash> = pages.chain(contents).collect();
        together(documents.into_iter().map(|hash| text_of(objects, Some(hash))))
    };
    let documents = work.compute(&mut MemoryObjects::default(), read).await?;
    let uses = documents.iter().flat_map(Document::specification_uses);
    // Documents at addresses are fetched after the merge.
    let uses: Vec<SpecificationUse> = uses.filter(|found| !found.is_address).collect();
    let specs = ShownSpecs::load(work, &opened.space.organization, &uses).await?;
    let mut blocks = OpenapiBlocks::default();
    for found in &uses {
        let presence = specs.presence(found);
        blocks.broken += i64::from(presence.is_broken());
        blocks.deprecated += i64::from(presence == Presence::Deprecated);
    }
    Ok(blocks)
}

/// Those of the users in the rules, the reviewers and the author who are members of the organization.
async fn members(
    work: &mut Work<'_>,
    opened: &LoadedChangeRequest,
    rules: &[MergeRule],
    reviews: &[Review],
) -> Result<BTreeSet<UserId>, Error> {
    let named = rules.iter().filter_map(MergeRule::users).flatten();
    let reviewers = reviews.iter().map(|review| &review.reviewer);
    let wanted: BTreeSet<&UserId> = named.chain(reviewers).chain([&opened.request.created_by]).collect();
    let wanted: Vec<UserId> = wanted.into_iter().cloned().collect();
    let found = work.members().find_many(&opened.space.organization, &wanted).await?;
    Ok(found.into_iter().map(|(member, _)| member.user).collect())
}
