use super::grants::{places, places_of_missing};
use super::organizations::{MemberColumns, membership};
use super::positions::Walk;
use super::space_rows::{CountedSpace, StoredSpace, space};
use super::stored::{number, parsed, parsed_if, time, to_json, to_number};
use crate::conn::Conn;
use crate::error::Meaning;
use crate::schema::collections::moves;
use crate::schema::comments::comment_counts;
use crate::schema::notifications::notification_levels;
use crate::schema::organizations::{members, spaces};
use crate::schema::webhooks::webhooks;
use crate::sql::{
    NAMED, When, columns, count_comments, listed_comments, one_of, open_comments, ordered, prepared, seek, when,
};
use crate::tx::DieselTx;
use async_trait::async_trait;
use chrono::NaiveDateTime;
use diesel::dsl::{Eq, Gt, IsNull};
use diesel::sql_types::{Bool, Text};
use diesel::{
    AsChangeset, BoolExpressionMethods, ExpressionMethods, Insertable, IntoSql, JoinOnDsl, NullableExpressionMethods,
    QueryDsl,
};
use domain::access::{DefaultLevel, Within};
use domain::id::{CollectionId, SpaceId, UserId};
use domain::paging::{DEFAULT_LIMIT, Page, PageRequest};
use domain::place::PlaceId;
use domain::ports::store::spaces::{ForUser, SpaceFilter};
use domain::ports::store::{Lockable, SpaceStore};
use domain::ports::{StoreError, StoreResult};
use domain::space::Space;
use domain::text::Language;
use std::collections::HashMap;

/// The value of `default_level` for no access. Other values are the names of the API.
const NO_ACCESS: &str = "none";

/// A row to write; [`StoredSpace`] is a row that is read.
#[derive(Insertable, AsChangeset)]
#[diesel(table_name = spaces, treat_none_as_default_value = false, treat_none_as_null = true)]
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
    change_requests: i32,
    change_requests_open: i32,
    change_requests_draft: i32,
    position: String,
    edit_url: Option<String>,
}

impl TryFrom<&Space> for SpaceRow {
    type Error = StoreError;

    fn try_from(space: &Space) -> StoreResult<Self> {
        Ok(Self {
            id: space.id.to_string(),
            organization_id: space.organization.to_string(),
            parent_id: space.parent.as_ref().map(ToString::to_string),
            title: space.title.to_string(),
            emoji: space.emoji.to_string(),
            icon: space.icon.clone().map(String::from),
            visibility: space.visibility.to_string(),
            edit_mode: space.edit_mode.to_string(),
            default_level: to_default_level(space.default_level).to_owned(),
            language: space.language.map(|language| language.as_str().to_owned()),
            merge_rules: to_json(&space.merge_rules)?,
            revision_id: space.revision.to_string(),
            created_at: time(space.created_at),
            updated_at: time(space.updated_at),
            deleted_at: space.deleted_at.map(time),
            change_requests: to_number(space.counters.total)?,
            change_requests_open: to_number(space.counters.open)?,
            change_requests_draft: to_number(space.counters.draft)?,
            position: space.position.to_string(),
            edit_url: space.edit_url.clone().map(String::from),
        })
    }
}

/// Reads a `default_level` column.
pub(super) fn default_level(column: &'static str, text: &str) -> StoreResult<DefaultLevel> {
    Ok(match text {
        DefaultLevel::INHERIT => DefaultLevel::Inherit,
        NO_ACCESS => DefaultLevel::NoAccess,
        role => DefaultLevel::Role(parsed(column, role)?),
    })
}

/// Writes a `default_level` column.
pub(super) fn to_default_level(level: DefaultLevel) -> &'static str {
    level.word().unwrap_or(NO_ACCESS)
}

/// [`Within`] as SQL conditions.
pub(super) struct WithinConditions {
    /// Whether no row can match.
    pub(super) nothing: bool,
    /// The conditions, unless everything can be read.
    pub(super) some: Option<Conditions>,
}

/// See [`Within::Some`].
pub(super) struct Conditions {
    top: bool,
    defaults: Vec<&'static str>,
    collections: Vec<String>,
    allowed: Vec<String>,
    denied: Vec<String>,
    site_allowed: Vec<String>,
    site_denied: Vec<String>,
}

impl From<&Within> for WithinConditions {
    fn from(within: &Within) -> Self {
        match within {
            Within::Nothing => Self { nothing: true, some: None },
            Within::Everything => Self { nothing: false, some: None },
            Within::Some { top, defaults, collections, allowed, denied, site_allowed, site_denied } => {
                let defaults = defaults.iter().map(|role| role.as_str()).collect();
                let collections = collections.iter().map(CollectionId::to_string).collect();
                let ids = |spaces: &[SpaceId]| spaces.iter().map(SpaceId::to_string).collect();
                let conditions = Conditions {
                    top: *top,
                    defaults,
                    collections,
                    allowed: ids(allowed),
                    denied: ids(denied),
                    site_allowed: ids(site_allowed),
                    site_denied: ids(site_denied),
                };
                Self { nothing: false, some: Some(conditions) }
            }
        }
    }
}

/// Whether the caller can read a space: the rule of [`Within`], which is tested against `domain::access::level`.
#[diesel::dsl::auto_type]
pub(super) fn is_within(to: Conditions) -> _ {
    let inherit: &'static str = DefaultLevel::INHERIT;
    let top: bool = to.top;
    let defaults: Vec<&'static str> = to.defaults;
    let collections: Vec<String> = to.collections;
    let allowed: Vec<String> = to.allowed;
    let denied: Vec<String> = to.denied;
    let site_allowed: Vec<String> = to.site_allowed;
    let site_denied: Vec<String> = to.site_denied;
    let at_the_top = spaces::parent_id.is_null().and(top.into_sql::<Bool>());
    let around = at_the_top.nullable().or(spaces::parent_id.eq_any(collections));
    let inherited =
        spaces::id.eq_any(site_allowed).nullable().or(spaces::id.ne_all(site_denied).nullable().and(around));
    let said = spaces::default_level.eq(inherit).nullable().and(inherited);
    let spoken = spaces::default_level.eq_any(defaults);
    let let_in = spoken.nullable().or(said);
    spaces::id.eq_any(allowed).nullable().or(spaces::id.ne_all(denied).nullable().and(let_in))
}

/// The conditions for `within` and `also_within`; absent if no space can match.
fn within_conditions(filter: &SpaceFilter) -> Option<(Option<Conditions>, Option<Conditions>)> {
    let [within, also] = [&filter.within, &filter.also_within].map(WithinConditions::from);
    (!within.nothing && !also.nothing).then_some((within.some, also.some))
}

/// A [`SpaceFilter`] as one SQL condition, with its [`within_conditions`].
#[diesel::dsl::auto_type]
fn matches_filter<'a>(filter: &'a SpaceFilter, within: Option<Conditions>, also: Option<Conditions>) -> _ {
    let organization: &'a str = filter.organization.as_str();
    let kept: When<IsNull<spaces::deleted_at>> =
        when(filter.deleted_after.is_none().then(|| spaces::deleted_at.is_null()));
    let deleted: When<Gt<spaces::deleted_at, NaiveDateTime>> =
        when(filter.deleted_after.map(|after| spaces::deleted_at.gt(time(after))));
    let inside: When<Eq<spaces::parent_id, &'a str>> =
        when(filter.parent.as_ref().map(|parent| spaces::parent_id.eq(parent.as_str())));
    let within: When<is_within> = when(within.map(is_within));
    let also: When<is_within> = when(also.map(is_within));
    spaces::organization_id.eq(organization).and(kept).and(deleted).and(inside).and(within).and(also)
}

/// A space, and the membership of a user in its organization.
type Found = (CountedSpace, MemberColumns);

/// Adds the numbers of open comments to the spaces of a page of a list.
///
/// A subquery for each space takes PostgreSQL longer than all the rest of a long list. This statement finds the counts
/// of all spaces of the list between the first and the last position of the page. Without the filter, it would read the
/// counts of a whole organization for a caller who sees a few of its spaces.
async fn add_comments(conn: &mut Conn, filter: &SpaceFilter, listed: &mut [Space]) -> StoreResult<()> {
    let positions = || listed.iter().map(|space| space.position.as_str());
    let (Some(first), Some(last)) = (positions().min(), positions().max()) else { return Ok(()) };
    let Some((within, also)) = within_conditions(filter) else { return Ok(()) };
    let query = comment_counts::table
        .inner_join(spaces::table.on(spaces::id.eq(comment_counts::space_id)))
        .filter(matches_filter(filter, within, also))
        .filter(spaces::position.ge(first))
        .filter(spaces::position.le(last))
        .select((comment_counts::space_id, comment_counts::comments));
    let rows: Vec<(String, i64)> = conn.all(query).await?;
    let mut counts: HashMap<&str, i64> = HashMap::new();
    for (space, comments) in &rows {
        *counts.entry(space).or_default() += comments;
    }
    for space in listed {
        if let Some(comments) = counts.get(space.id.as_str()) {
            space.counters.comments = number("comment_counts.comments", *comments)?;
        }
    }
    Ok(())
}

/// Whether the organization of a space of a query has an enabled webhook.
#[diesel::dsl::auto_type]
fn has_webhook() -> _ {
    let enabled = webhooks::table
        .filter(webhooks::organization_id.eq(spaces::organization_id))
        .filter(webhooks::disabled_at.is_null());
    diesel::dsl::exists(enabled)
}

/// Whether a user has set a notification level for a space of a query.
#[diesel::dsl::auto_type]
fn has_level() -> _ {
    let of_space = notification_levels::table.filter(notification_levels::space_id.eq(spaces::id));
    diesel::dsl::exists(of_space)
}

#[async_trait]
impl SpaceStore for DieselTx {
    async fn find<'a>(&mut self, id: &SpaceId, user: Option<&'a UserId>) -> StoreResult<Option<ForUser<Space>>> {
        let own = members::organization_id
            .eq(spaces::organization_id)
            .and(members::user_id.eq(user.map_or("", UserId::as_str)));
        let wanted = spaces::table.left_join(members::table.on(own)).filter(spaces::id.eq(id.as_str()));
        let columns =
            ((columns::<StoredSpace>(), open_comments()), (members::role.nullable(), members::disabled.nullable()));
        // Most writes in a space send its events to webhooks, and many notify users.
        let found = if self.write {
            let query = wanted.select((columns, has_webhook(), has_level()));
            self.conn.maybe::<(Found, bool, bool)>(query).await?
        } else {
            self.conn.maybe::<Found>(wanted.select(columns)).await?.map(|found| (found, true, true))
        };
        let id = PlaceId::Space(id.clone());
        let Some(((row, member), has_webhook, has_level)) = found else {
            places_of_missing(self, &id, user).await?;
            return Ok(None);
        };
        let (entity, membership) = (space(row)?, membership(member)?);
        self.known.without_webhooks = (!has_webhook).then(|| entity.organization.clone());
        self.known.without_levels = (!has_level).then(|| entity.id.clone());
        let places = places(self, &id, entity.parent.as_ref(), entity.default_level, membership, user).await?;
        Ok(Some(ForUser { entity, membership, places }))
    }

    async fn find_many(&mut self, ids: &[SpaceId]) -> StoreResult<Vec<Space>> {
        let mut found = Vec::new();
        // Links in content can name any number of spaces that do not exist.
        for batch in ids.chunks(NAMED) {
            let query = spaces::table
                .filter(one_of(spaces::id, batch.iter().map(SpaceId::as_str)))
                .filter(spaces::deleted_at.is_null())
                .select((columns::<StoredSpace>(), open_comments()));
            found.extend(self.conn.all::<CountedSpace>(query).await?);
        }
        found.into_iter().map(space).collect()
    }

    async fn list(&mut self, filter: &SpaceFilter, page: &PageRequest) -> StoreResult<Option<Page<Space>>> {
        let Some((within, also)) = within_conditions(filter) else { return Ok(Some(Page::default())) };
        let Some(walk) = Walk::of(self, &filter.organization, page).await? else { return Ok(None) };
        let after = walk.after().map(|(position, id)| (position.into_sql::<Text>(), id.into_sql::<Text>()));
        let wanted = spaces::table.filter(matches_filter(filter, within, also));
        let apart = page.limit > DEFAULT_LIMIT;
        let columns = || (columns::<StoredSpace>(), listed_comments(apart));
        let query = wanted
            .clone()
            .filter(when(walk.moves_since().map(|since| {
                let moved = moves::table.filter(moves::organization_id.eq(filter.organization.as_str()));
                spaces::id.ne_all(moved.filter(moves::number.gt(since)).select(moves::place_id))
            })))
            .filter(seek((spaces::position, spaces::id), after, page.order))
            .order((ordered(spaces::position, page.order), ordered(spaces::id, page.order)))
            .limit(page.limit as i64 + 1)
            .select(columns());
        let found: Vec<CountedSpace> = self.conn.all(query).await?;
        let moved = walk.with_moved(&mut self.conn, found, page.limit, |conn, ids| {
            conn.all(wanted.clone().filter(spaces::id.eq_any(ids)).select(columns()))
        });
        let found = moved.await?;
        let total = self.conn.total(found.len(), page, wanted.count()).await?;
        let mut page = walk.page(self, found, page, total).await?.try_map(space)?;
        if apart {
            add_comments(&mut self.conn, filter, &mut page.items).await?;
        }
        Ok(Some(page))
    }

    async fn languages(&mut self, filter: &SpaceFilter) -> StoreResult<Vec<(SpaceId, Option<Language>)>> {
        let Some((within, also)) = within_conditions(filter) else { return Ok(Vec::new()) };
        let query = spaces::table.filter(matches_filter(filter, within, also)).select((spaces::id, spaces::language));
        let rows: Vec<(String, Option<String>)> = self.conn.all(query).await?;
        let read = |(id, language): (String, Option<String>)| {
            Ok((parsed("spaces.id", &id)?, parsed_if("spaces.language", language.as_deref())?))
        };
        rows.into_iter().map(read).collect()
    }

    async fn within(&mut self, collections: &[CollectionId]) -> StoreResult<Vec<Space>> {
        let mut found = Vec::new();
        for batch in collections.chunks(NAMED) {
            let query = spaces::table
                .filter(spaces::parent_id.eq_any(batch.iter().map(CollectionId::as_str)))
                .order(spaces::id.asc())
                .select((columns::<StoredSpace>(), open_comments()));
            found.extend(self.conn.all::<CountedSpace>(query).await?);
        }
        found.into_iter().map(space).collect()
    }

    async fn exists(&mut self, id: &SpaceId) -> StoreResult<bool> {
        let query = spaces::table.find(id.as_str()).filter(spaces::deleted_at.is_null()).select(spaces::id);
        Ok(self.conn.maybe::<String>(query).await?.is_some())
    }

    async fn count_comments(&mut self, id: &SpaceId, change: i32) -> StoreResult<()> {
        self.conn.send(count_comments(id.as_str(), change.into())).await
    }

    async fn save(&mut self, space: &Space) -> StoreResult<()> {
        let row = SpaceRow::try_from(space)?;
        let insert = diesel::insert_into(spaces::table).values(&row);
        if self.held.may_change(&Lockable::from(&space.id)) {
            return self.conn.send(prepared(insert.on_conflict(spaces::id).do_update().set(&row))).await;
        }
        self.conn.run(insert).await.of_new("spaces.id")?;
        self.held.own(Lockable::from(&space.id));
        self.known.unindexed = Some(space.id.clone());
        Ok(())
    }
}
