//! Search in the reference: operations by their names.
use super::content::{Chapter, Entry};
use site_html::frame::{SearchHit, SearchHitSection, SearchResults};

/// The most operations that are found.
const MAX_FOUND: usize = 50;

/// The operations that have all words of a query, the best first, by page. Words can be parts of words. `base` is the
/// path of the reference, with a slash at both ends.
pub(super) fn search(chapters: &[Chapter], query: &str, base: &str) -> SearchResults {
    let query = query.to_ascii_lowercase();
    let words: Vec<&str> = query.split_whitespace().collect();
    if words.is_empty() {
        return SearchResults::default();
    }
    let mut found: Vec<(usize, usize, &Chapter, &Entry)> = Vec::new();
    for (at, chapter) in chapters.iter().enumerate() {
        let ranked =
            chapter.entries.iter().filter_map(|entry| Some((rank(chapter, entry, &words)?, at, chapter, entry)));
        found.extend(ranked);
    }
    // Stable: operations of the same rank stay in the order of the document.
    found.sort_by_key(|(rank, ..)| *rank);
    found.truncate(MAX_FOUND);
    let mut pages: Vec<(usize, SearchHit)> = Vec::new();
    for (_, at, chapter, entry) in found {
        let href = format!("{base}{}", chapter.slug);
        let section = SearchHitSection {
            title: entry.title.clone(),
            href: format!("{href}#{}", entry.anchor),
            matches: matches(&entry.call, &words),
            text: entry.call.clone(),
        };
        match pages.iter_mut().find(|(other, _)| *other == at) {
            Some((_, page)) => page.sections.push(section),
            None => {
                let title = chapter.title.clone();
                pages.push((at, SearchHit { title, href, above: Vec::new(), sections: vec![section] }));
            }
        }
    }
    SearchResults { items: pages.into_iter().map(|(_, page)| page).collect() }
}

/// How well an operation fits: 0 if its title has all words, 1 if its call or its id has them too, 2 if it is on a page
/// with such a title. `None` if a word is nowhere.
fn rank(chapter: &Chapter, entry: &Entry, words: &[&str]) -> Option<usize> {
    let has = |text: &str| {
        let text = text.to_ascii_lowercase();
        words.iter().map(|word| text.contains(word)).collect::<Vec<bool>>()
    };
    let fields = [has(&entry.title), has(&entry.call), has(&entry.id), has(&chapter.title)];
    let all = |count: usize| (0..words.len()).all(|word| fields.iter().take(count).any(|field| field[word]));
    [1, 3, 4].into_iter().position(all)
}

/// Where a text has words: pairs of byte offsets, in order and apart.
fn matches(text: &str, words: &[&str]) -> Vec<(usize, usize)> {
    // It keeps the offsets.
    let text = text.to_ascii_lowercase();
    let mut found: Vec<(usize, usize)> =
        words.iter().flat_map(|word| text.match_indices(word).map(|(from, word)| (from, from + word.len()))).collect();
    found.sort_unstable();
    let mut apart: Vec<(usize, usize)> = Vec::new();
    for (from, to) in found {
        match apart.last_mut().filter(|(_, end)| from <= *end) {
            Some((_, end)) => *end = to.max(*end),
            None => apart.push((from, to)),
        }
    }
    apart
}

#[cfg(test)]
mod tests {
    use super::super::content::chapters;
    use super::super::tests::node;
    use super::*;
    use domain::openapi::parts::summary;
    use rstest::rstest;

    #[rstest]
    #[case("dogs", &[])]
    #[case("pets", &["/docs/pets#listPets", "/docs/pets#post-pets", "/docs/pets#post-petadded", "/docs/pets-2#get-shops"])]
    #[case("LIST", &["/docs/pets#listPets"])]
    #[case("add pet", &["/docs/pets#post-pets", "/docs/pets#post-petadded"])]
    #[case("get /shops", &["/docs/pets-2#get-shops"])]
    #[case("pets health", &[])]
    #[case("  ", &[])]
    fn operations_are_found_by_all_words_of_a_query(#[case] query: &str, #[case] expected: &[&str]) {
        let found = search(&chapters(&summary(&node())), query, "/docs/");
        let hrefs: Vec<&str> =
            found.items.iter().flat_map(|page| page.sections.iter().map(|section| section.href.as_str())).collect();
        assert_eq!(hrefs, expected);
    }

    #[test]
    fn matches_are_in_order_and_apart() {
        assert_eq!(matches("GET /pets", &["pet", "ets", "get", "x"]), [(0, 3), (5, 9)]);
    }
}
