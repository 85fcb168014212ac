//! How much an issue keeps users from what they want to do.
use values::words;

words! {
    /// The impact of an issue, of a conversation, or of a cluster.
    #[derive(Default, PartialOrd, Ord)]
    pub enum Impact {
        /// Minor friction.
        #[default]
        Low = "low",
        /// Noticeable friction or partial blocking.
        Medium = "medium",
        /// Fully or near-fully blocking.
        High = "high",
    }
}

/// The impact of a conversation: the highest of its issues; `None` without issues.
pub fn conversation_impact(issues: impl IntoIterator<Item = Impact>) -> Option<Impact> {
    issues.into_iter().max()
}

/// The impact of a cluster: the highest level that at least 30 % and two of its issues reach; that of the only issue if
/// there is one.
pub fn cluster_impact(issues: &[Impact]) -> Impact {
    let reaches = |level: Impact| issues.iter().filter(|impact| **impact >= level).count();
    let enough = |count: usize| count * 10 >= issues.len() * 3 && count >= issues.len().min(2);
    let levels = Impact::ALL.iter().rev().copied();
    levels.into_iter().find(|level| !issues.is_empty() && enough(reaches(*level))).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use Impact::{High, Low, Medium};
    use rstest::rstest;

    #[rstest]
    #[case(&[], Low)]
    #[case(&[High], High)]
    #[case(&[High, Low], Low)]
    #[case(&[High, High, Low, Low, Low, Low], High)]
    #[case(&[High, High, Low, Low, Low, Low, Low], Low)]
    #[case(&[High, Medium, Low, Low, Low], Medium)]
    #[case(&[High, High, Medium, Low, Low, Low, Low, Low, Low, Low], Medium)]
    fn a_cluster_has_the_highest_level_that_three_tenths_and_two_of_its_issues_reach(
        #[case] issues: &[Impact],
        #[case] expected: Impact,
    ) {
        assert_eq!(cluster_impact(issues), expected);
    }

    #[test]
    fn a_conversation_has_the_highest_impact_of_its_issues() {
        assert_eq!(conversation_impact([Low, High, Medium]), Some(High));
        assert_eq!(conversation_impact([]), None);
    }
}
