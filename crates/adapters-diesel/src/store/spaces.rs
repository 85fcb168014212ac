use super::organizations::{MemberColumns, membership};
use super::stored::{json, number, parsed, parsed_if, time, to_json, to_number, to_word, word};
use crate::schema::organizations::{members, spaces};
use crate::sql::{Lock, columns, locked, ordered, seek, when};
use crate::tx::DieselTx;
use async_trait::async_trait;
use chrono::NaiveDateTime;
use diesel::sql_types::Text;
use diesel::{
    AsChangeset, BoolExpressionMethods, ExpressionMethods, Insertable, IntoSql, JoinOnDsl, NullableExpressionMethods,
    QueryDsl, Queryable, Selectable,
};
use domain::access::{DefaultLevel, Place, Role};
use domain::change_request::Counters;
use domain::id::{OrganizationId, SpaceId, UserId};
use domain::paging::{Page, PageRequest};
use domain::ports::store::SpaceStore;
use domain::ports::store::spaces::Reach;
use domain::ports::{StoreError, StoreResult};
use domain::space::Space;

/// How `default_level` says that the place outwards decides; otherwise it is a role, or [`NOBODY`].
const INHERIT: &str = "inherit";
/// How `default_level` says that nobody gets in.
const NOBODY: &str = "none";

#[derive(Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(table_name = spaces, treat_none_as_default_value = false, treat_none_as_null = true)]
#[diesel(check_for_backend(diesel::pg::Pg, diesel::sqlite::Sqlite))]
struct SpaceRow {
    id: String,
    organization_id: String,
    parent_id: Option<String>,
    title: String,
    emoji: String,
    icon: Option<String>,
    visibility: String,
    edit_mode: String,
    default_level: String,
    language: Option<String>,
    merge_rules: serde_json::Value,
    revision_id: String,
    created_at: NaiveDateTime,
    updated_at: NaiveDateTime,
    deleted_at: Option<NaiveDateTime>,
    comments: i32,
    change_requests: i32,
    change_requests_open: i32,
    change_requests_draft: i32,
}

impl TryFrom<SpaceRow> for Space {
    type Error = StoreError;

    fn try_from(row: SpaceRow) -> StoreResult<Self> {
        Ok(Self {
            id: parsed("spaces.id", &row.id)?,
            organization: parsed("spaces.organization_id", &row.organization_id)?,
            parent: parsed_if("spaces.parent_id", row.parent_id.as_deref())?,
            title: parsed("spaces.title", &row.title)?,
            emoji: parsed("spaces.emoji", &row.emoji)?,
            icon: row.icon,
            visibility: word("spaces.visibility", row.visibility)?,
            edit_mode: word("spaces.edit_mode", row.edit_mode)?,
            default_level: match row.default_level.as_str() {
                INHERIT => DefaultLevel::Inherit,
                NOBODY => DefaultLevel::Nobody,
                role => DefaultLevel::Role(parsed("spaces.default_level", role)?),
            },
            language: parsed_if("spaces.language", row.language.as_deref())?,
            merge_rules: json("spaces.merge_rules", row.merge_rules)?,
            revision: parsed("spaces.revision_id", &row.revision_id)?,
            counters: Counters {
                total: number("spaces.change_requests", row.change_requests)?,
                open: number("spaces.change_requests_open", row.change_requests_open)?,
                draft: number("spaces.change_requests_draft", row.change_requests_draft)?,
                comments: number("spaces.comments", row.comments)?,
            },
            created_at: row.created_at.and_utc(),
            updated_at: row.updated_at.and_utc(),
            deleted_at: row.deleted_at.map(|at| at.and_utc()),
        })
    }
}

impl TryFrom<&Space> for SpaceRow {
    type Error = StoreError;

    fn try_from(space: &Space) -> StoreResult<Self> {
        let default_level = match space.default_level {
            DefaultLevel::Inherit => INHERIT,
            DefaultLevel::Nobody => NOBODY,
            DefaultLevel::Role(role) => role.as_str(),
        };
        Ok(Self {
            id: space.id.to_string(),
            organization_id: space.organization.to_string(),
            parent_id: space.parent.as_ref().map(ToString::to_string),
            title: space.title.to_string(),
            emoji: space.emoji.to_string(),
            icon: space.icon.clone(),
            visibility: to_word(&space.visibility)?,
            edit_mode: to_word(&space.edit_mode)?,
            default_level: default_level.to_owned(),
            language: space.language.map(|language| language.code().to_owned()),
            merge_rules: to_json(&space.merge_rules)?,
            revision_id: space.revision.to_string(),
            created_at: time(space.created_at),
            updated_at: time(space.updated_at),
            deleted_at: space.deleted_at.map(time),
            comments: to_number(space.counters.comments)?,
            change_requests: to_number(space.counters.total)?,
            change_requests_open: to_number(space.counters.open)?,
            change_requests_draft: to_number(space.counters.draft)?,
        })
    }
}

fn reach((row, member): (SpaceRow, MemberColumns)) -> StoreResult<Reach> {
    let space = Space::try_from(row)?;
    let places = vec![Place { default: space.default_level, ..Place::default() }];
    Ok(Reach { space, membership: membership(member)?, places })
}

/// Whether the member of a left join may read the space: the rule of `domain::access::level`, for the question whether
/// there is a level at all.
#[diesel::dsl::auto_type]
pub(super) fn readable() -> _ {
    let administrator: &'static str = Role::Admin.as_str();
    let admin = members::role.eq(administrator);
    let nobody: &'static str = NOBODY;
    let let_in = members::role.is_not_null().and(spaces::default_level.ne(nobody).nullable());
    members::disabled.eq(false).and(admin.or(let_in))
}

#[async_trait]
impl SpaceStore for DieselTx {
    async fn find<'a>(&mut self, id: &SpaceId, user: Option<&'a UserId>) -> StoreResult<Option<Reach>> {
        if self.lock() != Lock::None {
            // The lock first, then the question: an answer from before the wait for it may tell of a right that was
            // taken away meanwhile.
            let lock = locked(spaces::table.find(id.as_str()).select(spaces::id), self.lock());
            self.conn.maybe::<String>(lock).await?;
        }
        let user = user.map_or("", UserId::as_str);
        let own = members::organization_id.eq(spaces::organization_id).and(members::user_id.eq(user));
        let query = spaces::table
            .left_join(members::table.on(own))
            .filter(spaces::id.eq(id.as_str()))
            .select((columns::<SpaceRow>(), (members::role.nullable(), members::disabled.nullable())));
        self.conn.maybe(query).await?.map(reach).transpose()
    }

    async fn list<'a>(
        &mut self,
        organization: &OrganizationId,
        user: Option<&'a UserId>,
        page: &PageRequest,
    ) -> StoreResult<Page<Reach>> {
        let after = page.after.as_deref().map(IntoSql::into_sql::<Text>);
        let own = members::organization_id
            .eq(spaces::organization_id)
            .and(members::user_id.eq(user.map_or("", UserId::as_str)));
        let query = spaces::table
            .left_join(members::table.on(own))
            .filter(spaces::organization_id.eq(organization.as_str()))
            .filter(spaces::deleted_at.is_null())
            .filter(when(user.map(|_| readable())))
            .filter(seek(spaces::id, after, page.order))
            .order(ordered(spaces::id, page.order))
            .limit(page.limit as i64 + 1)
            .select((columns::<SpaceRow>(), (members::role.nullable(), members::disabled.nullable())));
        let rows: Vec<(SpaceRow, MemberColumns)> = self.conn.all(query).await?;
        Page::from_overfetch(rows, page, |(row, _)| row.id.clone()).try_map(reach)
    }

    async fn save(&mut self, space: &Space) -> StoreResult<()> {
        let row = SpaceRow::try_from(space)?;
        let upsert = diesel::insert_into(spaces::table).values(&row).on_conflict(spaces::id).do_update().set(&row);
        self.conn.run(upsert).await.map(drop)
    }
}
