use super::organizations::{MemberColumns, membership};
use super::stored::{parsed, time};
use crate::error::{Meaning, updated};
use crate::schema::accounts::users;
use crate::schema::organizations::members;
use crate::sql::{NAMED, columns, one_of, ordered, prepared, seek};
use crate::tx::DieselTx;
use async_trait::async_trait;
use chrono::NaiveDateTime;
use diesel::sql_types::Text;
use diesel::{
    AsChangeset, ExpressionMethods, Insertable, IntoSql, NullableExpressionMethods, QueryDsl, Queryable, Selectable,
};
use domain::access::Membership;
use domain::id::UserId;
use domain::paging::{Page, PageRequest};
use domain::ports::StoreResult;
use domain::ports::store::{Lockable, UserStore};
use domain::text::{Email, folded};
use domain::user::User;
use domain::web_address::WebAddress;

#[derive(Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(table_name = users, treat_none_as_default_value = false, treat_none_as_null = true)]
#[diesel(check_for_backend(diesel::pg::Pg, diesel::sqlite::Sqlite))]
pub(super) struct UserRow {
    pub(super) id: String,
    display_name: String,
    email: String,
    photo_url: Option<String>,
    created_at: NaiveDateTime,
    email_verified: bool,
    /// The sort key of members in the order of names.
    pub(super) folded: String,
}

impl TryFrom<UserRow> for User {
    type Error = domain::ports::StoreError;

    fn try_from(row: UserRow) -> StoreResult<Self> {
        Ok(Self {
            id: parsed("users.id", &row.id)?,
            display_name: parsed("users.display_name", &row.display_name)?,
            email: parsed("users.email", &row.email)?,
            email_verified: row.email_verified,
            photo_url: row.photo_url.map(WebAddress::stored),
            created_at: row.created_at.and_utc(),
        })
    }
}

impl From<&User> for UserRow {
    fn from(user: &User) -> Self {
        Self {
            id: user.id.to_string(),
            display_name: user.display_name.to_string(),
            email: user.email.to_string(),
            photo_url: user.photo_url.clone().map(String::from),
            created_at: time(user.created_at),
            email_verified: user.email_verified,
            folded: folded(&format!("{} {}", user.display_name, user.email)),
        }
    }
}

#[async_trait]
impl UserStore for DieselTx {
    async fn find(&mut self, id: &UserId) -> StoreResult<Option<User>> {
        let query = users::table.find(id.as_str()).select(columns::<UserRow>());
        self.conn.maybe::<UserRow>(query).await?.map(User::try_from).transpose()
    }

    async fn find_many(&mut self, ids: &[UserId]) -> StoreResult<Vec<User>> {
        let mut users: Vec<User> = self.known.user.iter().filter(|user| ids.contains(&user.id)).cloned().collect();
        let others: Vec<&UserId> = ids.iter().filter(|id| users.iter().all(|user| user.id != **id)).collect();
        // Most objects have one user, who needs no list.
        if let [id] = others[..] {
            users.extend(self.find(id).await?);
            return Ok(users);
        }
        for batch in others.chunks(NAMED) {
            let wanted = one_of(users::id, batch.iter().map(|id| id.as_str()));
            let rows: Vec<UserRow> = self.conn.all(users::table.filter(wanted).select(columns::<UserRow>())).await?;
            users.extend(rows.into_iter().map(User::try_from).collect::<StoreResult<Vec<_>>>()?);
        }
        Ok(users)
    }

    async fn find_by_email(&mut self, email: &Email) -> StoreResult<Option<User>> {
        let query = users::table.filter(users::email.eq(email.as_str())).select(columns::<UserRow>());
        self.conn.maybe::<UserRow>(query).await?.map(User::try_from).transpose()
    }

    async fn find_many_by_email(&mut self, emails: &[Email]) -> StoreResult<Vec<User>> {
        let wanted = one_of(users::email, emails.iter().map(Email::as_str));
        let rows: Vec<UserRow> = self.conn.all(users::table.filter(wanted).select(columns::<UserRow>())).await?;
        rows.into_iter().map(User::try_from).collect()
    }

    async fn list(&mut self, page: &PageRequest) -> StoreResult<Page<User>> {
        let after = page.after.as_deref().map(IntoSql::into_sql::<Text>);
        let wanted = users::table;
        let query = wanted
            .filter(seek(users::id, after, page.order))
            .order(ordered(users::id, page.order))
            .limit(page.limit as i64 + 1)
            .select(columns::<UserRow>());
        let rows: Vec<UserRow> = self.conn.all(query).await?;
        let total = self.conn.total(rows.len(), page, wanted.count()).await?;
        Page::from_overfetch(rows, page, total, |row| row.id.clone()).try_map(User::try_from)
    }

    async fn shared_memberships(&mut self, user: &UserId, other: &UserId) -> StoreResult<Vec<Membership>> {
        let others = diesel::alias!(members as others);
        let theirs = others
            .filter(others.field(members::user_id).eq(other.as_str()))
            .select(others.field(members::organization_id));
        let query = members::table
            .filter(members::user_id.eq(user.as_str()))
            .filter(members::organization_id.eq_any(theirs))
            .select((members::role, members::disabled.nullable()));
        let rows: Vec<MemberColumns> = self.conn.all(query).await?;
        Ok(rows.into_iter().map(membership).collect::<StoreResult<Vec<_>>>()?.into_iter().flatten().collect())
    }

    async fn is_empty(&mut self) -> StoreResult<bool> {
        Ok(self.conn.maybe::<String>(users::table.select(users::id).limit(1)).await?.is_none())
    }

    async fn save(&mut self, user: &User) -> StoreResult<()> {
        self.known.user = None;
        let row = UserRow::from(user);
        if self.held.may_change(&Lockable::from(&user.id)) {
            // No upsert: PostgreSQL would lock the row as if the address changed. Then a request with an idempotency
            // key, whose row refers to the user, could wait for this one, and this one for it.
            let update = diesel::update(users::table.find(user.id.as_str())).set(&row);
            let rows = self.conn.run(prepared(update)).await.meaning("users.email", "email")?;
            return updated("user", &user.id, rows);
        }
        let insert = diesel::insert_into(users::table).values(&row);
        self.conn.run(insert).await.meaning("users.email", "email").of_new("users.id")?;
        self.held.own(Lockable::from(&user.id));
        Ok(())
    }
}
