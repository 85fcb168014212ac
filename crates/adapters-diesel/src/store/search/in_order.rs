//! Searches on SQLite, whose index returns sections in the order of their ids: what PostgreSQL does in one statement
//! ([`best_sections`](crate::sql::best_sections)) are several here, each of which stops at the limit.
use super::in_part;
use crate::error::internal;
use crate::schema::search::search_parts;
use crate::sql::{NAMED, matching_sections, one_of};
use crate::store::stored::strings;
use crate::tx::{DieselTx, Searched};
use diesel::QueryDsl;
use domain::content::search::Condition;
use domain::id::SpaceId;
use domain::ports::StoreResult;
use std::collections::BTreeSet;

/// The most parts in one search statement, which repeats the condition for each part: FTS5 takes time in proportion to
/// the square of the length of a long condition.
const MOST_PARTS: usize = 32;

/// A condition on the sections of a part.
fn condition_in(number: i64, condition: &Condition) -> Condition {
    let all = |all: &[Condition]| all.iter().map(|condition| condition_in(number, condition)).collect();
    match condition {
        Condition::Term(term) => Condition::Term(in_part(number, term)),
        Condition::Prefix(term) => Condition::Prefix(in_part(number, term)),
        Condition::All(conditions) => Condition::All(all(conditions)),
        Condition::Any(conditions) => Condition::Any(all(conditions)),
    }
}

/// Adds ids up to the limit.
fn add(found: &mut BTreeSet<i64>, more: Vec<i64>, limit: usize) {
    for id in more {
        if found.len() >= limit {
            break;
        }
        found.insert(id);
    }
}

impl DieselTx {
    /// The ids of the sections of [`candidates`](domain::ports::store::SearchIndex::candidates).
    pub(super) async fn best_in_order(
        &mut self,
        spaces: &[SpaceId],
        conditions: &[Condition],
        limit: usize,
    ) -> StoreResult<BTreeSet<i64>> {
        let Some((whole, narrower)) = conditions.split_first() else { return Ok(BTreeSet::new()) };
        let whole = self.matching_in_order(spaces, whole, limit.saturating_add(1)).await?;
        let mut found = BTreeSet::new();
        let narrower = if whole.len() > limit { narrower } else { &[] };
        for condition in narrower {
            if found.len() >= limit {
                break;
            }
            add(&mut found, self.matching_in_order(spaces, condition, limit).await?, limit);
        }
        add(&mut found, whole, limit);
        Ok(found)
    }

    /// The lowest ids of the sections that match, in order.
    pub(super) async fn matching_in_order(
        &mut self,
        spaces: &[SpaceId],
        condition: &Condition,
        limit: usize,
    ) -> StoreResult<Vec<i64>> {
        let searched = self.parts_of(spaces).await?;
        let mut found: Vec<i64> = Vec::new();
        // A frequent word is often found in the first part. For a rare one, few statements look at all parts.
        let (mut rest, mut at_once) = (searched.parts.as_slice(), 1);
        while let Some((_, lowest)) = rest.first() {
            let is_enough = found.len() >= limit && found.last().is_none_or(|last| last < lowest);
            if is_enough {
                break;
            }
            let (some, later) = rest.split_at(at_once.min(rest.len()));
            let inside: Vec<Condition> = some.iter().map(|(number, _)| condition_in(*number, condition)).collect();
            let query = matching_sections(&inside, i64::try_from(limit).map_err(internal)?);
            found.extend(self.conn.at_length().on_sqlite::<i64>(query).await?);
            found.sort_unstable();
            found.truncate(limit);
            (rest, at_once) = (later, (at_once * 4).min(MOST_PARTS));
        }
        if !self.write {
            self.searched = Some(searched);
        }
        Ok(found)
    }

    /// The parts of spaces. They are kept for the next condition of the same search.
    async fn parts_of(&mut self, spaces: &[SpaceId]) -> StoreResult<Searched> {
        if let Some(known) = self.searched.take().filter(|known| known.spaces == spaces) {
            return Ok(known);
        }
        let mut parts: Vec<(i64, i64)> = Vec::new();
        for batch in spaces.chunks(NAMED) {
            let query = search_parts::table
                .filter(one_of(search_parts::space_id, strings(batch)))
                .select((search_parts::number, search_parts::first_section));
            parts.extend(self.conn.all::<(i64, i64)>(query).await?);
        }
        parts.sort_unstable_by_key(|(number, first_section)| (*first_section, *number));
        Ok(Searched { spaces: spaces.to_vec(), parts })
    }
}
