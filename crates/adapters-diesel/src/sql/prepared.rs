use diesel::backend::Backend;
use diesel::query_builder::{AstPass, QueryFragment, QueryId};
use diesel::result::QueryResult;

/// See [`prepared`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Prepared<S>(S);

/// An update or an upsert that stays prepared. diesel prepares each again, since a changeset can leave out columns,
/// and then parsing takes longer than running it. Here it is found by its text.
///
/// Not for `eq_any`, which has another text on SQLite for each number of values.
pub(crate) fn prepared<S>(statement: S) -> Prepared<S> {
    Prepared(statement)
}

impl<S> QueryId for Prepared<S> {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl<S: QueryFragment<DB>, DB: Backend> QueryFragment<DB> for Prepared<S> {
    fn walk_ast<'b>(&'b self, out: AstPass<'_, 'b, DB>) -> QueryResult<()> {
        self.0.walk_ast(out)
    }

    fn is_safe_to_cache_prepared(&self, _: &DB) -> QueryResult<bool> {
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::organizations::spaces;
    use diesel::pg::Pg;
    use diesel::sqlite::Sqlite;
    use diesel::{ExpressionMethods, QueryDsl};

    #[test]
    fn an_update_stays_prepared() {
        let update = prepared(diesel::update(spaces::table.find("a")).set(spaces::comments.eq(1)));
        assert!(QueryFragment::<Sqlite>::is_safe_to_cache_prepared(&update, &Sqlite).unwrap());
        assert!(QueryFragment::<Pg>::is_safe_to_cache_prepared(&update, &Pg).unwrap());
    }
}
