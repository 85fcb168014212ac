//! Comments and replies.
use super::*;
use crate::{DieselStore, StoreOptions};
use chrono::DateTime;
use domain::comment::{Comment, CommentReply, CommentTarget, Discussion};
use domain::content::document::Document;
use domain::ports::{Store, StoreError};
use rstest::rstest;

/// A comment on the space `s`, or on a change request of it.
fn comment(change_request: Option<&str>) -> Comment {
    let change_request = change_request.map(|id| id.parse().unwrap());
    Comment {
        id: "c".parse().unwrap(),
        discussion: Discussion { space: "s".parse().unwrap(), change_request },
        review: None,
        target: CommentTarget { revision: "r".parse().unwrap(), anchor: None, quote: None },
        body: Document::default(),
        posted_by: "u".parse().unwrap(),
        posted_at: DateTime::UNIX_EPOCH,
        edited_at: None,
        resolved: None,
    }
}

#[rstest]
#[tokio::test]
async fn a_comment_on_a_change_request_needs_the_lock_of_its_space(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let Some(world) = world(backend).await else { return };
    let store = DieselStore::new(world.database.clone(), &StoreOptions::default());
    let mut tx = store.write().await.unwrap();
    assert!(matches!(tx.comments().insert(&comment(Some("q"))).await, Err(StoreError::Internal(_))));
}

#[rstest]
#[tokio::test]
async fn a_comment_or_a_reply_that_was_never_inserted_is_not_updated(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let Some(world) = world(backend).await else { return };
    let store = DieselStore::new(world.database.clone(), &StoreOptions::default());
    let comment = comment(None);
    let reply = CommentReply {
        id: "a".parse().unwrap(),
        comment: comment.id.clone(),
        discussion: comment.discussion.clone(),
        body: Document::default(),
        posted_by: "u".parse().unwrap(),
        posted_at: DateTime::UNIX_EPOCH,
        edited_at: None,
    };
    let mut tx = store.write().await.unwrap();
    tx.lock(&[(&comment.discussion.space).into()]).await.unwrap();
    assert!(matches!(tx.comments().save(&comment).await, Err(StoreError::Internal(_))));
    assert!(matches!(tx.comments().save_reply(&reply).await, Err(StoreError::Internal(_))));
}
