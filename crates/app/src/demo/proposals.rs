//! The change requests of the sample: two that change the same sentence differently. The first one is merged, so the
//! second one has a conflict to decide.
use super::{FILES, everything};
use domain::actor::Actor;
use domain::change_request::{ChangeRequest, ChangeRequestPatch, ChangeRequestRef, ProposedStatus, Status, Subject};
use domain::content::batch::{Body, PageFields, UpdatePage};
use domain::id::{PageId, SpaceId};
use domain::patch::Patch;
use domain::ports::store::change_requests::ChangeRequestFilter;
use domain::usecases::UseCases;
use domain::usecases::change_requests::{NewChange, NewChangeRequest, Write};
use domain::usecases::content::{At, PageOptions, PageRef};
use domain::usecases::{Error, Precondition};

/// The page that both change requests edit: its path in the space, and its source file.
const PAGE: &str = "kestrel/setup/calibrate";
pub(super) const FILE: &str = "kestrel/calibrate.md";
/// The words that both change.
const BEFORE: &str = "wait half an hour";

/// The subject of a change request, and its replacement for [`BEFORE`].
struct Proposal {
    subject: &'static str,
    after: &'static str,
}
const MERGED: Proposal = Proposal { subject: "Thermometers are slow", after: "wait an hour" };
const OPEN: Proposal = Proposal { subject: "Twenty minutes are enough", after: "wait twenty minutes" };

/// The proposal of the change request with the conflict.
pub(super) fn proposed() -> &'static str {
    OPEN.after
}

/// Creates both, merges the first one, and brings the second one up to date, which stores its conflict; without the
/// steps that an earlier run did. Returns the second one.
pub(super) async fn make(use_cases: &UseCases, actor: &Actor, space: &SpaceId) -> Result<ChangeRequestRef, Error> {
    let page = PageRef::Path(PAGE.to_owned());
    let pages = use_cases.content.open(actor, space, &At::Primary).await?.pages().await?;
    let page = pages.page(&page, false, PageOptions::default().into()).await?.node.id.clone();
    let merged = propose(use_cases, actor, space, &page, &MERGED).await?;
    let open = ChangeRequestRef::Id(propose(use_cases, actor, space, &page, &OPEN).await?.id);
    let requests = &use_cases.change_requests;
    if merged.status() != Status::Merged {
        requests.merge(actor, space, &ChangeRequestRef::Id(merged.id)).await?;
    }
    let ready = ChangeRequestPatch { status: Some(ProposedStatus::Open), ..ChangeRequestPatch::default() };
    requests.update(actor, space, &open, Precondition::none(), ready.into()).await?;
    requests.update_from_primary(actor, space, &open).await?;
    Ok(open)
}

async fn propose(
    use_cases: &UseCases,
    actor: &Actor,
    space: &SpaceId,
    page: &PageId,
    proposal: &Proposal,
) -> Result<ChangeRequest, Error> {
    let requests = &use_cases.change_requests;
    let subject = Subject::fitted(proposal.subject, "");
    let new = NewChangeRequest { subject: Some(subject), ..NewChangeRequest::default() };
    let request = match find(use_cases, actor, space, proposal).await? {
        Some(found) => found,
        None => requests.create(actor, space, new.into()).await?.request,
    };
    if request.revision != request.revision_initial {
        return Ok(request);
    }
    let which = ChangeRequestRef::Id(request.id.clone());
    let rewrite = NewChange::UpdatePage(UpdatePage {
        page: page.to_string(),
        fields: PageFields::default(),
        document: Some(Body::Markdown(text(proposal))),
        into: Patch::Keep,
        at: None,
    });
    requests.edit(actor, space, &which, Precondition::none(), Write { changes: vec![rewrite] }.into()).await?;
    Ok(request)
}

/// The change request of a proposal.
async fn find(
    use_cases: &UseCases,
    actor: &Actor,
    space: &SpaceId,
    proposal: &Proposal,
) -> Result<Option<ChangeRequest>, Error> {
    let query = (ChangeRequestFilter::default(), everything()).into();
    let all = use_cases.change_requests.list(actor, space, query).await?.items;
    Ok(all.into_iter().map(|shown| shown.request).find(|request| request.subject.as_str() == proposal.subject))
}

/// The text of the page with the change of a proposal.
fn text(proposal: &Proposal) -> String {
    let file = FILES.iter().find(|(path, _)| *path == FILE).map_or(&[][..], |(_, bytes)| *bytes);
    String::from_utf8_lossy(file).replace(BEFORE, proposal.after)
}

/// The number of the change request with the conflict, until the conflict is decided.
pub(super) async fn undecided(use_cases: &UseCases, actor: &Actor, space: &SpaceId) -> Result<Option<u32>, Error> {
    let Some(ours) = find(use_cases, actor, space, &OPEN).await? else { return Ok(None) };
    let which = ChangeRequestRef::Id(ours.id);
    let conflicts = use_cases.change_requests.conflicts(actor, space, &which, everything().into()).await?.items;
    Ok((!conflicts.is_empty()).then_some(ours.number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_proposals_change_the_same_sentence_and_differ() {
        let (merged, open) = (text(&MERGED), text(&OPEN));
        assert!(merged.contains(MERGED.after) && open.contains(OPEN.after));
        assert!(!merged.contains(BEFORE) && !open.contains(BEFORE));
    }
}
