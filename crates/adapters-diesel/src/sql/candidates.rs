//! Searches on PostgreSQL. SQLite needs many short statements for the same; each would be a round trip here.
use super::condition::tsquery_of_a_part;
use diesel::expression::{AppearsOnTable, Expression, SelectableExpression, ValidGrouping, is_aggregate};
use diesel::pg::Pg;
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use diesel::result::QueryResult;
use diesel::sql_types::{Array, BigInt, Bool, Text};
use domain::content::search::Condition;

/// See [`best_sections`].
#[derive(Clone, Debug)]
pub(crate) struct BestSections<C> {
    id: C,
    spaces: Vec<String>,
    tsqueries: Vec<String>,
    limit: u32,
}

/// Whether `id` is that of one of the best sections for some conditions: see
/// [`candidates`](domain::ports::store::SearchIndex::candidates).
pub(crate) fn best_sections<C>(id: C, spaces: Vec<String>, conditions: &[Condition], limit: u32) -> BestSections<C> {
    BestSections { id, spaces, tsqueries: conditions.iter().map(tsquery_of_a_part).collect(), limit }
}

impl<C> Expression for BestSections<C> {
    type SqlType = Bool;
}
impl<C: AppearsOnTable<T>, T> AppearsOnTable<T> for BestSections<C> {}
impl<C: SelectableExpression<T>, T> SelectableExpression<T> for BestSections<C> {}
impl<C: ValidGrouping<G>, G> ValidGrouping<G> for BestSections<C> {
    type IsAggregate = is_aggregate::No;
}
/// The limit is a part of the SQL.
impl<C> QueryId for BestSections<C> {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}

/// The parts of spaces in the order of their first sections, up to the list of spaces. The planner does not know the
/// spaces, so it makes one plan for all searches, which PostgreSQL keeps.
const PARTS: &str = "part AS MATERIALIZED (\
     SELECT number, row_number() OVER ids AS n, sum(sections) OVER ids AS sections, \
     lead(first_section) OVER ids AS next FROM search_parts WHERE space_id = ANY(ARRAY(SELECT unnest(";
/// The rest of [`PARTS`].
const END_OF_PARTS: &str = "::text[]))) WINDOW ids AS (ORDER BY first_section, number))";

/// The loop, up to the list of conditions. The index returns all sections of a part that match, in no order; so a
/// search reads the parts step by step, and one condition after the other. Each row is a step:
///
/// - `condition` is the number of the condition, from 1;
/// - `n` is the last part that was read, `sections` the number of sections up to it, and `next` the first section of
///   the next part;
/// - `found` has the first sections of the condition so far, one more than the limit.
///
/// A condition has ended if no later section can be among its first. The next one begins if the first one has found
/// more than the limit, and none of the others has. A step reads one part, or up to twice as many sections as the steps
/// of its condition before it: a frequent word is often found in the first part, and few steps look for a rare one in
/// all parts.
///
/// One scan of the index looks at up to four parts: for each section that it finds, it looks at the terms of all of
/// them, but each scan reads the list of entries that are not yet in the index proper. The planner does not know the
/// terms, so it expects few rows: if it knew a frequent term, it would read the whole table. Ordered by the plain
/// column, it could read the table in that order instead.
const STEPS: &str = ", step (condition, n, sections, next, found) AS (\
     SELECT 0, CAST(0 AS bigint), CAST(0 AS numeric), CAST(NULL AS bigint), CAST('{}' AS bigint[]) \
     UNION ALL \
     SELECT here.condition, upto.n, upto.sections, upto.next, ARRAY(\
       SELECT id FROM (\
         SELECT unnest(here.found) \
         UNION ALL \
         SELECT hit.rowid FROM (\
           SELECT string_agg(replace(wanted.terms, E'\\x01', part.number || ':'), ' | ') AS terms FROM part \
           WHERE part.n > here.n AND part.n <= upto.n GROUP BY (part.n - here.n - 1) / 4\
         ) AS inside CROSS JOIN LATERAL (\
           SELECT rowid FROM search_index WHERE lexemes @@ CAST(inside.terms AS tsquery) \
           ORDER BY rowid + 0 LIMIT {more}\
         ) AS hit\
       ) AS hits (id) ORDER BY id LIMIT {more}) \
     FROM step AS last \
     CROSS JOIN LATERAL (SELECT last.next IS NULL OR last.found[{more}] < last.next IS TRUE AS ended) AS so \
     CROSS JOIN LATERAL (\
       SELECT last.condition, last.n, last.sections, last.found WHERE NOT ended \
       UNION ALL \
       SELECT last.condition + 1, 0, 0, '{}' \
       WHERE ended AND (last.condition = 0 OR (last.condition = 1) = (cardinality(last.found) = {more}))\
     ) AS here \
     CROSS JOIN LATERAL (SELECT (";
/// The rest of [`STEPS`].
const END_OF_STEPS: &str = "::text[])[here.condition] AS terms) AS wanted \
     CROSS JOIN LATERAL (\
       SELECT part.n, part.sections, part.next FROM part \
       WHERE part.n = here.n + 1 OR part.n > here.n AND part.sections <= here.sections * 3 \
       ORDER BY part.n DESC LIMIT 1\
     ) AS upto \
     WHERE wanted.terms IS NOT NULL)";

/// Of each condition, what its last step has found; the first condition comes last.
const RESULT: &str = " SELECT id FROM (\
       SELECT DISTINCT ON (id) id, condition, at \
       FROM (SELECT DISTINCT ON (condition) condition, found FROM step ORDER BY condition, n DESC) AS ended \
       CROSS JOIN LATERAL unnest(ended.found) WITH ORDINALITY AS hits (id, at) \
       ORDER BY id, condition = 1, condition\
     ) AS found ORDER BY condition = 1, condition, at LIMIT {limit}";

impl<C: QueryFragment<Pg>> QueryFragment<Pg> for BestSections<C> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        let more = u64::from(self.limit).saturating_add(1).to_string();
        self.id.walk_ast(out.reborrow())?;
        out.push_sql(" = ANY(ARRAY(WITH RECURSIVE ");
        out.push_sql(PARTS);
        out.push_bind_param::<Array<Text>, _>(&self.spaces)?;
        out.push_sql(END_OF_PARTS);
        out.push_sql(&STEPS.replace("{more}", &more));
        out.push_bind_param::<Array<Text>, _>(&self.tsqueries)?;
        out.push_sql(END_OF_STEPS);
        out.push_sql(&RESULT.replace("{limit}", &self.limit.to_string()));
        out.push_sql("))");
        Ok(())
    }
}

/// See [`occurring`].
#[derive(Clone, Debug, QueryId)]
pub(crate) struct Occurring {
    spaces: Vec<String>,
    tsqueries: Vec<String>,
}

/// A query for the numbers of the conditions, from 1, that a section in these spaces matches.
pub(crate) fn occurring(spaces: Vec<String>, conditions: &[Condition]) -> Occurring {
    Occurring { spaces, tsqueries: conditions.iter().map(tsquery_of_a_part).collect() }
}

impl Query for Occurring {
    type SqlType = BigInt;
}

/// It looks for each condition in the first part and then in four at a time, until a section matches. Without an order,
/// the planner would read the table up to a section that matches.
impl QueryFragment<Pg> for Occurring {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.push_sql("WITH ");
        out.push_sql(PARTS);
        out.push_bind_param::<Array<Text>, _>(&self.spaces)?;
        out.push_sql(END_OF_PARTS);
        out.push_sql(" SELECT wanted.at FROM unnest(");
        out.push_bind_param::<Array<Text>, _>(&self.tsqueries)?;
        out.push_sql(
            "::text[]) WITH ORDINALITY AS wanted (terms, at) WHERE EXISTS (\
               SELECT 1 FROM (\
                 SELECT string_agg(replace(wanted.terms, E'\\x01', part.number || ':'), ' | ') AS terms FROM part \
                 GROUP BY (part.n + 2) / 4 ORDER BY (part.n + 2) / 4\
               ) AS inside CROSS JOIN LATERAL (\
                 SELECT 1 FROM search_index WHERE lexemes @@ CAST(inside.terms AS tsquery) ORDER BY rowid + 0 LIMIT 1\
               ) AS hit)",
        );
        Ok(())
    }
}
