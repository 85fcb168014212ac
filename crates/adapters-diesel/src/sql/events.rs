use diesel::pg::Pg;
use diesel::query_builder::{AstPass, QueryFragment, QueryId};
use diesel::result::QueryResult;
use diesel::sql_types::{BigInt, Text};
use diesel::sqlite::Sqlite;

/// See [`count_events`].
#[derive(Clone, Debug, QueryId)]
pub(crate) struct CountEvents {
    organization: String,
    action: String,
    events: i64,
}

/// Adds new events to one row of `event_counts`, or inserts a row if none is free.
pub(crate) fn count_events(organization: &str, action: &str, events: i64) -> CountEvents {
    CountEvents { organization: organization.to_owned(), action: action.to_owned(), events }
}

/// Rows that other units of work have locked are skipped. So no unit of work waits for another one, and the order of
/// locks does not matter.
impl QueryFragment<Pg> for CountEvents {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        // As a plain subquery, it could be evaluated several times and lock several rows.
        out.push_sql("WITH free AS (SELECT id FROM event_counts WHERE organization_id = ");
        out.push_bind_param::<Text, _>(&self.organization)?;
        out.push_sql(" AND action = ");
        out.push_bind_param::<Text, _>(&self.action)?;
        out.push_sql(
            " ORDER BY id LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED), \
             counted AS (UPDATE event_counts SET events = events + ",
        );
        out.push_bind_param::<BigInt, _>(&self.events)?;
        out.push_sql(
            " WHERE id = (SELECT id FROM free) RETURNING id) \
             INSERT INTO event_counts (organization_id, action, events) SELECT CAST(",
        );
        out.push_bind_param::<Text, _>(&self.organization)?;
        out.push_sql(" AS TEXT), CAST(");
        out.push_bind_param::<Text, _>(&self.action)?;
        out.push_sql(" AS TEXT), CAST(");
        out.push_bind_param::<BigInt, _>(&self.events)?;
        out.push_sql(" AS BIGINT) WHERE NOT EXISTS (SELECT 1 FROM counted)");
        Ok(())
    }
}

impl QueryFragment<Sqlite> for CountEvents {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Sqlite>) -> QueryResult<()> {
        // Without a row, the id is NULL, and SQLite makes one.
        out.push_sql(
            "INSERT INTO event_counts (id, organization_id, action, events) VALUES (\
             (SELECT id FROM event_counts WHERE organization_id = ",
        );
        out.push_bind_param::<Text, _>(&self.organization)?;
        out.push_sql(" AND action = ");
        out.push_bind_param::<Text, _>(&self.action)?;
        out.push_sql(" ORDER BY id LIMIT 1), ");
        out.push_bind_param::<Text, _>(&self.organization)?;
        out.push_sql(", ");
        out.push_bind_param::<Text, _>(&self.action)?;
        out.push_sql(", ");
        out.push_bind_param::<BigInt, _>(&self.events)?;
        out.push_sql(") ON CONFLICT (id) DO UPDATE SET events = event_counts.events + excluded.events");
        Ok(())
    }
}
