//! Comments and replies.
use super::*;
use crate::{DieselStore, StoreOptions};
use chrono::DateTime;
use domain::comment::{Comment, CommentReply, CommentTarget, Discussion};
use domain::content::document::Document;
use domain::ports::{Store, StoreError};
use rstest::rstest;

#[rstest]
#[tokio::test]
async fn a_comment_or_a_reply_that_was_never_inserted_is_not_updated(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let Some(world) = world(backend).await else { return };
    let store = DieselStore::new(world.database.clone(), &StoreOptions::default());
    let discussion = Discussion { space: "s".parse().unwrap(), change_request: None };
    let comment = Comment {
        id: "c".parse().unwrap(),
        discussion: discussion.clone(),
        review: None,
        target: CommentTarget { revision: "r".parse().unwrap(), anchor: None, quote: None },
        body: Document::default(),
        posted_by: "u".parse().unwrap(),
        posted_at: DateTime::UNIX_EPOCH,
        edited_at: None,
        resolved: None,
    };
    let reply = CommentReply {
        id: "a".parse().unwrap(),
        comment: comment.id.clone(),
        discussion,
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
