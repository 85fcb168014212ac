use super::*;
use crate::features::Features;
use proptest::prelude::*;
use rstest::rstest;
use std::collections::HashMap;
use values::text::Language;

fn features(text: &str) -> Features {
    Features::of(text, Some(Language::En))
}

/// Assigns these texts one by one. Returns the groups, and the cluster of each text.
fn grouped(texts: &[&str]) -> (Groups, Vec<u32>) {
    let mut groups = Groups::build(Measure::Vectors, []);
    let mut clusters = Vec::new();
    for (at, text) in texts.iter().enumerate() {
        let features = features(text);
        let issue = at as u32;
        let cluster = groups.assign(&features).map_or(issue, |nearest| nearest.cluster);
        groups.insert(Member { issue, cluster, features });
        clusters.push(cluster);
    }
    (groups, clusters)
}

#[test]
fn one_problem_in_other_words_is_one_cluster_and_another_problem_is_not() {
    let (_, clusters) = grouped(&[
        "I cannot log in to my account",
        "Logging in does not work with my password",
        "The login page rejects my password",
        "How do I export a page as PDF?",
    ]);
    assert_eq!(clusters, [0, 0, 0, 3]);
}

#[test]
fn an_issue_without_words_starts_a_cluster() {
    let (groups, clusters) = grouped(&["", "", "I cannot log in"]);
    assert_eq!(clusters, [0, 1, 2]);
    assert_eq!(groups.len(), 3);
}

#[test]
fn the_larger_of_two_merged_clusters_keeps_its_number_and_the_older_of_equal_ones() {
    let texts = ["The export fails", "The export fails again", "The export fails always", "How do I pay?"];
    let member = |(at, cluster): (usize, u32)| Member { issue: at as u32, cluster, features: features(texts[at]) };
    let mut groups = Groups::build(Measure::Vectors, [0, 7, 7, 9].into_iter().enumerate().map(member));
    assert_eq!(groups.upkeep(), Upkeep { merged: vec![(0, 7)], ..Upkeep::default() });
    assert_eq!(groups.clusters(), [(7, vec![0, 1, 2]), (9, vec![3])]);
    let mut groups = Groups::build(Measure::Vectors, [8, 5].into_iter().enumerate().map(member));
    assert_eq!(groups.upkeep().merged, [(8, 5)]);
    assert!(groups.upkeep().is_empty());
}

#[test]
fn an_issue_in_the_wrong_cluster_moves_and_an_empty_cluster_has_a_successor() {
    let texts = ["Export to PDF fails", "PDF export fails", "Cancel my plan", "I want to cancel the plan"];
    let member = |(at, cluster): (usize, u32)| Member { issue: at as u32, cluster, features: features(texts[at]) };
    let mut groups = Groups::build(Measure::Vectors, [0, 0, 2, 0].into_iter().enumerate().map(member));
    assert_eq!(groups.upkeep(), Upkeep { moved: vec![(3, 2)], ..Upkeep::default() });
}

#[test]
fn an_upkeep_moves_few_issues_and_the_next_one_continues() {
    let words = ["export", "login", "invoice", "search", "theme", "plan", "page", "font", "chart", "map"];
    let text = |at: usize| format!("The {} of the {} fails", words[at % 10], words[at / 10 % 10]);
    let member = |at: usize| Member { issue: at as u32, cluster: at as u32, features: features(&text(at)) };
    let mut groups = Groups::build(Measure::Vectors, (0..400).map(member));
    let places = |groups: &Groups| -> HashMap<u32, u32> {
        let clusters = groups.clusters().into_iter();
        clusters.flat_map(|(cluster, issues)| issues.into_iter().map(move |issue| (issue, cluster))).collect()
    };
    let mut upkeeps = 0;
    loop {
        let before = places(&groups);
        let done = groups.upkeep().is_empty();
        let changed = places(&groups).into_iter().filter(|(issue, cluster)| before[issue] != *cluster).count();
        assert!(changed <= 28, "{changed} of 400");
        if done {
            break;
        }
        upkeeps += 1;
        assert!(upkeeps < 100, "it ends");
    }
    assert!(upkeeps > 5 && groups.clusters().len() <= 100, "{upkeeps} upkeeps, {} clusters", groups.clusters().len());
}

#[test]
fn regrouping_gives_a_cluster_the_number_of_the_old_one_with_most_of_its_issues() {
    let texts = [
        "The export fails",
        "The export fails again",
        "The export fails always",
        "Cancel my plan",
        "I want to cancel the plan",
    ];
    let member = |(at, cluster): (usize, u32)| Member { issue: at as u32, cluster, features: features(texts[at]) };
    let mut groups = Groups::build(Measure::Vectors, [4, 4, 9, 4, 4].into_iter().enumerate().map(member));
    let upkeep = groups.regroup(|| 20);
    assert_eq!(groups.clusters(), [(4, vec![0, 1, 2]), (20, vec![3, 4])]);
    let expected = Upkeep { merged: vec![], moved: vec![(2, 4), (3, 20), (4, 20)], emptied: vec![(9, 4)] };
    assert_eq!(upkeep, expected);
    assert!(groups.regroup(|| panic!("no cluster is new")).is_empty());
}

#[test]
fn typical_issues_are_sorted_by_similarity_to_the_centre() {
    let (groups, _) = grouped(&["The export fails", "The export fails", "The export of my large project fails"]);
    let typical = groups.typical(0);
    assert_eq!(typical.iter().map(|(issue, _)| *issue).collect::<Vec<_>>(), [0, 1, 2]);
    assert!(typical.windows(2).all(|pair| pair[0].1 >= pair[1].1));
    assert!(groups.typical(9).is_empty());
}

#[test]
fn vectors_of_an_engine_replace_the_static_ones() {
    let vector = |at: usize| -> Vec<f32> {
        // All vectors share a large component; each of two problems adds its own direction.
        (0..8)
            .map(|part| 2.0 + if part == at % 2 { 1.0 } else { 0.0 } + (at * 7 + part * 3 % 5) as f32 / 500.0)
            .collect()
    };
    let member = |at: usize| {
        let words = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta"];
        let text = format!("{}{}", words[at % 8], words[at / 8 % 8]);
        Member { issue: at as u32, cluster: at as u32, features: features(&text).with_vector(&vector(at)) }
    };
    let groups = Groups::build(Measure::Words, (0..100).map(member));
    let nearest = groups.assign(&member(4).features).unwrap();
    assert_eq!(nearest.cluster, 4);
    let other = features("omega").with_vector(&vector(3));
    assert_eq!(groups.assign(&other).unwrap().cluster % 2, 1, "no word in common, the vector decides");
}

#[rstest]
#[case(199, 0, false)]
#[case(200, 0, true)]
#[case(5_200, 5_000, false)]
#[case(5_500, 5_000, true)]
#[case(10, 20, false)]
fn upkeep_is_due_after_enough_new_issues(#[case] now: usize, #[case] at_last: usize, #[case] due: bool) {
    assert_eq!(upkeep_is_due(now, at_last), due);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, ..ProptestConfig::default() })]

    #[test]
    fn groups_do_not_depend_on_the_size_of_batches(
        texts in prop::collection::vec("(login|export|invoice|plan|page|slow|fails|cancel)( (login|export|invoice|plan|page|slow|fails|cancel)){0,3}", 1..60),
        again in 0_usize..60,
    ) {
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let (groups, clusters) = grouped(&texts);
        let member = |at: usize| Member { issue: at as u32, cluster: clusters[at], features: features(texts[at]) };
        let again = again.min(texts.len());
        let mut rebuilt = Groups::build(Measure::Vectors, (0..again).map(member));
        for (at, text) in texts.iter().enumerate().skip(again) {
            let cluster = rebuilt.assign(&features(text)).map_or(at as u32, |nearest| nearest.cluster);
            prop_assert_eq!(cluster, clusters[at]);
            rebuilt.insert(member(at));
        }
        prop_assert_eq!(rebuilt.clusters(), groups.clusters());
    }

    #[test]
    fn upkeep_reports_what_it_does(
        texts in prop::collection::vec("(login|export|invoice|plan|page|slow)( (login|export|invoice|plan|page|slow)){0,2}", 1..40),
        wrong in prop::collection::vec(0_u32..40, 40),
    ) {
        let member = |(at, text): (usize, &String)| Member { issue: at as u32, cluster: wrong[at], features: features(text) };
        let mut groups = Groups::build(Measure::Vectors, texts.iter().enumerate().map(member));
        let upkeep = groups.upkeep();
        let mut clusters: Vec<u32> = wrong[..texts.len()].to_vec();
        let merged: HashMap<u32, u32> = upkeep.merged.into_iter().collect();
        clusters.iter_mut().for_each(|cluster| *cluster = *merged.get(cluster).unwrap_or(cluster));
        for (issue, cluster) in upkeep.moved {
            clusters[issue as usize] = cluster;
        }
        let filled: Vec<u32> = groups.clusters().iter().map(|(cluster, _)| *cluster).collect();
        for (from, into) in merged.into_iter().chain(upkeep.emptied) {
            prop_assert!(!filled.contains(&from) && filled.contains(&into));
        }
        for (cluster, issues) in groups.clusters() {
            prop_assert!(issues.iter().all(|issue| clusters[*issue as usize] == cluster));
        }
    }
}
