use super::stored::{bytes32, parsed, time};
use crate::error::Meaning;
use crate::schema::accounts::tokens;
use crate::sql::{columns, ordered, seek, when};
use crate::tx::DieselTx;
use async_trait::async_trait;
use chrono::NaiveDateTime;
use diesel::sql_types::Text;
use diesel::{AsChangeset, ExpressionMethods, Insertable, IntoSql, QueryDsl, Queryable, Selectable};
use domain::id::{TokenId, UserId};
use domain::paging::{Page, PageRequest};
use domain::ports::StoreResult;
use domain::ports::store::TokenStore;
use domain::token::{Token, TokenHash};

#[derive(Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(table_name = tokens, treat_none_as_default_value = false, treat_none_as_null = true)]
#[diesel(check_for_backend(diesel::pg::Pg, diesel::sqlite::Sqlite))]
struct TokenRow {
    id: String,
    user_id: String,
    label: String,
    hash: Vec<u8>,
    created_at: NaiveDateTime,
    expires_at: Option<NaiveDateTime>,
    revoked_at: Option<NaiveDateTime>,
}

impl TryFrom<TokenRow> for Token {
    type Error = domain::ports::StoreError;

    fn try_from(row: TokenRow) -> StoreResult<Self> {
        Ok(Self {
            id: parsed("tokens.id", &row.id)?,
            user: parsed("tokens.user_id", &row.user_id)?,
            label: parsed("tokens.label", &row.label)?,
            hash: TokenHash(bytes32("tokens.hash", row.hash)?),
            created_at: row.created_at.and_utc(),
            expires_at: row.expires_at.map(|at| at.and_utc()),
            revoked_at: row.revoked_at.map(|at| at.and_utc()),
        })
    }
}

impl From<&Token> for TokenRow {
    fn from(token: &Token) -> Self {
        Self {
            id: token.id.to_string(),
            user_id: token.user.to_string(),
            label: token.label.to_string(),
            hash: token.hash.0.to_vec(),
            created_at: time(token.created_at),
            expires_at: token.expires_at.map(time),
            revoked_at: token.revoked_at.map(time),
        }
    }
}

#[async_trait]
impl TokenStore for DieselTx {
    async fn find(&mut self, id: &TokenId) -> StoreResult<Option<Token>> {
        // Not locked: every write of a token's owner reads it, and revoking twice does no harm.
        let query = tokens::table.find(id.as_str()).select(columns::<TokenRow>());
        self.conn.maybe::<TokenRow>(query).await?.map(Token::try_from).transpose()
    }

    async fn find_by_hash(&mut self, hash: &TokenHash) -> StoreResult<Option<Token>> {
        let query = tokens::table.filter(tokens::hash.eq(hash.0.as_slice())).select(columns::<TokenRow>());
        self.conn.maybe::<TokenRow>(query).await?.map(Token::try_from).transpose()
    }

    async fn list<'a>(&mut self, user: Option<&'a UserId>, page: &PageRequest) -> StoreResult<Page<Token>> {
        let after = page.after.as_deref().map(IntoSql::into_sql::<Text>);
        let query = tokens::table
            .filter(when(user.map(|user| tokens::user_id.eq(user.as_str()))))
            .filter(seek(tokens::id, after, page.order))
            .order(ordered(tokens::id, page.order))
            .limit(page.limit as i64 + 1)
            .select(columns::<TokenRow>());
        let rows: Vec<TokenRow> = self.conn.all(query).await?;
        Page::from_overfetch(rows, page, |row| row.id.clone()).try_map(Token::try_from)
    }

    async fn save(&mut self, token: &Token) -> StoreResult<()> {
        let row = TokenRow::from(token);
        let upsert = diesel::insert_into(tokens::table).values(&row).on_conflict(tokens::id).do_update().set(&row);
        self.conn.run(upsert).await.meaning("tokens.hash", "token").map(drop)
    }
}
