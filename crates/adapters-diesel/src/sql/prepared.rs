use diesel::backend::Backend;
use diesel::connection::Connection;
use diesel::pg::Pg;
use diesel::query_builder::{AstPass, CollectedQuery, MoveableBindCollector, QueryBuilder, QueryFragment, QueryId};
use diesel::query_dsl::methods::ExecuteDsl;
use diesel::result::QueryResult;
use diesel::sqlite::{Sqlite, SqliteConnection, SqliteQueryBuilder};

/// See [`prepared`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Prepared<S>(S);

/// An update or an upsert that stays prepared. diesel prepares such statements every time, because a changeset can
/// leave out columns; parsing then takes longer than execution. This node looks the statement up by its text.
///
/// Do not use it with `eq_any` or [`one_of()`](super::one_of()), whose text on SQLite depends on the number of values.
pub(crate) fn prepared<S>(statement: S) -> Prepared<S> {
    Prepared(statement)
}

impl<S> QueryId for Prepared<S> {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl<S: QueryFragment<Pg>> QueryFragment<Pg> for Prepared<S> {
    fn walk_ast<'b>(&'b self, out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        self.0.walk_ast(out)
    }

    fn is_safe_to_cache_prepared(&self, _: &Pg) -> QueryResult<bool> {
        Ok(true)
    }
}

/// diesel executes a reference to the statement, and a reference does not forward that the statement can be cached.
impl<S: QueryFragment<Sqlite>> ExecuteDsl<SqliteConnection, Sqlite> for Prepared<S> {
    fn execute(Self(statement): Self, conn: &mut SqliteConnection) -> QueryResult<usize> {
        let mut text = SqliteQueryBuilder::default();
        statement.to_sql(&mut text, &Sqlite)?;
        let mut values = <Sqlite as Backend>::BindCollector::default();
        statement.collect_binds(&mut values, &mut (), &Sqlite)?;
        conn.execute_returning_count(&CollectedQuery::new(text.finish(), true, values.moveable()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::organizations::spaces;
    use diesel::connection::{InstrumentationEvent, SimpleConnection};
    use diesel::{ExpressionMethods, QueryDsl};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn an_update_stays_prepared() {
        let update = |open| diesel::update(spaces::table.find("a")).set(spaces::change_requests_open.eq(open));
        assert!(QueryFragment::<Pg>::is_safe_to_cache_prepared(&prepared(update(1)), &Pg).unwrap());

        let mut conn = SqliteConnection::establish(":memory:").unwrap();
        let table = "CREATE TABLE spaces (id TEXT, change_requests_open INTEGER); INSERT INTO spaces VALUES ('a', 0)";
        conn.batch_execute(table).unwrap();
        let kept = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&kept);
        conn.set_instrumentation(move |event: InstrumentationEvent<'_>| {
            if matches!(event, InstrumentationEvent::CacheQuery { .. }) {
                count.fetch_add(1, Ordering::Relaxed);
            }
        });
        for open in 1..=3 {
            assert_eq!(ExecuteDsl::execute(prepared(update(open)), &mut conn), Ok(1));
        }
        assert_eq!(kept.load(Ordering::Relaxed), 1, "prepared once and kept");
        let stored: QueryResult<Vec<i32>> =
            diesel::RunQueryDsl::load(spaces::table.select(spaces::change_requests_open), &mut conn);
        assert_eq!(stored, Ok(vec![3_i32]), "each time with its own values");
    }
}
