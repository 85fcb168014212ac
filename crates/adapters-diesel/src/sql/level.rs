//! The access of members to a place, computed by the database, so that lists of members with access are read in pages.
use diesel::backend::Backend;
use diesel::expression::{AppearsOnTable, Expression, SelectableExpression, ValidGrouping, is_aggregate};
use diesel::query_builder::{AstPass, QueryFragment, QueryId};
use diesel::result::QueryResult;
use diesel::serialize::ToSql;
use diesel::sql_types::{Bool, HasSqlType, Text};
use domain::access::{DefaultLevel, Level, PlaceRules, Role};
use domain::place::{GrantTarget, PlaceId};

/// See [`has_access`].
#[derive(Clone, Debug)]
pub(crate) struct HasAccess<E> {
    places: Vec<PlaceRules>,
    role: Option<Role>,
    readers: Option<E>,
}

/// Whether a row of the table `members` has access to a place: with exactly this role, or with any. `places` are its
/// rules and those around it, from the inside out. `readers` is the condition for members who read it without a level.
///
/// This is `domain::access::decide` in SQL; a test compares the two. Levels are numbers in their order. The first rule
/// that is not NULL decides.
pub(crate) fn has_access<E>(places: &[PlaceRules], role: Option<Role>, readers: Option<E>) -> HasAccess<E> {
    HasAccess { places: places.to_vec(), role, readers }
}

impl<E> Expression for HasAccess<E> {
    type SqlType = Bool;
}
impl<E: AppearsOnTable<T>, T> AppearsOnTable<T> for HasAccess<E> {}
impl<E: SelectableExpression<T>, T> SelectableExpression<T> for HasAccess<E> {}
impl<E: ValidGrouping<G>, G> ValidGrouping<G> for HasAccess<E> {
    type IsAggregate = is_aggregate::No;
}
impl<E> QueryId for HasAccess<E> {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl<E, DB> QueryFragment<DB> for HasAccess<E>
where
    E: QueryFragment<DB>,
    DB: Backend + HasSqlType<Text>,
    str: ToSql<Text, DB>,
{
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, DB>) -> QueryResult<()> {
        let (admin, highest) = (Role::Admin, number(Level::Admin));
        out.push_sql(&format!(
            "((CASE WHEN members.disabled THEN 0 WHEN members.role = '{admin}' THEN {highest} ELSE COALESCE("
        ));
        let mut decides = false;
        for place in &self.places {
            push_grants(&place.target, &mut out)?;
            if place.sites.is_empty() || place.default != DefaultLevel::Inherit {
                decides = push_default(place.default, &mut out);
            } else {
                push_sites(&place.sites, &mut out)?;
            }
            if decides {
                break;
            }
        }
        if !decides {
            out.push_sql(&level_of("members.role"));
        }
        out.push_sql(") END)");
        let (operator, wanted) = match self.role {
            Some(role) => (" = ", Level::from(role)),
            None => (" >= ", Level::Read),
        };
        out.push_sql(operator);
        out.push_sql(&number(wanted));
        if let Some(readers) = self.readers.as_ref().filter(|_| self.role.is_none_or(|role| role == Role::Read)) {
            out.push_sql(" OR (");
            readers.walk_ast(out.reborrow())?;
            out.push_sql(")");
        }
        out.push_sql(")");
        Ok(())
    }
}

/// Adds the levels that the grants on a target give, each with a comma after it: that of the grant to the user, and the
/// highest of those to teams of the user.
fn push_grants<'b, DB>(target: &'b GrantTarget, out: &mut AstPass<'_, 'b, DB>) -> QueryResult<()>
where
    DB: Backend + HasSqlType<Text>,
    str: ToSql<Text, DB>,
{
    let column = match target {
        GrantTarget::Place(PlaceId::Space(_)) => "space_id",
        GrantTarget::Place(PlaceId::Collection(_)) => "collection_id",
        GrantTarget::Site(..) => "site_id",
    };
    let level = level_of("own.role");
    out.push_sql(&format!(
        "(SELECT {level} FROM grants AS own WHERE own.user_id = members.user_id AND own.{column} = "
    ));
    out.push_bind_param::<Text, str>(target.as_str())?;
    out.push_sql(&format!(
        "), (SELECT MAX({level}) FROM team_members AS team INNER JOIN grants AS own ON own.team_id = team.team_id \
         WHERE team.user_id = members.user_id AND own.{column} = "
    ));
    out.push_bind_param::<Text, str>(target.as_str())?;
    out.push_sql("), ");
    Ok(())
}

/// Adds the highest level that sites give, with a comma after it.
fn push_sites<'b, DB>(sites: &'b [PlaceRules], out: &mut AstPass<'_, 'b, DB>) -> QueryResult<()>
where
    DB: Backend + HasSqlType<Text>,
    str: ToSql<Text, DB>,
{
    let mut before = "(SELECT MAX(site.level) FROM (SELECT COALESCE(";
    for site in sites {
        out.push_sql(before);
        push_grants(&site.target, out)?;
        if !push_default(site.default, out) {
            out.push_sql("NULL");
        }
        out.push_sql(") AS level");
        before = " UNION ALL SELECT COALESCE(";
    }
    out.push_sql(") AS site), ");
    Ok(())
}

/// Adds the level that a default level gives, which decides for every member. Adds nothing and returns `false` if it is
/// inherited.
fn push_default<DB: Backend>(default: DefaultLevel, out: &mut AstPass<'_, '_, DB>) -> bool {
    match default {
        DefaultLevel::Inherit => return false,
        DefaultLevel::NoAccess => out.push_sql("0"),
        DefaultLevel::Role(role) => {
            out.push_sql(&format!("CASE WHEN members.role IS NULL THEN 0 ELSE {} END", number(role.into())));
        }
    }
    true
}

/// The level of a role in a column; no role means no access.
fn level_of(column: &str) -> String {
    let mut sql = format!("CASE {column}");
    for role in Role::ALL {
        sql.push_str(&format!(" WHEN '{role}' THEN {}", number((*role).into())));
    }
    sql.push_str(" ELSE 0 END");
    sql
}

/// The number of a level; [`Level::None`] is 0.
fn number(level: Level) -> String {
    (level as u8).to_string()
}

/// See [`has_role`].
#[derive(Clone, Debug)]
pub(crate) struct HasRole(Vec<Option<Role>>);

/// Whether a row of the table `members` has one of these roles; `None` for guests.
pub(crate) fn has_role(roles: &[Option<Role>]) -> HasRole {
    HasRole(roles.to_vec())
}

impl Expression for HasRole {
    type SqlType = Bool;
}
impl<T> AppearsOnTable<T> for HasRole {}
impl<T> SelectableExpression<T> for HasRole {}
impl<G> ValidGrouping<G> for HasRole {
    type IsAggregate = is_aggregate::No;
}
impl QueryId for HasRole {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl<DB: Backend> QueryFragment<DB> for HasRole {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, DB>) -> QueryResult<()> {
        let mut before = "(";
        for role in &self.0 {
            out.push_sql(before);
            match role {
                Some(role) => out.push_sql(&format!("members.role = '{role}'")),
                None => out.push_sql("members.role IS NULL"),
            }
            before = " OR ";
        }
        out.push_sql(if self.0.is_empty() { "1=0" } else { ")" });
        Ok(())
    }
}
