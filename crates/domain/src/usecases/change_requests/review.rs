//! Reviews, requests for reviews, and contributors.
use super::{ChangeRequests, LoadedChangeRequest, account, status_conflict};
use crate::actor::Actor;
use crate::change_request::{ChangeRequestPatch, ChangeRequestRef, Subject};
use crate::comment::CommentTarget;
use crate::content::document::Document;
use crate::event::Change;
use crate::id::{OrganizationId, ReviewId, SpaceId, UserId};
use crate::paging::{Page, PageRequest};
use crate::patch::Patch;
use crate::review::{Contribution, RequestedReviewer, Review, Verdict};
use crate::text::Invalid;
use crate::usecases::comments::{self, ShownComment};
use crate::usecases::lists::only;
use crate::usecases::notifications::notify;
use crate::usecases::people::People;
use crate::usecases::work::Work;
use crate::usecases::{Error, Input, Precondition};
use crate::user::Person;

/// Maximum number of users in one request for reviews.
const MAX_ASKED: usize = 100;

/// A review with its users.
#[derive(Clone, Debug)]
pub struct ShownReview {
    /// The review.
    pub review: Review,
    /// The reviewer.
    pub reviewer: Person,
    /// The user who requested it.
    pub requested_by: Option<Person>,
    /// Its comment; absent if the caller may not see it.
    pub comment: Option<ShownComment>,
}

/// A request for a review with its users.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShownRequest {
    /// The request.
    pub request: RequestedReviewer,
    /// The requested reviewer.
    pub user: Person,
    /// The user who requested the review.
    pub requested_by: Option<Person>,
}

/// A contribution with its user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShownContribution {
    /// The contribution.
    pub contribution: Contribution,
    /// The user.
    pub user: Person,
}

/// A review to submit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubmitReview {
    /// The verdict.
    pub verdict: Verdict,
    /// A comment.
    pub comment: Option<Document>,
}

/// A request for reviews.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RequestReviews {
    /// The users to ask; users who may not read the space are left out.
    pub users: Vec<UserId>,
    /// The new subject of the change request.
    pub subject: Option<Subject>,
    /// Its new description.
    pub description: Patch<Document>,
}

async fn show_reviews(
    work: &mut Work<'_>,
    opened: &comments::LoadedDiscussion,
    found: Page<Review>,
) -> Result<Page<ShownReview>, Error> {
    let named = |review: &Review| std::iter::once(review.reviewer.clone()).chain(review.requested_by.clone());
    let people = People::find(work, &opened.space.organization, found.items.iter().flat_map(named)).await?;
    let reviews: Vec<ReviewId> = found.items.iter().map(|review| review.id.clone()).collect();
    let mut comments = comments::of_reviews(work, opened, &reviews).await?;
    found.try_map(|review| {
        let (reviewer, requested_by) = (people.get(&review.reviewer)?, people.get_if(review.requested_by.as_ref())?);
        Ok(ShownReview { comment: comments.remove(&review.id), review, reviewer, requested_by })
    })
}

async fn show_review(
    work: &mut Work<'_>,
    opened: &comments::LoadedDiscussion,
    review: Review,
) -> Result<ShownReview, Error> {
    only(show_reviews(work, opened, vec![review].into()).await?)
}

async fn show_requests(
    work: &mut Work<'_>,
    organization: &OrganizationId,
    found: Page<RequestedReviewer>,
) -> Result<Page<ShownRequest>, Error> {
    let named = |request: &RequestedReviewer| std::iter::once(request.user.clone()).chain(request.requested_by.clone());
    let people = People::find(work, organization, found.items.iter().flat_map(named)).await?;
    found.try_map(|request| {
        let (user, requested_by) = (people.get(&request.user)?, people.get_if(request.requested_by.as_ref())?);
        Ok(ShownRequest { request, user, requested_by })
    })
}

impl From<LoadedChangeRequest> for comments::LoadedDiscussion {
    fn from(LoadedChangeRequest { space, request }: LoadedChangeRequest) -> Self {
        Self::of(space, Some(request))
    }
}

/// Marks the current reviews of a user as outdated.
async fn supersede(work: &mut Work<'_>, opened: &LoadedChangeRequest, user: &UserId) -> Result<(), Error> {
    for review in work.reviews().current(&opened.request.id).await? {
        if review.reviewer == *user {
            let review = Review { outdated: true, updated_at: work.now(), ..review };
            work.reviews().save(&review).await?;
        }
    }
    Ok(())
}

impl ChangeRequests {
    /// The reviews of a change request, oldest first; optionally only outdated ones or only current ones.
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Invalid`].
    pub async fn reviews(
        &self,
        actor: &Actor,
        space: &SpaceId,
        which: &ChangeRequestRef,
        query: Input<(Option<bool>, PageRequest)>,
    ) -> Result<Page<ShownReview>, Error> {
        let mut work = self.units.read(actor).await?;
        let opened = LoadedChangeRequest::find(&mut work, space, which, |may| may.view).await?;
        let (outdated, page) = query.read()?;
        let found = work.reviews().list(&opened.request.id, outdated, &page).await?;
        show_reviews(&mut work, &opened.into(), found).await
    }

    /// A review.
    ///
    /// # Errors
    /// [`Error::NotFound`].
    pub async fn review(
        &self,
        actor: &Actor,
        space: &SpaceId,
        which: &ChangeRequestRef,
        id: &ReviewId,
    ) -> Result<ShownReview, Error> {
        let mut work = self.units.read(actor).await?;
        let opened = LoadedChangeRequest::find(&mut work, space, which, |may| may.view).await?;
        let found = work.reviews().find(&opened.request.id, id).await?;
        show_review(&mut work, &opened.into(), found.ok_or(Error::NotFound("review"))?).await
    }

    /// Submits a review. It replaces an earlier one by the same reviewer, and fulfils a request for one.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Forbidden`] for a caller who may not review and was not asked to;
    /// [`Error::Invalid`]; [`Error::Conflict`] if the change request is merged or archived.
    pub async fn submit_review(
        &self,
        actor: &Actor,
        space: &SpaceId,
        which: &ChangeRequestRef,
        review: Input<SubmitReview>,
    ) -> Result<ShownReview, Error> {
        let mut work = self.units.write(actor).await?;
        let opened = LoadedChangeRequest::lock(&mut work, space, which, |may| may.view).await?;
        let reviewer = account(actor)?;
        let requested = work.reviews().requested(&opened.request.id).await?;
        let asked = requested.into_iter().find(|request| request.user == reviewer);
        if asked.is_none() && !opened.space.permissions().review {
            return Err(Error::Forbidden(
                "only a requested reviewer, or a caller who may review in this space, can submit a review".into(),
            ));
        }
        let SubmitReview { verdict, comment } = review.read()?;
        opened.request.check_writable().map_err(status_conflict)?;
        let now = work.now();
        supersede(&mut work, &opened, &reviewer).await?;
        work.reviews().withdraw(&opened.request.id, &reviewer).await?;
        let review = Review {
            id: work.ids.make(),
            change_request: opened.request.id.clone(),
            revision: opened.request.revision.clone(),
            reviewer,
            requested_by: asked.and_then(|request| request.requested_by),
            verdict,
            outdated: false,
            created_at: now,
            updated_at: now,
            ended: false,
        };
        work.reviews().save(&review).await?;
        let change = Change::ReviewSubmitted {
            space: opened.space.id.clone(),
            change_request: opened.request.id.clone(),
            review: review.id.clone(),
        };
        opened.record(&mut work, change).await?;
        let request = opened.request.clone();
        let mut discussion = comments::LoadedDiscussion::from(opened);
        let mut comment_posted = None;
        if let Some(body) = comment.filter(|body| !body.is_blank()) {
            let body = comments::cleaned(&mut work, &discussion.space, "comment", body).await?;
            let target = CommentTarget { revision: review.revision.clone(), anchor: None, quote: None };
            comment_posted = Some(discussion.post(&mut work, body, target, Some(review.id.clone())).await?);
        }
        notify::review_submitted(&mut work, &discussion.space, &request, &review, comment_posted.as_ref()).await?;
        let shown = show_review(&mut work, &discussion, review).await?;
        work.commit().await?;
        Ok(shown)
    }

    /// The requested reviewers of a change request who have not submitted a review.
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Invalid`].
    pub async fn requested_reviewers(
        &self,
        actor: &Actor,
        space: &SpaceId,
        which: &ChangeRequestRef,
        page: Input<PageRequest>,
    ) -> Result<Page<ShownRequest>, Error> {
        let mut work = self.units.read(actor).await?;
        let opened = LoadedChangeRequest::find(&mut work, space, which, |may| may.view).await?;
        let page = page.read()?;
        let all = work.reviews().requested(&opened.request.id).await?;
        show_requests(
            &mut work,
            &opened.space.organization,
            Page::of_sorted(all, &page, |request| request.user.to_string()),
        )
        .await
    }

    /// Requests reviews from users; their earlier reviews become outdated. May also update the subject and the
    /// description of the change request.
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Forbidden`]; [`Error::Invalid`] if none of the users may read the space;
    /// [`Error::Conflict`] if the change request is merged or archived.
    pub async fn request_reviews(
        &self,
        actor: &Actor,
        space: &SpaceId,
        which: &ChangeRequestRef,
        ask: Input<RequestReviews>,
    ) -> Result<Vec<ShownRequest>, Error> {
        let mut work = self.units.write(actor).await?;
        let mut opened = LoadedChangeRequest::lock(&mut work, space, which, |may| may.edit).await?;
        let RequestReviews { users, subject, description } = ask.read()?;
        if users.len() > MAX_ASKED {
            return Err(Invalid::new("users", format!("must have at most {MAX_ASKED} users")).into());
        }
        opened.request.check_writable().map_err(status_conflict)?;
        let now = work.now();
        let mut asked = Vec::new();
        for user in work.users_who(&opened.space, &users, |may| may.view).await? {
            let request = RequestedReviewer {
                change_request: opened.request.id.clone(),
                user,
                revision: opened.request.revision.clone(),
                requested_by: actor.user().cloned(),
                created_at: now,
            };
            supersede(&mut work, &opened, &request.user).await?;
            work.reviews().request(&request).await?;
            let change = Change::ReviewRequested {
                space: opened.space.id.clone(),
                change_request: opened.request.id.clone(),
                user: request.user.clone(),
            };
            opened.record(&mut work, change).await?;
            asked.push(request);
        }
        if asked.is_empty() {
            return Err(Invalid::new("users", "must name at least one user who can read the space").into());
        }
        opened.change(&mut work, ChangeRequestPatch { subject, description, ..ChangeRequestPatch::default() }).await?;
        notify::review_requested(&mut work, &opened.space, &opened.request, &asked).await?;
        let shown = show_requests(&mut work, &opened.space.organization, asked.into()).await?.items;
        work.commit().await?;
        Ok(shown)
    }

    /// Withdraws a request for a review. The user's review from before the request counts again, unless it has ended.
    /// Returns whether there was a request.
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Forbidden`]; [`Error::Conflict`] if the change request is merged;
    /// [`Error::PreconditionFailed`].
    pub async fn withdraw_request(
        &self,
        actor: &Actor,
        space: &SpaceId,
        which: &ChangeRequestRef,
        user: &UserId,
        precondition: Precondition<RequestedReviewer>,
    ) -> Result<bool, Error> {
        let mut work = self.units.write(actor).await?;
        let opened = LoadedChangeRequest::lock(&mut work, space, which, |may| may.edit).await?;
        let asked = work.reviews().requested(&opened.request.id).await?;
        match asked.iter().find(|request| request.user == *user) {
            Some(request) => precondition.check(request)?,
            None => precondition.check_absent()?,
        }
        opened.request.check_changeable().map_err(status_conflict)?;
        let was_asked = work.reviews().withdraw(&opened.request.id, user).await?;
        if was_asked {
            // The request made the user's earlier review outdated. Without the request, that review counts again:
            // otherwise a caller could remove a review by requesting another one.
            if let Some(review) = work.reviews().newest(&opened.request.id, user).await?.filter(|review| !review.ended)
            {
                let review = Review { outdated: false, updated_at: work.now(), ..review };
                work.reviews().save(&review).await?;
            }
            let (space, change_request) = (opened.space.id.clone(), opened.request.id.clone());
            let change = Change::ReviewRequestWithdrawn { space, change_request, user: user.clone() };
            opened.record(&mut work, change).await?;
        }
        work.commit().await?;
        Ok(was_asked)
    }

    /// The contributors of a change request.
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Invalid`].
    pub async fn contributors(
        &self,
        actor: &Actor,
        space: &SpaceId,
        which: &ChangeRequestRef,
        page: Input<PageRequest>,
    ) -> Result<Page<ShownContribution>, Error> {
        let mut work = self.units.read(actor).await?;
        let opened = LoadedChangeRequest::find(&mut work, space, which, |may| may.view).await?;
        let found = work.change_requests().contributors(&opened.request.id, &page.read()?).await?;
        let people =
            People::find(&mut work, &opened.space.organization, found.items.iter().map(|found| found.user.clone()))
                .await?;
        found.try_map(|contribution| Ok(ShownContribution { user: people.get(&contribution.user)?, contribution }))
    }
}
