//! Finding pages: the query is relaxed in steps until there are results.
use crate::content::search::{Candidate, MAX_CANDIDATES, PageHit, Query, rank};
use crate::id::SpaceId;
use crate::ports::Tx;
use crate::usecases::Error;

/// Finds and ranks sections in spaces that the caller may read. Returns the query in its final, possibly corrected
/// form.
///
/// # Errors
/// [`Error::Store`].
pub(super) async fn find(tx: &mut dyn Tx, spaces: &[SpaceId], query: Query) -> Result<(Query, Vec<PageHit>), Error> {
    let found = every_word(tx, spaces, &query).await?;
    if !found.is_empty() || query.is_empty() {
        return Ok(ranked(&found, query, true));
    }
    let asked = query.clone();
    let query = corrected(tx, spaces, query).await?;
    if query != asked {
        let found = every_word(tx, spaces, &query).await?;
        if !found.is_empty() || query.is_empty() {
            return Ok(ranked(&found, query, true));
        }
    }
    let found = tx.search().candidates(spaces, &query.some_words_in_turn(), MAX_CANDIDATES).await?;
    Ok(ranked(&found, query, false))
}

fn ranked(found: &[Candidate], query: Query, complete: bool) -> (Query, Vec<PageHit>) {
    let hits = rank(found, &query, complete);
    (query, hits)
}

/// The sections with every word of a query. If there are too many to rank, they are those that match in more important
/// parts.
async fn every_word(tx: &mut dyn Tx, spaces: &[SpaceId], query: &Query) -> Result<Vec<Candidate>, Error> {
    let conditions = query.every_word_in_turn();
    if conditions.is_empty() {
        return Ok(Vec::new());
    }
    Ok(tx.search().candidates(spaces, &conditions, MAX_CANDIDATES).await?)
}

/// The query with its unknown words corrected; words without a similar known word are left out. Words are checked in
/// the caller's spaces only: the response does not reveal whether a word occurs in other spaces.
async fn corrected(tx: &mut dyn Tx, spaces: &[SpaceId], query: Query) -> Result<Query, Error> {
    let found = tx.search().occurring(spaces, &query.each_word()).await?;
    let variants = query.variants_of_missing(&found);
    if variants.is_empty() {
        return Ok(query.without_missing(&found));
    }
    let known = tx.search().words_with_variant(&variants).await?;
    let query = query.corrected(&found, &known);
    let found = tx.search().occurring(spaces, &query.each_word()).await?;
    Ok(query.without_missing(&found))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::content::search::Indexer;
    use crate::content::search::memory_index::{MemoryIndex, document, indexed_corpus, page_id};
    use crate::ports::testing::MockTx;
    use rstest::rstest;
    use std::sync::Arc;

    fn space(id: &str) -> SpaceId {
        id.parse().unwrap()
    }

    /// A unit of work over a test index.
    fn over(sections: &Arc<MemoryIndex>) -> MockTx {
        let mut tx = MockTx::default();
        let index = Arc::clone(sections);
        tx.search
            .expect_candidates()
            .returning(move |spaces, conditions, limit| Ok(index.best(spaces, conditions, limit)));
        let index = Arc::clone(sections);
        tx.search.expect_occurring().returning(move |spaces, conditions| Ok(index.occurring(spaces, conditions)));
        let index = Arc::clone(sections);
        tx.search.expect_words_with_variant().returning(move |variants| Ok(index.words_with_variant(variants)));
        let index = Arc::clone(sections);
        tx.search.expect_texts().returning(move |sections| Ok(index.texts(sections)));
        tx
    }

    async fn search(sections: &Arc<MemoryIndex>, spaces: &[SpaceId], query: &str) -> Vec<PageHit> {
        find(&mut over(sections), spaces, Query::parse(query, &[None])).await.unwrap().1
    }

    fn sections(pages: &[(&str, &str, &str)]) -> Arc<MemoryIndex> {
        let mut sections = MemoryIndex::default();
        let mut indexer = Indexer::new(None);
        for (id, title, text) in pages {
            sections.insert(&space("s"), indexer.page(&page_id(id), title, None, &document(text)));
        }
        Arc::new(sections)
    }

    async fn ids(pages: &[(&str, &str, &str)], query: &str) -> Vec<String> {
        let hits = search(&sections(pages), &[space("s")], query).await;
        hits.into_iter().map(|hit| hit.page.to_string()).collect()
    }

    #[tokio::test]
    async fn in_real_documentation_the_page_that_is_meant_is_among_the_first_three() {
        let Some(sections) = indexed_corpus(&space("s")).map(Arc::new) else { return };
        let cases = [
            ("tls", "configuration/transport-section"),
            ("buffer", "buffer/README"),
            ("install ubuntu", "installation/install-by-deb"),
            ("buffer chunk limit", "configuration/buffer-section"),
            ("high availability configurations", "deployment/high-availability"),
            ("forwad", "output/forward"),
            ("configuraton sintax file", "configuration/config-file"),
            ("multi proc", "deployment/multi-process-workers"),
            ("out_s3", "output/s3"),
            ("flush_thread_count", "deployment/performance-tuning-single-process"),
            ("v0.12", "quickstart/update-from-v0.12"),
            ("how do I parse syslog messages?", "how-to-guides/parse-syslog"),
            ("\"kubernetes\" AND (NEAR * ^", "container-deployment/kubernetes"),
        ];
        let mut wrong = Vec::new();
        for (query, expected) in cases {
            let hits = search(&sections, &[space("s")], query).await;
            let first: Vec<String> = hits.iter().take(4).map(|hit| format!("{:.2} {}", hit.score, hit.page)).collect();
            println!("{query}: {first:?}");
            if !hits.iter().take(3).any(|hit| hit.page == page_id(expected)) {
                wrong.push(format!("{query}: {expected} is not first of {first:?}"));
            }
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
    }

    #[tokio::test]
    async fn a_title_counts_more_than_a_heading_and_a_heading_more_than_text() {
        let pages = [("text", "One", "tls here"), ("heading", "Two", "# tls\nx"), ("title", "TLS", "x")];
        assert_eq!(ids(&pages, "tls").await, ["title", "heading", "text"]);
    }

    #[tokio::test]
    async fn a_word_as_typed_counts_more_than_its_stem_and_its_stem_more_than_its_beginning() {
        let pages = [("prefix", "A", "logarithm"), ("stem", "B", "logs"), ("exact", "C", "log")];
        assert_eq!(ids(&pages, "log").await, ["exact", "stem", "prefix"]);
    }

    #[tokio::test]
    async fn words_in_a_row_count_more_than_words_apart() {
        let pages = [("apart", "A", "size of it all is a limit"), ("row", "B", "size limit of it all is a")];
        assert_eq!(ids(&pages, "size limit").await, ["row", "apart"]);
    }

    #[tokio::test]
    async fn words_can_be_in_different_sections_of_a_page() {
        let pages = [("both", "A", "# install\nx\n# upgrade\ny"), ("one", "B", "install")];
        assert_eq!(ids(&pages, "install upgrade").await, ["both"]);
    }

    #[tokio::test]
    async fn an_existing_word_is_not_corrected() {
        let pages = [("form", "A", "form"), ("from", "B", "fork")];
        assert_eq!(ids(&pages, "form").await, ["form"]);
        assert_eq!(ids(&pages, "fomr").await, ["form"]);
    }

    #[tokio::test]
    async fn unknown_words_are_ignored_in_a_search() {
        let pages = [("both", "A", "alpha beta"), ("one", "B", "alpha"), ("other", "C", "gamma")];
        assert_eq!(ids(&pages, "alpha xyzzyplugh beta").await, ["both"]);
        assert_eq!(ids(&pages, "alpha gamma").await, ["other", "one", "both"]);
        assert_eq!(ids(&pages, "xyzzyplugh").await, Vec::<String>::new());
    }

    #[tokio::test]
    async fn a_search_does_not_reveal_words_of_other_spaces() {
        let mut sections = MemoryIndex::default();
        let mut indexer = Indexer::new(None);
        sections.insert(&space("mine"), indexer.page(&page_id("mine"), "Project", None, &document("projects")));
        let before = search(&Arc::new(sections), &[space("mine")], "projct").await;
        let mut sections = MemoryIndex::default();
        sections.insert(
            &space("other"),
            indexer.page(&page_id("other"), "Projct", None, &document("projct projcts prject")),
        );
        sections.insert(&space("mine"), indexer.page(&page_id("mine"), "Project", None, &document("projects")));
        let after = search(&Arc::new(sections), &[space("mine")], "projct").await;
        let seen = |hits: &[PageHit]| hits.iter().map(|hit| (hit.page.clone(), hit.score)).collect::<Vec<_>>();
        assert_eq!(seen(&before).len(), 1);
        assert_eq!(seen(&before), seen(&after));
    }

    #[tokio::test]
    async fn of_more_sections_than_can_be_ranked_the_best_are_ranked() {
        let many: Vec<(String, String)> =
            (0..2 * MAX_CANDIDATES).map(|n| (format!("p{n:05}"), format!("common {n}"))).collect();
        let mut pages: Vec<(&str, &str, &str)> =
            many.iter().map(|(id, text)| (id.as_str(), "Page", text.as_str())).collect();
        pages.push(("strong", "Page", "common common common"));
        pages.push(("heading", "Page", "# common\nx"));
        pages.push(("title", "Common", "x"));
        let found = ids(&pages, "common").await;
        assert_eq!(found[..3], ["title", "heading", "strong"]);
        assert_eq!(found.len(), MAX_CANDIDATES);
    }

    #[rstest]
    #[case("")]
    #[case("   ")]
    #[case("\u{1f600}")]
    #[case("\"'*:^()-+~#&|!<>\\")]
    #[tokio::test]
    async fn a_query_without_words_finds_nothing(#[case] query: &str) {
        assert_eq!(ids(&[("a", "A", "text")], query).await, Vec::<String>::new());
    }

    #[tokio::test]
    async fn a_query_of_nothing_but_little_words_finds_them() {
        assert_eq!(ids(&[("a", "A", "how to"), ("b", "B", "text")], "how to").await, ["a"]);
    }
}
