//! Checks the answers of a language model about conversations: an answer can be wrong, and the texts that the model
//! reads can contain instructions for it.
use crate::analyse::{Analysis, FoundIssue, MAX_ISSUES, Part, cut, issue_details, issue_title, of_user};
use crate::describe::{Description, Summary, icons, label, quotes};
use crate::impact::{Impact, conversation_impact};
use crate::language::detect;
use crate::lexicon::{Lexicon, tokens};
use crate::redact::redact;
use content::search::Words;
use serde::Deserialize;
use std::collections::HashSet;
use values::text::{Language, one_line};

/// The most words of a gist.
const MAX_GIST_WORDS: usize = 16;
/// The most characters of a gist.
const MAX_GIST: usize = 120;
/// The most characters of the sentence of a summary.
const MAX_SENTENCE: usize = 300;

/// The issues of a conversation, as a language model returns them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct ModelIssues {
    /// The issues.
    pub issues: Vec<ModelIssue>,
}

/// An issue, as a language model returns it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct ModelIssue {
    /// The problem, in the language of the conversation.
    pub title: String,
    /// What the user says about it.
    #[serde(default)]
    pub details: String,
    /// `low`, `medium` or `high`.
    #[serde(default)]
    pub impact: String,
    /// The problem in a few words of plain English.
    #[serde(default)]
    pub gist: String,
}

/// The description of a cluster, as a language model returns it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct ModelDescription {
    /// The problem in a few words.
    pub label: String,
    /// What it is about, in one sentence.
    pub summary: String,
    /// The name of an icon.
    #[serde(default)]
    pub icon: String,
}

impl ModelIssues {
    /// Masks ([`redact`]) its texts: a model can join the parts of a secret that markup splits in a message.
    #[must_use]
    pub fn masked(self) -> Self {
        let masked = |text: &str| redact(text).into_owned();
        let issue = |ModelIssue { title, details, impact, gist }: ModelIssue| ModelIssue {
            title: masked(&title),
            details: masked(&details),
            gist: masked(&gist),
            impact,
        };
        Self { issues: self.issues.into_iter().map(issue).collect() }
    }

    /// The analysis of the conversation that the model read. Drops each issue whose title shares no content word with
    /// the user's messages. `hint` is the language of the organization.
    pub fn checked(self, subject: Option<&str>, parts: &[Part<'_>], hint: Option<Language>) -> Analysis {
        let written = of_user(subject, parts);
        let language = detect(&written, hint);
        let mut words = Words::of(language);
        let lexicon = Lexicon::of(language);
        let mut stems = |text: &str| -> HashSet<String> {
            let all = tokens(&mut words, text).into_iter().filter(|token| !token.stop && !lexicon.is_filler(token));
            all.map(|token| token.stem).collect()
        };
        let known = stems(&written);
        let mut issues: Vec<FoundIssue> = Vec::new();
        for ModelIssue { title, details, impact, gist } in self.issues {
            let title = issue_title(&title);
            let grounded = stems(&title).iter().any(|stem| known.contains(stem));
            let is_new = !issues.iter().any(|issue| issue.title == title);
            if grounded && is_new && issues.len() < MAX_ISSUES {
                let details = issue_details(if details.trim().is_empty() { &title } else { &details });
                let impact = impact.parse::<Impact>().unwrap_or_default();
                // The answer lists the most important issue first, so earlier issues score higher.
                let score = (MAX_ISSUES - issues.len()) as f32;
                issues.push(FoundIssue { gist: checked_gist(&gist), title, details, impact, score });
            }
        }
        Analysis { language, impact: conversation_impact(issues.iter().map(|issue| issue.impact)), issues }
    }
}

impl ModelDescription {
    /// The description of a cluster with these titles; `None` if the answer has no label or no summary, or if its label
    /// shares no content word with the titles and gists. `language` is that of the titles and gists.
    pub fn checked(self, titles: &[&str], gists: &[&str], language: Option<Language>) -> Option<Description> {
        let Self { label: answered, summary, icon } = self;
        let is_odd = answered.chars().any(|char| char.is_control() && !char.is_whitespace());
        let (answered, sentence) = (one_line(&answered), one_line(&summary));
        if answered.is_empty() || sentence.is_empty() || is_odd {
            return None;
        }
        let mut words = Words::of(language);
        let mut stems = |text: &str| -> HashSet<String> {
            tokens(&mut words, text).into_iter().filter(|token| !token.stop).map(|token| token.stem).collect()
        };
        let known: HashSet<String> = titles.iter().chain(gists).flat_map(|text| stems(text)).collect();
        if !stems(&answered).iter().any(|stem| known.contains(stem)) {
            return None;
        }
        let label = label(&answered);
        let icon = icons::known(icon.trim()).unwrap_or_else(|| icons::icon(&label, gists, language));
        let summary = Summary { sentence: cut(&sentence, MAX_SENTENCE), quotes: quotes(titles) };
        Some(Description { label, score: 0.0, summary, icon })
    }
}

/// The gist in one line; `None` unless it has two to [`MAX_GIST_WORDS`] words in Latin letters.
fn checked_gist(gist: &str) -> Option<String> {
    let words: Vec<&str> = gist.split_whitespace().collect();
    let line = words.join(" ");
    let line = line.trim_end_matches(['.', '!']);
    let fits = (2..=MAX_GIST_WORDS).contains(&words.len()) && line.chars().count() <= MAX_GIST;
    let latin = line.chars().filter(|char| char.is_alphabetic()).all(|char| u32::from(char) < 0x250);
    (fits && latin && !line.chars().any(char::is_control)).then(|| line.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analyse::Role;
    use rstest::rstest;

    const TALK: [Part<'static>; 2] = [
        Part { role: Role::User, body: "Der Export der Rechnungen schlägt fehl." },
        Part { role: Role::Assistant, body: "Try to restart the kestrel." },
    ];

    fn issue(title: &str, impact: &str, gist: &str) -> ModelIssue {
        ModelIssue { title: title.into(), details: String::new(), impact: impact.into(), gist: gist.into() }
    }

    fn checked(issues: Vec<ModelIssue>) -> Analysis {
        ModelIssues { issues }.checked(None, &TALK, None)
    }

    #[test]
    fn an_issue_has_the_title_the_impact_and_the_gist_of_the_answer() {
        let found = checked(vec![issue("export der Rechnungen schlägt fehl.", "high", "export of invoices fails.")]);
        assert_eq!((found.language, found.impact), (Some(Language::De), Some(Impact::High)));
        let [one] = found.issues.as_slice() else { panic!("{found:?}") };
        assert_eq!(one.title, "Export der Rechnungen schlägt fehl");
        assert_eq!(one.details, "Export der Rechnungen schlägt fehl");
        assert_eq!(one.gist.as_deref(), Some("export of invoices fails"));
    }

    #[rstest]
    #[case::about_something_else("Buy cheap watches now")]
    #[case::from_the_answer_of_an_assistant("Restart the kestrel")]
    #[case::only_small_words("Der die das")]
    #[case::nothing("  ")]
    fn an_issue_that_the_user_did_not_write_about_is_left_out(#[case] title: &str) {
        assert_eq!(checked(vec![issue(title, "low", "")]).issues, []);
    }

    #[test]
    fn an_answer_is_masked_in_all_texts() {
        let mail = "export to grace@example.org";
        let told = ModelIssue { details: mail.into(), ..issue(mail, "high", mail) };
        let mark = "export to [email]";
        let masked = ModelIssue { details: mark.into(), ..issue(mark, "high", mark) };
        assert_eq!(ModelIssues { issues: vec![told] }.masked(), ModelIssues { issues: vec![masked] });
    }

    #[test]
    fn an_answer_gives_at_most_three_different_issues() {
        let title = |at: usize| issue(&format!("Export {}", at % 5), "none", "");
        let found = checked((0..10).map(title).collect());
        let titles: Vec<&str> = found.issues.iter().map(|issue| issue.title.as_str()).collect();
        assert_eq!(titles, ["Export 0", "Export 1", "Export 2"]);
        assert_eq!(found.impact, Some(Impact::Low), "an unknown impact is low");
    }

    #[rstest]
    #[case("cannot reset the password", true)]
    #[case("password", false)]
    #[case("パスワード を忘れた", false)]
    #[case("a b c d e f g h i j k l m n o p q", false)]
    fn a_gist_is_some_words_of_english(#[case] gist: &str, #[case] is_one: bool) {
        assert_eq!(checked_gist(gist).is_some(), is_one);
    }

    #[rstest]
    #[case::good("Export of invoices", "Exports of invoices fail.", "bug", Some("bug"))]
    #[case::unknown_icon("Export of invoices", "Exports fail.", "rocket", Some("file-export"))]
    #[case::a_control_character_in_the_summary("Export of invoices", "Exports\u{1b}fail.", "bug", Some("bug"))]
    #[case::a_control_character_in_the_label("Export of\u{1b}invoices", "Exports fail.", "bug", None)]
    #[case::no_label("", "Exports fail.", "bug", None)]
    #[case::no_summary("Export of invoices", " ", "bug", None)]
    #[case::about_something_else("Cheap watches", "Buy them.", "bug", None)]
    fn a_description_is_about_the_issues_of_its_cluster(
        #[case] label: &str,
        #[case] summary: &str,
        #[case] icon: &str,
        #[case] expected: Option<&str>,
    ) {
        let told = ModelDescription { label: label.into(), summary: summary.into(), icon: icon.into() };
        let titles = ["Der Export schlägt fehl", "Export impossible"];
        let about = told.checked(&titles, &["export of invoices fails", "cannot export"], Some(Language::En));
        assert_eq!(about.as_ref().map(|about| about.icon), expected);
        if let Some(about) = about {
            assert_eq!(about.label, label);
            assert!(!about.summary.sentence.chars().any(char::is_control), "{}", about.summary.sentence);
            assert_eq!(about.summary.quotes, titles);
        }
    }
}
