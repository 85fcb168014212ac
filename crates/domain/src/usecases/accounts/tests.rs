use super::*;
use crate::id::TokenId;
use crate::ports::testing::{self, Fixed, MockTx};
use crate::scope::{Scope, ScopeSet, Scopes};
use crate::token::Token;
use chrono::TimeDelta;
use rstest::rstest;
use std::sync::atomic::{AtomicBool, Ordering};

fn accounts(tx: MockTx) -> (Accounts, Arc<AtomicBool>) {
    scripted([tx])
}

fn scripted(units: impl IntoIterator<Item = MockTx>) -> (Accounts, Arc<AtomicBool>) {
    let (store, committed) = MockTx::script(units);
    (Accounts { units: Units::over(store), secrets: Arc::new(Fixed([7; 32])), uses: LastUse::default() }, committed)
}

fn token(expires_at: Option<DateTime<Utc>>, revoked_at: Option<DateTime<Utc>>) -> Token {
    Token { expires_at, revoked_at, ..testing::token(ada()) }
}

fn ada() -> UserId {
    "ada".parse().unwrap()
}

fn by_ada() -> Actor {
    Actor::of(ada(), "t".parse().unwrap())
}

#[rstest]
#[case::valid(Some(token(None, None)), true)]
#[case::unknown(None, false)]
#[case::expired(Some(token(Some(DateTime::UNIX_EPOCH), None)), false)]
#[case::later(Some(token(Some(DateTime::UNIX_EPOCH + TimeDelta::seconds(1)), None)), true)]
#[case::revoked(Some(token(None, Some(DateTime::UNIX_EPOCH))), false)]
#[tokio::test]
async fn only_a_valid_token_authenticates(#[case] stored: Option<Token>, #[case] opens: bool) {
    let mut tx = MockTx::default();
    tx.tokens.expect_find_by_hash().withf(|hash| *hash == TokenHash::of("secret")).return_once(|_| Ok(stored));
    let answer = accounts(tx).0.authenticate("secret").await;
    assert_eq!(answer.is_ok(), opens, "{answer:?}");
}

#[tokio::test]
async fn the_bootstrap_does_not_change_a_server_with_accounts() {
    let mut tx = MockTx::default();
    tx.users.expect_is_empty().return_once(|| Ok(false));
    let (accounts, committed) = accounts(tx);
    let given = accounts.bootstrap("a@b.org".parse().unwrap(), "Org".parse().unwrap(), None).await.unwrap();
    assert!(given.is_none());
    assert!(!committed.load(Ordering::SeqCst));
}

#[tokio::test]
async fn an_empty_server_gets_an_administrator_with_the_chosen_token() {
    let mut tx = MockTx::default();
    tx.users.expect_is_empty().return_once(|| Ok(true));
    tx.users.expect_save().times(1).returning(|_| Ok(()));
    tx.organizations.expect_save().times(1).returning(|_| Ok(()));
    tx.members.expect_save().times(1).withf(|member| member.membership.administers()).returning(|_| Ok(()));
    tx.tokens
        .expect_save()
        .times(1)
        .withf(|token| token.hash == TokenHash::of("chosen-by-the-operator"))
        .returning(|_| Ok(()));
    tx.events.expect_record().times(4).returning(|_| Ok(()));
    let (accounts, committed) = accounts(tx);
    let secret = Secret::chosen("chosen-by-the-operator".into()).unwrap();
    let given = accounts.bootstrap("a@b.org".parse().unwrap(), "Org".parse().unwrap(), Some(secret)).await.unwrap();
    assert_eq!(given.unwrap().secret.reveal(), "chosen-by-the-operator");
    assert!(committed.load(Ordering::SeqCst));
}

#[tokio::test]
async fn the_token_of_another_user_is_hidden_and_cannot_be_revoked() {
    let mut tx = MockTx::default();
    tx.tokens.expect_find().times(2).returning(|_| Ok(Some(token(None, None))));
    let (accounts, committed) = accounts(tx);
    let eve = Actor::of("eve".parse().unwrap(), "e".parse().unwrap());
    let answer = accounts.revoke_token(&eve, &"t".parse().unwrap()).await;
    assert!(matches!(answer, Err(Error::NotFound("token"))), "{answer:?}");
    assert!(!committed.load(Ordering::SeqCst));
}

#[tokio::test]
async fn only_the_operator_makes_accounts() {
    let actor = by_ada();
    let accounts = accounts(MockTx::default()).0;
    let (email, display_name) = ("a@b.org".parse().unwrap(), "A".parse().unwrap());
    let made = accounts.create_user(&actor, NewUser { email, display_name, email_verified: true }, None);
    assert!(matches!(made.await, Err(Error::Forbidden(_))));
}

#[tokio::test]
async fn uses_of_tokens_are_written_together_and_not_again() {
    let mut reading = MockTx::default();
    reading.tokens.expect_find_by_hash().returning(|_| Ok(Some(token(None, None))));
    let mut again = MockTx::default();
    again.tokens.expect_find_by_hash().returning(|_| Ok(Some(token(None, None))));
    let mut writing = MockTx::default();
    let first = |id: &TokenId, at: &DateTime<Utc>| id.as_str() == "t" && *at == DateTime::UNIX_EPOCH;
    writing.tokens.expect_record_use().withf(first).times(1).returning(|_, _| Ok(()));
    let (accounts, committed) = scripted([reading, again, writing]);
    for _ in 0..2 {
        accounts.authenticate("secret").await.unwrap();
    }
    assert_eq!(accounts.write_uses().await.unwrap(), 1);
    assert!(committed.load(Ordering::SeqCst));
    assert_eq!(accounts.write_uses().await.unwrap(), 0, "nothing is left, and no unit of work is opened for it");
}

#[tokio::test]
async fn a_recent_use_is_not_recorded_again() {
    let mut tx = MockTx::default();
    let used = Token { last_used_at: Some(DateTime::UNIX_EPOCH), ..token(None, None) };
    tx.tokens.expect_find_by_hash().return_once(|_| Ok(Some(used)));
    let (accounts, _) = accounts(tx);
    accounts.authenticate("secret").await.unwrap();
    assert_eq!(accounts.write_uses().await.unwrap(), 0);
}

#[tokio::test]
async fn uses_that_cannot_be_written_are_kept_for_the_next_time() {
    let mut reading = MockTx::default();
    reading.tokens.expect_find_by_hash().returning(|_| Ok(Some(token(None, None))));
    let mut failing = MockTx::default();
    failing.tokens.expect_record_use().returning(|_, _| Err(StoreError::Unavailable("down".into())));
    let mut writing = MockTx::default();
    writing.tokens.expect_record_use().times(1).returning(|_, _| Ok(()));
    let (accounts, _) = scripted([reading, failing, writing]);
    accounts.authenticate("secret").await.unwrap();
    assert!(accounts.write_uses().await.is_err());
    assert_eq!(accounts.write_uses().await.unwrap(), 1);
}

#[rstest]
#[case::with_scopes(Token { scopes: read_only(), ..token(None, None) }, None, Some("scopes"))]
#[case::with_an_end(token(Some(later(2)), None), Some(later(3)), Some("expiresAt"))]
#[case::without_limits(token(None, None), Some(later(3)), None)]
#[case::that_has_ended_already(token(None, None), Some(later(0)), Some("expiresAt"))]
#[tokio::test]
async fn a_token_creates_no_token_with_more_rights(
    #[case] maker: Token,
    #[case] expires_at: Option<DateTime<Utc>>,
    #[case] refused: Option<&str>,
) {
    let mut tx = MockTx::default();
    tx.tokens.expect_find().returning(move |_| Ok(Some(maker.clone())));
    tx.users.expect_find().returning(|_| Ok(Some(user())));
    tx.tokens.expect_save().returning(|_| Ok(()));
    tx.events.expect_record().returning(|_| Ok(()));
    let (accounts, committed) = accounts(tx);
    let new = NewToken { expires_at, ..NewToken::unlimited("x".parse().unwrap()) };
    let answer = accounts.create_token(&by_ada(), &ada(), new.into()).await;
    match (answer, refused) {
        (Ok((token, secret)), None) => assert_eq!(token.hash, secret.hash()),
        (Err(Error::Invalid(invalid)), Some(field)) => assert_eq!(invalid.field, field),
        (answer, _) => panic!("{answer:?}"),
    }
    assert_eq!(committed.load(Ordering::SeqCst), refused.is_none());
}

#[tokio::test]
async fn a_user_creates_no_token_for_another_user() {
    let accounts = accounts(MockTx::default()).0;
    let new = NewToken::unlimited("x".parse().unwrap());
    let answer = accounts.create_token(&by_ada(), &"eve".parse().unwrap(), new.into()).await;
    assert!(matches!(answer, Err(Error::Forbidden(_))), "{answer:?}");
}

fn later(hours: i64) -> DateTime<Utc> {
    DateTime::UNIX_EPOCH + TimeDelta::hours(hours)
}

fn read_only() -> Scopes {
    Scopes::Only(ScopeSet::new([Scope::SpaceRead]).unwrap())
}

fn user() -> User {
    let (display_name, email) = ("Ada".parse().unwrap(), "ada@example.org".parse().unwrap());
    User { id: ada(), display_name, email, email_verified: true, photo_url: None, created_at: DateTime::UNIX_EPOCH }
}
