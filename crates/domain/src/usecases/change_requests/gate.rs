//! The merge rules of a change request, and whether they let the caller merge it.
use super::Opened;
use crate::id::UserId;
use crate::merge_rules::{Facts, Gate, MergeRule, MergeRules};
use crate::review::Review;
use crate::usecases::Error;
use crate::usecases::work::Work;
use std::collections::BTreeSet;

/// The merge rules that apply to a space.
async fn rules(work: &mut Work<'_>, opened: &Opened) -> Result<Vec<MergeRule>, Error> {
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

/// The result of the merge rules for the caller.
pub(super) async fn gate(work: &mut Work<'_>, opened: &Opened) -> Result<Gate, Error> {
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
    };
    Ok(Gate::of(&rules, facts))
}

/// Which of the users in the rules, the reviewers and the author are members of the organization.
async fn members(
    work: &mut Work<'_>,
    opened: &Opened,
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
