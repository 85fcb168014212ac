//! The gate of a merge: checks the merge rules against a change request.
use super::MergeRule;
use crate::change_request::{ChangeRequest, Status};
use crate::content::expression::Expression;
use crate::id::UserId;
use crate::review::{RequestedReviewer, Review, Verdict};
use serde::Serialize;
use std::collections::BTreeSet;

/// The state that the merge rules are checked against.
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
    /// Those of the users in the rules, the reviewers and the author who are members of the organization. Reviews by
    /// others do not count.
    pub members: &'a BTreeSet<UserId>,
    /// The blocks in changed pages and reusable contents that show OpenAPI specs; all 0 if no rule needs them.
    pub openapi: OpenapiBlocks,
}

/// Numbers of blocks that show OpenAPI specs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct OpenapiBlocks {
    /// Blocks that cannot be shown: the spec, its version, the operation, the webhook or a schema does not exist.
    pub broken: i64,
    /// Blocks with a deprecated operation or webhook.
    pub deprecated: i64,
}

/// The result of one rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// The rule.
    pub rule: MergeRule,
    /// The reason why the rule is violated; absent if it is satisfied.
    pub unsatisfied: Option<String>,
    /// Why the rule requires less than it states: users in it, or the author, have left the organization.
    pub limitation: Option<String>,
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
                rule => {
                    let (unsatisfied, limitation) = (unsatisfied(rule, facts), limitation(rule, facts));
                    gate.checks.push(Check { rule: rule.clone(), unsatisfied, limitation });
                }
            }
        }
        gate
    }

    /// The message of the first violated rule; `None` if the user may bypass the rules.
    pub fn refusal(&self) -> Option<&str> {
        if self.bypass {
            return None;
        }
        self.checks.iter().find_map(|check| check.unsatisfied.as_deref())
    }
}

/// The message for a number of required reviewers who have left the organization.
fn left(number: usize) -> String {
    match number {
        1 => "1 of the required reviewers has left the organization".to_owned(),
        _ => format!("{number} of the required reviewers have left the organization"),
    }
}

/// Why a rule requires less than it states.
fn limitation(rule: &MergeRule, facts: Facts<'_>) -> Option<String> {
    match rule {
        MergeRule::RequireSpecificReviewers { users } | MergeRule::RequireOneOfSpecificReviewers { users } => {
            let gone = users.iter().filter(|user| !facts.members.contains(user)).count();
            let everybody = "all of the required reviewers have left the organization: any approving review is enough";
            match gone {
                0 => None,
                gone if gone == users.len() => Some(everybody.to_owned()),
                gone => Some(left(gone)),
            }
        }
        MergeRule::RequireAuthorToMerge if !facts.members.contains(&facts.change_request.created_by) => {
            Some("the author of the change request has left the organization: other users may merge it".to_owned())
        }
        _ => None,
    }
}

/// Why a rule is violated.
fn unsatisfied(rule: &MergeRule, facts: Facts<'_>) -> Option<String> {
    let counts = |review: &&Review| !review.outdated && facts.members.contains(&review.reviewer);
    let current: Vec<&Review> = facts.reviews.iter().filter(counts).collect();
    let approvers: BTreeSet<&UserId> =
        current.iter().filter(|review| review.verdict == Verdict::Approved).map(|review| &review.reviewer).collect();
    let request = facts.change_request;
    let nobody_left = |users: &[UserId]| !users.iter().any(|user| facts.members.contains(user));
    let (holds, why) = match rule {
        // Otherwise the rule would block every merge until an administrator changes it, or would require nothing at
        // all.
        MergeRule::RequireSpecificReviewers { users } | MergeRule::RequireOneOfSpecificReviewers { users }
            if nobody_left(users) =>
        {
            (!approvers.is_empty(), "at least one approving review is required".to_owned())
        }
        MergeRule::RequireSpecificReviewers { users } => {
            let users = users.iter().filter(|user| facts.members.contains(user));
            let missing = users.filter(|user| !approvers.contains(user)).count();
            let have = if missing == 1 { "has" } else { "have" };
            (missing == 0, format!("{missing} of the required reviewers {have} not approved yet"))
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
            let author = &request.created_by;
            let holds = facts.actor == Some(author) || !facts.members.contains(author);
            (holds, "only the author of the change request may merge it".to_owned())
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
    openapi: OpenapiBlocks,
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
                openapi: facts.openapi,
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
        let members = members("ada bob eve joe zoe");
        let actor = Some(&actor);
        let openapi = OpenapiBlocks { broken: 1, deprecated: 2 };
        let facts =
            Facts { change_request: request, outdated, reviews, requested: &[], actor, members: &members, openapi };
        Gate::of(std::slice::from_ref(rule), facts).refusal().is_none()
    }
    fn members(names: &str) -> BTreeSet<UserId> {
        names.split_whitespace().map(user).collect()
    }

    /// Eve approved, Joe requested changes; the author is Ada, and Bob merges.
    #[rstest]
    #[case::all_are_there(
        "eve joe zoe ada bob",
        "eve joe",
        Some("1 of the required reviewers has not approved yet"),
        None
    )]
    #[case::who_has_not_approved_left("eve ada bob", "eve zoe", None, Some("1 of the required reviewers has left"))]
    #[case::two_left("eve ada bob", "eve joe zoe", None, Some("2 of the required reviewers have left"))]
    #[case::who_approved_left("zoe ada bob", "eve zoe", Some("1 of the required"), Some("1 of the required"))]
    #[case::all_left_and_another_one_approved("eve ada bob", "joe zoe", None, Some("any approving review is enough"))]
    #[case::all_left_and_no_review_counts("ada bob", "eve joe", Some("at least one approving"), Some("any approving"))]
    fn a_required_reviewer_who_left_blocks_no_merge(
        #[case] there: &str,
        #[case] required: &str,
        #[case] unsatisfied: Option<&str>,
        #[case] limitation: Option<&str>,
    ) {
        let rule = MergeRule::RequireSpecificReviewers { users: members(required).into_iter().collect() };
        let check = check(rule, there);
        let begins = |text: &Option<String>, with: Option<&str>| match (text, with) {
            (Some(text), Some(with)) => text.contains(with),
            (text, with) => text.is_none() && with.is_none(),
        };
        assert!(begins(&check.unsatisfied, unsatisfied) && begins(&check.limitation, limitation), "{check:?}");
    }

    fn check(rule: MergeRule, there: &str) -> Check {
        let (request, bob, members) = (request(), user("bob"), members(there));
        let reviews = [approved("eve"), review("joe", Verdict::ChangesRequested, false)];
        let actor = Some(&bob);
        let facts = Facts {
            change_request: &request,
            outdated: false,
            reviews: &reviews,
            requested: &[],
            actor,
            members: &members,
            openapi: OpenapiBlocks::default(),
        };
        Gate::of(&[rule], facts).checks.remove(0)
    }

    #[rstest]
    #[case(MergeRule::RequireAtLeastOneReview, ["eve joe", "joe", "eve", ""], [true, true, true, false])]
    #[case(MergeRule::RequireAtLeastOneApprovedReview, ["eve joe", "joe", "eve", ""], [true, false, true, false])]
    #[case(MergeRule::RequireAllReviewsApproved, ["eve joe", "joe", "eve", ""], [false, false, true, true])]
    #[case(
        MergeRule::RequireOneOfSpecificReviewers { users: vec![user("joe"), user("zoe")] },
        ["eve joe", "eve zoe", "eve", ""], [false, false, true, false]
    )]
    #[case(
        MergeRule::Custom { expression: "changeRequest.approvals == 1".into(), message: None },
        ["eve joe", "joe", "eve", ""], [true, false, true, false]
    )]
    fn reviews_of_users_who_left_do_not_count(
        #[case] rule: MergeRule,
        #[case] there: [&str; 4],
        #[case] expected: [bool; 4],
    ) {
        assert_eq!(there.map(|there| check(rule.clone(), there).unsatisfied.is_none()), expected);
    }

    #[test]
    fn others_may_merge_once_the_author_has_left() {
        let there = check(MergeRule::RequireAuthorToMerge, "ada bob");
        assert!(there.unsatisfied.is_some() && there.limitation.is_none(), "{there:?}");
        let gone = check(MergeRule::RequireAuthorToMerge, "bob");
        assert!(gone.unsatisfied.is_none() && gone.limitation.is_some(), "{gone:?}");
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
    fn all_reviews_approve_only_without_open_requests() {
        let request = request();
        let (reviews, asked, members) = ([approved("eve")], [requested("joe")], members("ada eve joe"));
        let (outdated, actor) = (false, None);
        let facts = Facts {
            change_request: &request,
            outdated,
            reviews: &reviews,
            requested: &asked,
            actor,
            members: &members,
            openapi: OpenapiBlocks::default(),
        };
        let gate = Gate::of(&[MergeRule::RequireAllReviewsApproved], facts);
        assert_eq!(gate.refusal(), Some("all reviews must approve: 0 request changes, 1 pending"));
    }

    #[test]
    fn rules_about_the_change_request_check_it() {
        let mut bare = request();
        bare.subject = Subject::fitted("  ", "");
        let mut full = request();
        full.description = Some(markdown::parse("Why", &markdown::Unresolved).into_document().expect("a document"));
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
    #[case("changeRequest.openapi.broken == 1 && changeRequest.openapi.deprecated == 2", true)]
    #[case("changeRequest.openapi.broken == 0", false)]
    #[case("actor === changeRequest.createdBy", false)]
    #[case("changeRequest.outdated", false)]
    #[case("changeRequest.nothing", false)]
    #[case("1 + 1", false)]
    fn a_custom_rule_holds_when_its_expression_is_true(#[case] expression: &str, #[case] expected: bool) {
        let rule = MergeRule::Custom { expression: expression.to_owned(), message: None };
        assert_eq!(holds(&rule, &request(), &[approved("eve")], false), expected);
    }

    #[test]
    fn a_custom_rule_returns_its_own_message() {
        let rule = MergeRule::Custom { expression: "false".into(), message: Some("Not on Fridays".into()) };
        let request = request();
        let (outdated, actor, members) = (false, None, members("ada"));
        let facts = Facts {
            change_request: &request,
            outdated,
            reviews: &[],
            requested: &[],
            actor,
            members: &members,
            openapi: OpenapiBlocks::default(),
        };
        assert_eq!(Gate::of(&[rule], facts).refusal(), Some("Not on Fridays"));
    }

    #[test]
    fn the_rules_are_also_reported_to_callers_who_may_bypass_them() {
        let rules = [MergeRule::RequireAtLeastOneReview, MergeRule::AllowBypass { users: vec![user("bob")] }];
        let (request, bob, eve, members) = (request(), user("bob"), user("eve"), members("ada bob eve"));
        let gate = |actor| {
            let (outdated, actor) = (false, Some(actor));
            let facts = Facts {
                change_request: &request,
                outdated,
                reviews: &[],
                requested: &[],
                actor,
                members: &members,
                openapi: OpenapiBlocks::default(),
            };
            Gate::of(&rules, facts)
        };
        assert_eq!((gate(&bob).refusal(), gate(&bob).checks.len()), (None, 1));
        assert_eq!(gate(&eve).refusal(), Some("at least one review is required"));
    }
}
