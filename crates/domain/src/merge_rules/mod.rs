//! Merge rules: conditions for merging a change request into the primary content.
mod gate;

use crate::content::expression::Expression;
use crate::id::UserId;
use crate::text::Invalid;
pub use gate::{Check, Facts, Gate, OpenapiBlocks};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;

/// A condition that a change request must meet before it can be merged.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "rule", rename_all = "snake_case")]
pub enum MergeRule {
    /// All of these users who are still members must have approved; if none is, any user must have approved.
    RequireSpecificReviewers {
        /// The users.
        users: Vec<UserId>,
    },
    /// At least one of these users must have approved; if none is a member any longer, any user must have approved.
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
    /// Only the author may merge, while the author is a member.
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
    pub(crate) fn users(&self) -> Option<&[UserId]> {
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

    /// The users whom these rules name and those `before` did not, each with its path in the request, starting with
    /// `field`.
    pub fn newly_named(&self, field: &str, before: &Self) -> Vec<(String, &UserId)> {
        let known: HashSet<&UserId> = before.named(field).into_iter().map(|(_, user)| user).collect();
        self.named(field).into_iter().filter(|(_, user)| !known.contains(user)).collect()
    }

    /// The users in the rules, each with its path.
    fn named(&self, field: &str) -> Vec<(String, &UserId)> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_organization_cannot_inherit_its_merge_rules() {
        assert!(MergeRules::Inherit.checked("mergeRules", false).is_err());
        assert!(MergeRules::Inherit.checked("mergeRules", true).is_ok());
    }

    #[test]
    fn users_whom_the_rules_named_before_are_not_new() {
        let naming = |users: &[&str]| {
            let users = users.iter().map(|user| user.parse().unwrap()).collect();
            MergeRules::Rules { rules: vec![MergeRule::RequireAtLeastOneReview, MergeRule::AllowBypass { users }] }
        };
        let (before, after) = (naming(&["ada", "bob"]), naming(&["bob", "eve"]));
        let eve: UserId = "eve".parse().unwrap();
        let new = after.newly_named("mergeRules", &before);
        assert_eq!(new, [("mergeRules.rules[1].users[1]".to_owned(), &eve)]);
        assert!(after.newly_named("mergeRules", &after).is_empty());
    }

    #[test]
    fn an_empty_custom_rule_is_refused_with_its_position() {
        let rules = MergeRules::Rules { rules: vec![MergeRule::Custom { expression: String::new(), message: None }] };
        assert_eq!(rules.checked("mergeRules", true).unwrap_err().field, "mergeRules.rules[0].expression");
    }
}
