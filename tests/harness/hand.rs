//! Somebody who works on a space through the use cases, from any thread: the server of a [`World`] has one only.
use crate::world::{Caller, World};
use api_actix::Services;
use domain::actor::Actor;
use domain::change_request::{ChangeRequestRef, Subject};
use domain::content::batch::{Body, PageFields, UpdatePage};
use domain::id::{RevisionId, SpaceId};
use domain::idempotency::OnceKey;
use domain::patch::Patch;
use domain::ports::Store;
use domain::review::Verdict;
use domain::usecases::change_requests::{
    NewChange, NewChangeRequest, Outcome, ShownChangeRequest, SubmitReview, Write,
};
use domain::usecases::{Error, Precondition};
use std::sync::Arc;

/// A user at work on the change requests of a space.
#[derive(Clone)]
pub struct Hand {
    /// The use cases.
    pub services: Services,
    /// The user.
    pub actor: Actor,
    /// The space.
    pub space: SpaceId,
}

impl Hand {
    /// The hand of a caller with an account.
    ///
    /// # Panics
    /// When the caller has none, or no token.
    pub async fn of(world: &World, caller: &Caller, space: &SpaceId) -> Self {
        let user = caller.user.clone().expect("an account");
        let tokens = world.services.accounts.tokens(&Actor::Operator, Some(&user), &Default::default()).await;
        let token = tokens.expect("the store works").items.first().expect("a token").id.clone();
        let actor = Actor::of(user, token);
        Self { services: world.services.clone(), actor, space: space.clone() }
    }

    /// The same user, who sends every request under one key.
    ///
    /// # Panics
    /// When the key is not valid.
    pub fn under(&self, key: &str) -> Self {
        let mut same = self.clone();
        if let Actor::User { once, .. } = &mut same.actor {
            *once = Some(OnceKey::new(key, [0; 32]).expect("a key"));
        }
        same
    }

    /// The same user, whose change requests are kept in another store.
    pub fn with_store(&self, store: Arc<dyn Store>) -> Self {
        let mut same = self.clone();
        same.services.change_requests.store = store;
        same
    }

    /// Makes a change request.
    ///
    /// # Errors
    /// As the use case.
    pub async fn create(&self, subject: &str) -> Result<ShownChangeRequest, Error> {
        let new = NewChangeRequest { subject: Some(Subject::fitted(subject, "")), template: None };
        self.services.change_requests.create(&self.actor, &self.space, new.into()).await
    }

    /// The same, where nothing stands in the way.
    ///
    /// # Panics
    /// When something does.
    pub async fn propose(&self, subject: &str) -> ChangeRequestRef {
        ChangeRequestRef::Id(self.create(subject).await.expect("a change request").request.id)
    }

    /// A change request as it is now.
    ///
    /// # Panics
    /// When it is not there.
    pub async fn get(&self, which: &ChangeRequestRef) -> ShownChangeRequest {
        self.services.change_requests.get(&self.actor, &self.space, which).await.expect("the change request")
    }

    /// Inserts a page into a change request, which must be at a revision when one is given. Answers the revision it makes.
    ///
    /// # Errors
    /// As the use case.
    pub async fn insert(
        &self,
        which: &ChangeRequestRef,
        title: &str,
        at: Option<RevisionId>,
    ) -> Result<RevisionId, Error> {
        let page = NewChange::InsertPage {
            fields: PageFields { title: Some(title.to_owned()), ..PageFields::default() },
            document: Body::Markdown(format!("Text of {title}.")),
            into: None,
            at: None,
            reference: None,
        };
        self.send(which, vec![page], at).await
    }

    /// Replaces the text of a page in a change request.
    ///
    /// # Panics
    /// When something stands in the way.
    pub async fn rewrite(&self, which: &ChangeRequestRef, page: &str, markdown: &str) {
        self.rewrite_all(which, &[(page.to_owned(), markdown.to_owned())]).await;
    }

    /// The same for up to 50 pages at once: ids and texts.
    ///
    /// # Panics
    /// When something stands in the way.
    pub async fn rewrite_all(&self, which: &ChangeRequestRef, texts: &[(String, String)]) {
        let update = |(page, markdown): &(String, String)| {
            NewChange::UpdatePage(UpdatePage {
                page: page.clone(),
                fields: PageFields::default(),
                document: Some(Body::Markdown(markdown.clone())),
                into: Patch::Keep,
                at: None,
            })
        };
        self.send(which, texts.iter().map(update).collect(), None).await.expect("the pages are rewritten");
    }

    async fn send(
        &self,
        which: &ChangeRequestRef,
        changes: Vec<NewChange>,
        at: Option<RevisionId>,
    ) -> Result<RevisionId, Error> {
        let write = Write { changes };
        let at = at.map_or_else(Precondition::none, |at| {
            Precondition::that(move |shown: &ShownChangeRequest| shown.request.revision == at)
        });
        let edit = self.services.change_requests.edit(&self.actor, &self.space, which, at, write.into());
        // Two of them at once are more than a stack should hold.
        let done = Box::pin(edit).await?;
        Ok(done.change_request.request.revision)
    }

    /// Merges a change request.
    ///
    /// # Errors
    /// As the use case.
    pub async fn merge(&self, which: &ChangeRequestRef) -> Result<Outcome, Error> {
        self.services.change_requests.merge(&self.actor, &self.space, which).await
    }

    /// Reviews a change request.
    ///
    /// # Errors
    /// As the use case.
    pub async fn review(&self, which: &ChangeRequestRef, verdict: Verdict) -> Result<(), Error> {
        let review = SubmitReview { verdict, comment: None };
        self.services.change_requests.submit_review(&self.actor, &self.space, which, review.into()).await.map(drop)
    }
}
