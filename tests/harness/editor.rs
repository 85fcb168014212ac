//! A user who works on a space through the use cases, from any thread. (The server of a [`World`] runs on one thread
//! only.)
use crate::caller::Caller;
use crate::world::World;
use domain::actor::Actor;
use domain::change_request::{ChangeRequestRef, Subject};
use domain::content::batch::{Body, PageFields, UpdatePage};
use domain::id::{RevisionId, SpaceId};
use domain::idempotency::IdempotencyKey;
use domain::patch::Patch;
use domain::ports::Store;
use domain::review::Verdict;
use domain::usecases::UseCases;
use domain::usecases::change_requests::{
    NewChange, NewChangeRequest, Outcome, ShownChangeRequest, SubmitReview, Write,
};
use domain::usecases::{Error, Precondition};
use std::sync::Arc;

/// A user who works on the change requests of a space.
#[derive(Clone)]
pub struct Editor {
    /// The use cases.
    pub services: UseCases,
    /// The user.
    pub actor: Actor,
    /// The space.
    pub space: SpaceId,
}

impl Editor {
    /// An editor with the account of a caller.
    ///
    /// # Panics
    /// If the caller has no account or no token.
    pub async fn of(world: &World, caller: &Caller, space: &SpaceId) -> Self {
        let user = caller.user.clone().expect("an account");
        let tokens = world.services.accounts.tokens(&Actor::Operator, Some(&user), &Default::default()).await;
        let token = tokens.expect("the store works").items.first().expect("a token").id.clone();
        let actor = Actor::of(user, token);
        Self { services: world.services.clone(), actor, space: space.clone() }
    }

    /// The same user, who sends every request with one idempotency key.
    ///
    /// # Panics
    /// If the key is not valid.
    pub fn under(&self, key: &str) -> Self {
        let mut same = self.clone();
        if let Actor::User { idempotency_key, .. } = &mut same.actor {
            *idempotency_key = Some(IdempotencyKey::new(key, [0; 32]).expect("a key"));
        }
        same
    }

    /// The same user, with another store for the change requests.
    pub fn with_store(&self, store: Arc<dyn Store>) -> Self {
        let mut same = self.clone();
        same.services.change_requests.units.store = store;
        same
    }

    /// Creates a change request.
    ///
    /// # Errors
    /// Those of the use case.
    pub async fn create(&self, subject: &str) -> Result<ShownChangeRequest, Error> {
        let new = NewChangeRequest { subject: Some(Subject::fitted(subject, "")), ..NewChangeRequest::default() };
        self.services.change_requests.create(&self.actor, &self.space, new.into()).await
    }

    /// Creates a change request that must not be refused.
    ///
    /// # Panics
    /// If it is refused.
    pub async fn propose(&self, subject: &str) -> ChangeRequestRef {
        ChangeRequestRef::Id(self.create(subject).await.expect("a change request").request.id)
    }

    /// The current state of a change request.
    ///
    /// # Panics
    /// If it does not exist.
    pub async fn get(&self, which: &ChangeRequestRef) -> ShownChangeRequest {
        self.services.change_requests.get(&self.actor, &self.space, which).await.expect("the change request")
    }

    /// Inserts a page into a change request, which must be at `revision` if one is given. Returns the new revision.
    ///
    /// # Errors
    /// Those of the use case.
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
    /// If the edit is refused.
    pub async fn rewrite(&self, which: &ChangeRequestRef, page: &str, markdown: &str) {
        self.rewrite_all(which, &[(page.to_owned(), markdown.to_owned())]).await;
    }

    /// Replaces the texts of up to 50 pages in one batch: ids and texts.
    ///
    /// # Panics
    /// If the edit is refused.
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
        // Boxed, since two of these futures are too large for a stack.
        let done = Box::pin(edit).await?;
        Ok(done.change_request.request.revision)
    }

    /// Merges a change request.
    ///
    /// # Errors
    /// Those of the use case.
    pub async fn merge(&self, which: &ChangeRequestRef) -> Result<Outcome, Error> {
        self.services.change_requests.merge(&self.actor, &self.space, which).await
    }

    /// Reviews a change request.
    ///
    /// # Errors
    /// Those of the use case.
    pub async fn review(&self, which: &ChangeRequestRef, verdict: Verdict) -> Result<(), Error> {
        let review = SubmitReview { verdict, comment: None };
        self.services.change_requests.submit_review(&self.actor, &self.space, which, review.into()).await.map(drop)
    }
}
