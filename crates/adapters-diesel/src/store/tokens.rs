use super::stored::{bytes32, json, parsed, time, to_json};
use super::users::UserRow;
use crate::error::Meaning;
use crate::schema::accounts::{tokens, users};
use crate::sql::{columns, ordered, prepared, seek, when};
use crate::tx::DieselTx;
use async_trait::async_trait;
use chrono::{DateTime, NaiveDateTime, Utc};
use diesel::sql_types::Text;
use diesel::{
    AsChangeset, BoolExpressionMethods, ExpressionMethods, Insertable, IntoSql, JoinOnDsl, QueryDsl, Queryable,
    Selectable,
};
use domain::id::{TokenId, UserId};
use domain::paging::{Page, PageRequest};
use domain::ports::store::TokenStore;
use domain::ports::{StoreError, StoreResult};
use domain::scope::{ScopeSet, Scopes};
use domain::token::{Token, TokenHash};

#[derive(Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(table_name = tokens, treat_none_as_default_value = false, treat_none_as_null = true)]
#[diesel(check_for_backend(diesel::pg::Pg, diesel::sqlite::Sqlite))]
struct TokenRow {
    id: String,
    user_id: String,
    label: String,
    scopes: Option<serde_json::Value>,
    hash: Vec<u8>,
    created_at: NaiveDateTime,
    expires_at: Option<NaiveDateTime>,
    revoked_at: Option<NaiveDateTime>,
}

/// A token and its last use, which is written separately so that an update of the token does not reset it.
type Found = (TokenRow, Option<NaiveDateTime>);

fn found((row, last_used_at): Found) -> StoreResult<Token> {
    let limit: Option<ScopeSet> = row.scopes.map(|words| json("tokens.scopes", words)).transpose()?;
    Ok(Token {
        id: parsed("tokens.id", &row.id)?,
        user: parsed("tokens.user_id", &row.user_id)?,
        label: parsed("tokens.label", &row.label)?,
        scopes: Scopes::from(limit),
        hash: TokenHash(bytes32("tokens.hash", row.hash)?),
        created_at: row.created_at.and_utc(),
        expires_at: row.expires_at.map(|at| at.and_utc()),
        revoked_at: row.revoked_at.map(|at| at.and_utc()),
        last_used_at: last_used_at.map(|at| at.and_utc()),
    })
}

impl TryFrom<&Token> for TokenRow {
    type Error = StoreError;

    fn try_from(token: &Token) -> StoreResult<Self> {
        Ok(Self {
            id: token.id.to_string(),
            user_id: token.user.to_string(),
            label: token.label.to_string(),
            scopes: token.scopes.limit().as_ref().map(to_json).transpose()?,
            hash: token.hash.0.to_vec(),
            created_at: time(token.created_at),
            expires_at: token.expires_at.map(time),
            revoked_at: token.revoked_at.map(time),
        })
    }
}

#[async_trait]
impl TokenStore for DieselTx {
    async fn find(&mut self, id: &TokenId) -> StoreResult<Option<Token>> {
        // Not locked: every write of the token's owner reads the token, and revoking it twice is harmless.
        let token = (columns::<TokenRow>(), tokens::last_used_at);
        if !self.write {
            let query = tokens::table.find(id.as_str()).select(token);
            return self.conn.maybe::<Found>(query).await?.map(found).transpose();
        }
        // Every write of a user loads the token, and most show the user.
        let query = tokens::table
            .inner_join(users::table.on(users::id.eq(tokens::user_id)))
            .filter(tokens::id.eq(id.as_str()))
            .select((token, columns::<UserRow>()));
        let Some((token, user)) = self.conn.maybe::<(Found, UserRow)>(query).await? else { return Ok(None) };
        self.known.user = Some(user.try_into()?);
        found(token).map(Some)
    }

    async fn find_by_hash(&mut self, hash: &TokenHash) -> StoreResult<Option<Token>> {
        let wanted = tokens::table.filter(tokens::hash.eq(hash.0.as_slice()));
        let query = wanted.select((columns::<TokenRow>(), tokens::last_used_at));
        self.conn.maybe::<Found>(query).await?.map(found).transpose()
    }

    async fn list<'a>(
        &mut self,
        user: Option<&'a UserId>,
        revoked: bool,
        page: &PageRequest,
    ) -> StoreResult<Page<Token>> {
        let after = page.after.as_deref().map(IntoSql::into_sql::<Text>);
        let wanted = tokens::table
            .filter(when(user.map(|user| tokens::user_id.eq(user.as_str()))))
            .filter(when((!revoked).then(|| tokens::revoked_at.is_null())));
        let query = wanted
            .filter(seek(tokens::id, after, page.order))
            .order(ordered(tokens::id, page.order))
            .limit(page.limit as i64 + 1)
            .select((columns::<TokenRow>(), tokens::last_used_at));
        let rows: Vec<Found> = self.conn.all(query).await?;
        let total = self.conn.total(rows.len(), page, wanted.count()).await?;
        Page::from_overfetch(rows, page, total, |(row, _)| row.id.clone()).try_map(found)
    }

    async fn save(&mut self, token: &Token) -> StoreResult<()> {
        let row = TokenRow::try_from(token)?;
        let upsert = diesel::insert_into(tokens::table).values(&row).on_conflict(tokens::id).do_update().set(&row);
        self.conn.run(prepared(upsert)).await.meaning("tokens.hash", "token").map(drop)
    }

    async fn record_use(&mut self, id: &TokenId, at: DateTime<Utc>) -> StoreResult<()> {
        let at = time(at);
        let earlier = tokens::last_used_at.is_null().or(tokens::last_used_at.lt(at));
        let token = tokens::table.filter(tokens::id.eq(id.as_str())).filter(earlier);
        self.conn.send(prepared(diesel::update(token).set(tokens::last_used_at.eq(at)))).await
    }
}
