mod in_order;

use super::stored::{parsed, parsed_if, strings, to_number};
use crate::error::internal;
use crate::schema::search::{
    search_inclusions, search_index, search_parts, search_sections, search_spaces, search_words,
};
use crate::sql::{
    NAMED, best_sections, columns, lexemes, next_sections, occurring, one_of, prepared, remove_empty_parts,
};
use crate::tx::DieselTx;
use async_trait::async_trait;
use diesel::{
    BoolExpressionMethods, ExpressionMethods, Insertable, NullableExpressionMethods, QueryDsl, Queryable, Selectable,
};
use domain::content::search::{Candidate, Condition, IndexedPage, SectionId, SectionText, VERSION, variants};
use domain::id::{PageId, ReusableContentId, SpaceId};
use domain::ports::store::SearchIndex;
use domain::ports::{StoreError, StoreResult};
use std::collections::BTreeSet;

#[derive(Insertable)]
#[diesel(table_name = search_sections, treat_none_as_default_value = false)]
struct SectionRow {
    id: i64,
    space_id: String,
    page_id: String,
    ordinal: i32,
    terms: String,
    anchor: Option<String>,
    heading: String,
    body: String,
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = search_sections)]
#[diesel(check_for_backend(diesel::pg::Pg, diesel::sqlite::Sqlite))]
struct CandidateRow {
    id: i64,
    space_id: String,
    page_id: String,
    ordinal: i32,
    terms: String,
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = search_sections)]
#[diesel(check_for_backend(diesel::pg::Pg, diesel::sqlite::Sqlite))]
struct TextRow {
    id: i64,
    anchor: Option<String>,
    heading: String,
    body: String,
}

#[derive(Insertable)]
#[diesel(table_name = search_words, treat_none_as_default_value = false)]
struct WordRow {
    variant: String,
    word: String,
}

impl TryFrom<CandidateRow> for Candidate {
    type Error = StoreError;

    fn try_from(row: CandidateRow) -> StoreResult<Self> {
        Ok(Self {
            section: SectionId(row.id),
            space: parsed("search_sections.space_id", &row.space_id)?,
            page: parsed("search_sections.page_id", &row.page_id)?,
            ordinal: u32::try_from(row.ordinal).map_err(internal)?,
            terms: row.terms,
        })
    }
}

impl From<TextRow> for SectionText {
    fn from(row: TextRow) -> Self {
        Self { section: SectionId(row.id), anchor: row.anchor, heading: row.heading, body: row.body }
    }
}

/// The number of sections after which a part of a space is full, on PostgreSQL. A search reads all sections of a part
/// that match, so a part must not be long. But it looks up a rare word in each part, so they must not be many. FTS5
/// stops at the limit of a search, and takes longer to look up a word: on SQLite, a space has one part.
const FULL_PART: i64 = 8_192;
/// The same for the first part, in which a frequent word is often found.
const FULL_FIRST_PART: i64 = 2_048;

#[derive(Queryable, Selectable)]
#[diesel(table_name = search_parts)]
#[diesel(check_for_backend(diesel::pg::Pg, diesel::sqlite::Sqlite))]
struct PartRow {
    number: i64,
    first_section: i64,
    sections: i64,
}

/// A term in a part.
fn in_part(number: i64, term: &str) -> String {
    format!("{number}:{term}")
}

fn numbers(sections: &[SectionId]) -> Vec<i64> {
    sections.iter().map(|section| section.0).collect()
}

/// Words by their variants, in one order everywhere, so that two units of work cannot deadlock.
fn variant_rows(words: &BTreeSet<String>) -> Vec<WordRow> {
    let pairs = words.iter().flat_map(|word| variants(word).into_iter().map(move |variant| (variant, word)));
    let pairs: BTreeSet<(String, &String)> = pairs.collect();
    pairs.into_iter().map(|(variant, word)| WordRow { variant, word: word.clone() }).collect()
}

#[derive(Insertable)]
#[diesel(table_name = search_inclusions, treat_none_as_default_value = false)]
struct InclusionRow {
    space_id: String,
    reusable_content_id: String,
    page_id: String,
}

fn inclusion_rows(space: &SpaceId, pages: &[IndexedPage]) -> Vec<InclusionRow> {
    let mut rows = Vec::new();
    for page in pages {
        let row = |content: &ReusableContentId| InclusionRow {
            space_id: space.to_string(),
            reusable_content_id: content.to_string(),
            page_id: page.page.to_string(),
        };
        rows.extend(page.contents.iter().map(row));
    }
    rows
}

impl DieselTx {
    /// The last part of a space, and the one before it.
    async fn last_parts(&mut self, space: &SpaceId) -> StoreResult<Vec<PartRow>> {
        let parts = search_parts::table.filter(search_parts::space_id.eq(space.as_str()));
        self.conn.all(parts.order(search_parts::number.desc()).limit(2).select(columns::<PartRow>())).await
    }

    /// The number of the part that takes new sections: `count` of them, from the id `first`. `last` are the last parts
    /// of the space ([`Self::last_parts`]), which must be locked.
    async fn part_for(&mut self, space: &SpaceId, last: &[PartRow], (first, count): (i64, i64)) -> StoreResult<i64> {
        let most = match last {
            _ if self.conn.searches_in_order() => i64::MAX,
            [_] => FULL_FIRST_PART,
            _ => FULL_PART,
        };
        if let Some(part) = last.first().filter(|part| part.sections < most) {
            // On SQLite, the ids of removed sections are used again.
            let lowest = search_parts::first_section.eq(part.first_section.min(first));
            let row = search_parts::table.filter(search_parts::number.eq(part.number));
            let update = diesel::update(row).set((lowest, search_parts::sections.eq(part.sections + count)));
            self.conn.send(prepared(update)).await?;
            return Ok(part.number);
        }
        let row = (
            search_parts::space_id.eq(space.as_str()),
            search_parts::first_section.eq(first),
            search_parts::sections.eq(count),
        );
        let insert = diesel::insert_into(search_parts::table).values(row);
        let number: i64 = self.conn.one(insert.returning(search_parts::number)).await?;
        match last {
            [] => self.add_space(space).await?,
            _ => self.remove_empty_parts(space).await?,
        }
        Ok(number)
    }

    /// Records that a space is in the index, with the current version of the indexer if it is new.
    async fn add_space(&mut self, space: &SpaceId) -> StoreResult<()> {
        let row = (search_spaces::space_id.eq(space.as_str()), search_spaces::version.eq(to_number(VERSION)?));
        let new = diesel::insert_into(search_spaces::table).values(row);
        self.conn.send(new.on_conflict_do_nothing()).await
    }

    /// Removes the parts of a space whose sections are all removed, except the last part. The space must be locked.
    async fn remove_empty_parts(&mut self, space: &SpaceId) -> StoreResult<()> {
        self.conn.at_length().send(remove_empty_parts(space.as_str())).await
    }
}

#[async_trait]
impl SearchIndex for DieselTx {
    async fn including(&mut self, space: &SpaceId, contents: &BTreeSet<ReusableContentId>) -> StoreResult<Vec<PageId>> {
        let contents: Vec<&ReusableContentId> = contents.iter().collect();
        let mut pages: BTreeSet<String> = BTreeSet::new();
        for batch in contents.chunks(NAMED) {
            let query = search_inclusions::table
                .filter(search_inclusions::space_id.eq(space.to_string()))
                .filter(one_of(search_inclusions::reusable_content_id, strings(batch)))
                .select(search_inclusions::page_id)
                .distinct();
            pages.extend(self.conn.at_length().all::<String>(query).await?);
        }
        pages.iter().map(|page| parsed("search_inclusions.page_id", page)).collect()
    }

    async fn outdated<'a>(&mut self, version: u32, after: Option<&'a SpaceId>) -> StoreResult<Option<SpaceId>> {
        let query = search_spaces::table
            .filter(search_spaces::version.is_null().nullable().or(search_spaces::version.lt(to_number(version)?)))
            .filter(search_spaces::space_id.gt(after.map_or("", SpaceId::as_str)))
            .order(search_spaces::space_id.asc())
            .limit(1)
            .select(search_spaces::space_id);
        let found: Option<String> = self.conn.maybe(query).await?;
        parsed_if("search_spaces.space_id", found.as_deref())
    }

    async fn set_version(&mut self, space: &SpaceId, version: u32) -> StoreResult<()> {
        let row = search_spaces::table.filter(search_spaces::space_id.eq(space.as_str()));
        let version = search_spaces::version.eq(to_number(version)?);
        self.conn.send(diesel::update(row).set(version)).await?;
        self.remove_empty_parts(space).await
    }

    async fn remove(&mut self, space: &SpaceId, pages: &[PageId]) -> StoreResult<()> {
        if self.known.unindexed.as_ref() == Some(space) {
            return Ok(());
        }
        for batch in pages.chunks(NAMED) {
            let sections = search_sections::table
                .filter(search_sections::space_id.eq(space.to_string()))
                .filter(one_of(search_sections::page_id, strings(batch)));
            self.conn.at_length().send(diesel::delete(sections)).await?;
            let inclusions = search_inclusions::table
                .filter(search_inclusions::space_id.eq(space.to_string()))
                .filter(one_of(search_inclusions::page_id, strings(batch)));
            self.conn.at_length().send(diesel::delete(inclusions)).await?;
            self.remove_usages(space, strings(batch)).await?;
        }
        Ok(())
    }

    async fn insert(&mut self, space: &SpaceId, pages: &[IndexedPage]) -> StoreResult<()> {
        let is_first = self.known.unindexed.take_if(|known| known == space).is_some();
        let count: usize = pages.iter().map(|page| page.sections.len()).sum();
        let mut ids: Vec<i64> = self.conn.all(next_sections(i64::try_from(count).map_err(internal)?)).await?;
        ids.sort_unstable();
        let number = match ids.first() {
            Some(first) => {
                let last = if is_first { Vec::new() } else { self.last_parts(space).await? };
                self.part_for(space, &last, (*first, i64::try_from(count).map_err(internal)?)).await?
            }
            None => {
                self.add_space(space).await?;
                0
            }
        };
        let mut sections = Vec::with_capacity(count);
        let mut index = Vec::with_capacity(count);
        let all = pages.iter().flat_map(|page| page.sections.iter().map(|section| (&page.page, section)));
        for ((page, section), id) in all.zip(ids) {
            sections.push(SectionRow {
                id,
                space_id: space.to_string(),
                page_id: page.to_string(),
                ordinal: i32::try_from(section.ordinal).map_err(internal)?,
                terms: section.terms.clone(),
                anchor: section.anchor.clone(),
                heading: section.heading.clone(),
                body: section.body.clone(),
            });
            let terms: Vec<String> = section.lexemes.split(' ').map(|term| in_part(number, term)).collect();
            index.push((search_index::rowid.eq(id), search_index::lexemes.eq(lexemes(terms.join(" ")))));
        }
        let mut sections = sections.into_iter().peekable();
        while sections.peek().is_some() {
            let batch: Vec<SectionRow> = sections.by_ref().take(NAMED / 8).collect();
            self.conn.at_length().send(diesel::insert_into(search_sections::table).values(batch)).await?;
        }
        let mut index = index.into_iter().peekable();
        while index.peek().is_some() {
            let batch: Vec<_> = index.by_ref().take(NAMED / 8).collect();
            self.conn.at_length().send(diesel::insert_into(search_index::table).values(batch)).await?;
        }
        let mut inclusions = inclusion_rows(space, pages).into_iter().peekable();
        while inclusions.peek().is_some() {
            let batch: Vec<InclusionRow> = inclusions.by_ref().take(NAMED / 3).collect();
            self.conn.at_length().send(diesel::insert_into(search_inclusions::table).values(batch)).await?;
        }
        self.add_usages(space, pages).await
    }

    async fn add_words(&mut self, words: &BTreeSet<String>) -> StoreResult<()> {
        let mut unknown = words.clone();
        let all: Vec<&String> = words.iter().collect();
        for batch in all.chunks(NAMED) {
            // A known word is one of its own variants.
            let known = search_words::table
                .filter(one_of(search_words::variant, strings(batch)))
                .filter(search_words::word.eq(search_words::variant))
                .select(search_words::word);
            for word in self.conn.at_length().all::<String>(known).await? {
                unknown.remove(&word);
            }
        }
        let mut rows = variant_rows(&unknown).into_iter().peekable();
        while rows.peek().is_some() {
            let batch: Vec<WordRow> = rows.by_ref().take(NAMED / 2).collect();
            let insert = diesel::insert_into(search_words::table).values(batch).on_conflict_do_nothing();
            self.conn.at_length().send(insert).await?;
        }
        Ok(())
    }

    async fn words_with_variant(&mut self, variants: &[String]) -> StoreResult<Vec<String>> {
        let query = search_words::table
            .filter(one_of(search_words::variant, variants))
            .select(search_words::word)
            .order(search_words::word)
            .distinct();
        self.conn.all(query).await
    }

    async fn candidates(
        &mut self,
        spaces: &[SpaceId],
        conditions: &[Condition],
        limit: usize,
    ) -> StoreResult<Vec<Candidate>> {
        let mut rows: Vec<CandidateRow> = if self.conn.searches_in_order() {
            let sections = self.best_in_order(spaces, conditions, limit).await?;
            if sections.is_empty() {
                return Ok(Vec::new());
            }
            let query = search_sections::table.filter(one_of(search_sections::id, sections));
            self.conn.at_length().all(query.select(columns::<CandidateRow>())).await?
        } else {
            let limit = u32::try_from(limit).map_err(internal)?;
            let best = best_sections(search_sections::id, strings(spaces), conditions, limit);
            self.conn.on_postgres(search_sections::table.filter(best).select(columns::<CandidateRow>())).await?
        };
        rows.sort_unstable_by_key(|row| row.id);
        rows.into_iter().map(Candidate::try_from).collect()
    }

    async fn occurring(&mut self, spaces: &[SpaceId], conditions: &[Condition]) -> StoreResult<Vec<bool>> {
        if self.conn.searches_in_order() {
            let mut all = Vec::with_capacity(conditions.len());
            for condition in conditions {
                all.push(!self.matching_in_order(spaces, condition, 1).await?.is_empty());
            }
            return Ok(all);
        }
        let found: Vec<i64> = self.conn.on_postgres(occurring(strings(spaces), conditions)).await?;
        Ok((1_i64..).zip(conditions).map(|(number, _)| found.contains(&number)).collect())
    }

    async fn texts(&mut self, sections: &[SectionId]) -> StoreResult<Vec<SectionText>> {
        let query = search_sections::table.filter(one_of(search_sections::id, numbers(sections)));
        let query = query.select(columns::<TextRow>());
        let rows: Vec<TextRow> = self.conn.all(query).await?;
        Ok(rows.into_iter().map(SectionText::from).collect())
    }
}
