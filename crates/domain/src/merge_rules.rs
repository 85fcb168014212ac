//! Merge rules: conditions for merging a change request into the primary content.
use crate::change_request::{ChangeRequest, Status};
use crate::content::expression::Expression;
use crate::id::UserId;
use crate::review::{RequestedReviewer, Review, Verdict};
use crate::text::Invalid;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// A condition that a change request must meet before it can be merged.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "rule", rename_all = "snake_case")]
pub enum MergeRule {
    /// All of these users must have approved.
    RequireSpecificReviewers {
        /// The users.
        users: Vec<UserId>,
    },
    /// At least one of these users must have approved.
    RequireOneOfSpecificReviewers {
        /// The users.
        users: Vec<UserId>,
    },
    /// These users may merge regardless of the other rules.
    AllowBypass {
        /// The users.
        users: Vec<UserId>,
    },
    /// At least one review of any outcome.
    RequireAtLeastOneReview,
    /// At least one review that approves.
    RequireAtLeastOneApprovedReview,
    /// All reviews approve.
    RequireAllReviewsApproved,
    /// A review by an agent.
    RequireAgentReview,
    /// The change request includes all changes of the primary content.
    RequireUpToDateChangeRequest,
    /// A subject.
    RequireChangeRequestSubject,
    /// A description.
    RequireChangeRequestDescription,
    /// Only the author may merge.
    RequireAuthorToMerge,
    /// An expression that must be true.
    Custom {
        /// The expression, at most 1024 characters.
        expression: String,
        /// The message if the expression is not true.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        message: Option<String>,
    },
}

/// The maximum number of rules of an organization or a space.
const MAX_RULES: usize = 50;
/// The maximum number of users in a rule.
const MAX_USERS: usize = 100;
/// The longest message of a custom rule, in characters.
const MAX_MESSAGE: usize = 256;

impl MergeRule {
    /// The users in a rule about users.
    fn users(&self) -> Option<&[UserId]> {
        match self {
            Self::RequireSpecificReviewers { users }
            | Self::RequireOneOfSpecificReviewers { users }
            | Self::AllowBypass { users } => Some(users),
            _ => None,
        }
    }

    fn check(&self, field: &str) -> Result<(), Invalid> {
        if self.users().is_some_and(|users| !(1..=MAX_USERS).contains(&users.len())) {
            return Err(Invalid::new(format!("{field}.users"), format!("must have 1 to {MAX_USERS} users")));
        }
        if let Self::Custom { expression, message } = self {
            let at = format!("{field}.expression");
            if expression.is_empty() {
                return Err(Invalid::new(at, "must not be empty"));
            }
            Expression::parse(expression).map_err(|error| Invalid::new(at, error.to_string()))?;
            if message.as_ref().is_some_and(|message| message.chars().count() > MAX_MESSAGE) {
                return Err(Invalid::new(
                    format!("{field}.message"),
                    format!("must be at most {MAX_MESSAGE} characters"),
                ));
            }
        }
        Ok(())
    }
}

/// The merge rules of an organization or a space.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum MergeRules {
    /// The rules of the organization (spaces only).
    Inherit,
    /// No rules.
    #[default]
    None,
    /// These rules.
    Rules {
        /// All of them must hold.
        rules: Vec<MergeRule>,
    },
}

impl MergeRules {
    /// The same rules without those that name users; [`MergeRules::Inherit`] if none is left.
    #[must_use]
    pub fn without_users(self) -> Self {
        let Self::Rules { rules } = self else { return self };
        let rules: Vec<MergeRule> = rules.into_iter().filter(|rule| rule.users().is_none()).collect();
        if rules.is_empty() { Self::Inherit } else { Self::Rules { rules } }
    }

    /// The users in the rules, each with its path in the request, starting with `field`.
    pub fn named(&self, field: &str) -> Vec<(String, &UserId)> {
        let Self::Rules { rules } = self else { return Vec::new() };
        let mut named = Vec::new();
        for (at, rule) in rules.iter().enumerate() {
            for (user_at, user) in rule.users().unwrap_or_default().iter().enumerate() {
                named.push((format!("{field}.rules[{at}].users[{user_at}]"), user));
            }
        }
        named
    }

    /// Checks the rules of `field`; only spaces may inherit.
    ///
    /// # Errors
    /// [`Invalid`] with the field and the rule it breaks.
    pub fn checked(self, field: &str, may_inherit: bool) -> Result<Self, Invalid> {
        match &self {
            Self::Inherit if !may_inherit => Err(Invalid::new(format!("{field}.type"), "must be one of rules, none")),
            Self::Rules { rules } => {
                if rules.len() > MAX_RULES {
                    return Err(Invalid::new(format!("{field}.rules"), format!("must have at most {MAX_RULES} rules")));
                }
                for (at, rule) in rules.iter().enumerate() {
                    rule.check(&format!("{field}.rules[{at}]"))?;
                }
                Ok(self)
            }
            _ => Ok(self),
        }
    }
}

/// The state that the rules are checked against.
#[derive(Clone, Copy, Debug)]
pub struct Facts<'a> {
    /// The change request.
    pub change_request: &'a ChangeRequest,
    /// Whether the primary content has changes that the change request does not include.
    pub outdated: bool,
    /// Its reviews, including outdated ones.
    pub reviews: &'a [Review],
    /// Requested reviewers who have not submitted a review.
    pub requested: &'a [RequestedReviewer],
    /// The user who wants to merge; absent for the server's operator.
    pub actor: Option<&'a UserId>,
}

/// The result of one rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// The rule.
    pub rule: MergeRule,
    /// Why the rule is not met; absent if it is met.
    pub unsatisfied: Option<String>,
}

/// Whether a change request may be merged.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Gate {
    /// The result of each rule, except bypass rules.
    pub checks: Vec<Check>,
    /// Whether the user who wants to merge may bypass the rules.
    pub bypass: bool,
}

impl Gate {
    /// Checks every rule.
    pub fn of(rules: &[MergeRule], facts: Facts<'_>) -> Self {
        let mut gate = Self::default();
        for rule in rules {
            match rule {
                MergeRule::AllowBypass { users } => {
                    gate.bypass |= facts.actor.is_some_and(|actor| users.contains(actor));
                }
                rule => gate.checks.push(Check { rule: rule.clone(), unsatisfied: unsatisfied(rule, facts) }),
            }
        }
        gate
    }

    /// The reason of the first rule that is not met; `None` if the user may bypass the rules.
    pub fn refusal(&self) -> Option<&str> {
        if self.bypass {
            return None;
        }
        self.checks.iter().find_map(|check| check.unsatisfied.as_deref())
    }
}

/// Why a rule is not met.
fn unsatisfied(rule: &MergeRule, facts: Facts<'_>) -> Option<String> {
    let current: Vec<&Review> = facts.reviews.iter().filter(|review| !review.outdated).collect();
    let approvers: BTreeSet<&UserId> =
        current.iter().filter(|review| review.verdict == Verdict::Approved).map(|review| &review.reviewer).collect();
    let request = facts.change_request;
    let (holds, why) = match rule {
        MergeRule::RequireSpecificReviewers { users } => {
            let missing = users.iter().filter(|user| !approvers.contains(user)).count();
            (missing == 0, format!("{missing} of the required reviewers have not approved yet"))
        }
        MergeRule::RequireOneOfSpecificReviewers { users } => {
            (users.iter().any(|user| approvers.contains(user)), "one of the listed reviewers must approve".to_owned())
        }
        MergeRule::AllowBypass { .. } => (true, String::new()),
        MergeRule::RequireAtLeastOneReview => (!current.is_empty(), "at least one review is required".to_owned()),
        MergeRule::RequireAtLeastOneApprovedReview => {
            (!approvers.is_empty(), "at least one approving review is required".to_owned())
        }
        MergeRule::RequireAllReviewsApproved => {
            let against = current.len() - current.iter().filter(|review| review.verdict == Verdict::Approved).count();
            let waiting = facts.requested.len();
            let why = format!("all reviews must approve: {against} request changes, {waiting} pending");
            (against + waiting == 0, why)
        }
        // No account is known to belong to an agent, so no agent has reviewed.
        MergeRule::RequireAgentReview => (false, "a review by an agent is required".to_owned()),
        MergeRule::RequireUpToDateChangeRequest => {
            (!facts.outdated, "the change request must be up to date with the primary content".to_owned())
        }
        MergeRule::RequireChangeRequestSubject => {
            (!request.subject.as_str().trim().is_empty(), "the change request must have a subject".to_owned())
        }
        MergeRule::RequireChangeRequestDescription => {
            let described = request.description.as_ref().is_some_and(|text| !text.text().trim().is_empty());
            (described, "the change request must have a description".to_owned())
        }
        MergeRule::RequireAuthorToMerge => {
            (facts.actor == Some(&request.created_by), "only the author of the change request may merge it".to_owned())
        }
        MergeRule::Custom { expression, message } => {
            let holds = Expression::parse(expression)
                .is_ok_and(|parsed| parsed.evaluate(&Scope::of(facts, &current, approvers.len())).holds());
            (holds, message.clone().unwrap_or_else(|| format!("this expression must be true: {expression}")))
        }
    };
    (!holds).then_some(why)
}

/// The variables of a custom rule. Numbers are signed, so that they compare with numbers in an expression.
#[derive(Serialize)]
struct Scope<'a> {
    #[serde(rename = "changeRequest")]
    change_request: RequestScope<'a>,
    /// The user who wants to merge.
    actor: Option<&'a UserId>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct RequestScope<'a> {
    number: i64,
    subject: &'a str,
    description: String,
    status: Status,
    created_by: &'a UserId,
    outdated: bool,
    comments: i64,
    /// Number of users who approve.
    approvals: i64,
    /// Number of requested reviewers without a review.
    requested_reviewers: i64,
    reviews: Vec<ReviewScope<'a>>,
}

#[derive(Serialize)]
struct ReviewScope<'a> {
    reviewer: &'a UserId,
    status: Verdict,
}

impl<'a> Scope<'a> {
    fn of(facts: Facts<'a>, current: &[&'a Review], approvals: usize) -> Self {
        let request = facts.change_request;
        let reviews = current.iter().map(|review| ReviewScope { reviewer: &review.reviewer, status: review.verdict });
        Self {
            change_request: RequestScope {
                number: request.number.into(),
                subject: request.subject.as_str(),
                description: request.description.as_ref().map(|text| text.text()).unwrap_or_default(),
                status: request.status(),
                created_by: &request.created_by,
                outdated: facts.outdated,
                comments: request.comments.into(),
                approvals: approvals as i64,
                requested_reviewers: facts.requested.len() as i64,
                reviews: reviews.collect(),
            },
            actor: facts.actor,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::change_request::Subject;
    use crate::content::document::Document;
    use crate::content::markdown;
    use crate::space::{NewSpace, Space};
    use chrono::DateTime;
    use rstest::rstest;

    #[test]
    fn an_organization_cannot_inherit_its_merge_rules() {
        assert!(MergeRules::Inherit.checked("mergeRules", false).is_err());
        assert!(MergeRules::Inherit.checked("mergeRules", true).is_ok());
    }

    #[test]
    fn an_empty_custom_rule_is_refused_where_it_stands() {
        let rules = MergeRules::Rules { rules: vec![MergeRule::Custom { expression: String::new(), message: None }] };
        assert_eq!(rules.checked("mergeRules", true).unwrap_err().field, "mergeRules.rules[0].expression");
    }

    fn user(id: &str) -> UserId {
        id.parse().unwrap()
    }
    fn request() -> ChangeRequest {
        let ids = ("s".parse().unwrap(), "o".parse().unwrap(), "r".parse().unwrap());
        let space = Space::new(ids.0, ids.1, ids.2, NewSpace::default(), DateTime::UNIX_EPOCH);
        let subject = "Fix the guide".parse().unwrap();
        ChangeRequest::new("c".parse().unwrap(), &space, 7, subject, user("ada"), DateTime::UNIX_EPOCH)
    }
    fn review(reviewer: &str, verdict: Verdict, outdated: bool) -> Review {
        Review {
            id: format!("review-{reviewer}").parse().unwrap(),
            change_request: "c".parse().unwrap(),
            revision: "r".parse().unwrap(),
            reviewer: user(reviewer),
            requested_by: None,
            verdict,
            comment: None,
            outdated,
            created_at: DateTime::UNIX_EPOCH,
            updated_at: DateTime::UNIX_EPOCH,
            ended: false,
        }
    }
    fn approved(reviewer: &str) -> Review {
        review(reviewer, Verdict::Approved, false)
    }
    fn requested(reviewer: &str) -> RequestedReviewer {
        RequestedReviewer {
            change_request: "c".parse().unwrap(),
            user: user(reviewer),
            revision: "r".parse().unwrap(),
            requested_by: None,
            created_at: DateTime::UNIX_EPOCH,
        }
    }
    fn holds(rule: &MergeRule, request: &ChangeRequest, reviews: &[Review], outdated: bool) -> bool {
        let actor = user("bob");
        let facts = Facts { change_request: request, outdated, reviews, requested: &[], actor: Some(&actor) };
        Gate::of(std::slice::from_ref(rule), facts).refusal().is_none()
    }

    #[rstest]
    #[case::no_review(&[], [false, false, false, false, true])]
    #[case::an_approval(&[approved("eve")], [true, true, false, true, true])]
    #[case::both(&[approved("eve"), approved("joe")], [true, true, true, true, true])]
    #[case::changes(&[review("eve", Verdict::ChangesRequested, false)], [true, false, false, false, false])]
    #[case::another_one(&[approved("zoe")], [true, true, false, false, true])]
    #[case::outdated(&[review("eve", Verdict::Approved, true)], [false, false, false, false, true])]
    fn rules_about_reviews_count_those_that_are_not_outdated(#[case] reviews: &[Review], #[case] expected: [bool; 5]) {
        let users = || vec![user("eve"), user("joe")];
        let rules = [
            MergeRule::RequireAtLeastOneReview,
            MergeRule::RequireAtLeastOneApprovedReview,
            MergeRule::RequireSpecificReviewers { users: users() },
            MergeRule::RequireOneOfSpecificReviewers { users: users() },
            MergeRule::RequireAllReviewsApproved,
        ];
        assert_eq!(rules.map(|rule| holds(&rule, &request(), reviews, false)), expected);
    }

    #[test]
    fn all_reviews_approve_only_once_nobody_is_still_asked() {
        let request = request();
        let (reviews, asked) = ([approved("eve")], [requested("joe")]);
        let facts =
            Facts { change_request: &request, outdated: false, reviews: &reviews, requested: &asked, actor: None };
        let gate = Gate::of(&[MergeRule::RequireAllReviewsApproved], facts);
        assert_eq!(gate.refusal(), Some("all reviews must approve: 0 request changes, 1 pending"));
    }

    #[test]
    fn rules_about_the_change_request_look_at_it() {
        let mut bare = request();
        bare.subject = Subject::fitted("  ", "");
        let mut full = request();
        full.description = Some(markdown::parse("Why", &markdown::Unresolved).document);
        assert!(!holds(&MergeRule::RequireChangeRequestSubject, &bare, &[], false));
        assert!(holds(&MergeRule::RequireChangeRequestSubject, &full, &[], false));
        assert!(!holds(&MergeRule::RequireChangeRequestDescription, &bare, &[], false));
        full.description = Some(Document::default());
        assert!(!holds(&MergeRule::RequireChangeRequestDescription, &full, &[], false));
        assert!(!holds(&MergeRule::RequireUpToDateChangeRequest, &full, &[], true));
        assert!(holds(&MergeRule::RequireUpToDateChangeRequest, &full, &[], false));
        assert!(!holds(&MergeRule::RequireAuthorToMerge, &full, &[], false), "bob is not ada");
        assert!(!holds(&MergeRule::RequireAgentReview, &full, &[approved("eve")], false));
    }

    #[rstest]
    #[case("changeRequest.approvals >= 1", true)]
    #[case("changeRequest.approvals == 1 && changeRequest.number == 7", true)]
    #[case("changeRequest.subject.startsWith('Fix')", true)]
    #[case("changeRequest.reviews.exists(r, r.status == 'approved' && r.reviewer == 'eve')", true)]
    #[case("actor === changeRequest.createdBy", false)]
    #[case("changeRequest.outdated", false)]
    #[case("changeRequest.nothing", false)]
    #[case("1 + 1", false)]
    fn a_custom_rule_holds_when_its_expression_is_true(#[case] expression: &str, #[case] expected: bool) {
        let rule = MergeRule::Custom { expression: expression.to_owned(), message: None };
        assert_eq!(holds(&rule, &request(), &[approved("eve")], false), expected);
    }

    #[test]
    fn a_custom_rule_tells_its_own_message() {
        let rule = MergeRule::Custom { expression: "false".into(), message: Some("Not on Fridays".into()) };
        let request = request();
        let facts = Facts { change_request: &request, outdated: false, reviews: &[], requested: &[], actor: None };
        assert_eq!(Gate::of(&[rule], facts).refusal(), Some("Not on Fridays"));
    }

    #[test]
    fn who_may_bypass_the_rules_is_told_of_them_all_the_same() {
        let rules = [MergeRule::RequireAtLeastOneReview, MergeRule::AllowBypass { users: vec![user("bob")] }];
        let (request, bob, eve) = (request(), user("bob"), user("eve"));
        let gate = |actor| {
            Gate::of(
                &rules,
                Facts { change_request: &request, outdated: false, reviews: &[], requested: &[], actor: Some(actor) },
            )
        };
        assert_eq!((gate(&bob).refusal(), gate(&bob).checks.len()), (None, 1));
        assert_eq!(gate(&eve).refusal(), Some("at least one review is required"));
    }
}
