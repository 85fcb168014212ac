//! Organizations: they own spaces and have members.
use crate::access::{Access, Guarded, Level, Role, permissions};
use crate::event::Audited;
use crate::id::{OrganizationId, SiteId};
use crate::merge_rules::MergeRules;
use crate::patch::{changed, set};
use crate::team::TeamRole;
use crate::text::{Invalid, OrganizationTitle};
use crate::web_address::WebAddress;
use chrono::{DateTime, Utc};
use serde_json::{Value, json};

/// An organization.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Organization {
    /// The id.
    pub id: OrganizationId,
    /// Its title.
    pub title: OrganizationTitle,
    /// Email domains, in lower case: users with a verified address of one of them may join.
    pub email_domains: Vec<String>,
    /// The default host name of public content (3 to 32 characters of a-z, 0-9 and -).
    pub hostname: Option<String>,
    /// The role of new members; absent makes guests.
    pub default_role: Option<Role>,
    /// Address of a logo image.
    pub logo: Option<WebAddress>,
    /// Whether members must sign in through the organization's own identity provider.
    pub sso: bool,
    /// Whether features that use language models are on.
    pub ai: bool,
    /// Whether invite links are allowed.
    pub invite_links: bool,
    /// The merge rules of spaces that have none of their own.
    pub merge_rules: MergeRules,
    /// The site at its host name.
    pub default_site: Option<SiteId>,
    /// When the organization was created.
    pub created_at: DateTime<Utc>,
}

permissions! {
    /// What a member may do with an organization (see `docs/access.md`).
    pub struct OrganizationPermissions {
        view = "view",
        access = "access",
        admin = "admin",
        own_team = "ownTeam",
        create_content = "createContent",
        create_openapi_spec = "createOpenAPISpec",
        ingest_conversations = "ingestConversations",
        view_billing = "viewBilling",
        list_members = "listMembers",
        list_teams = "listTeams",
        list_integrations = "listIntegrations",
        list_installations = "listInstallations",
        install_integration = "installIntegration",
    }
    internal {
        /// To read the data that all members except guests may read.
        read,
        /// To see conversations with customers, which have personal data.
        read_conversations,
        /// To join by the domain of a verified address; only joining checks it.
        join,
    }
}

impl Guarded for Organization {
    type Permissions = OrganizationPermissions;

    fn permissions(&self, access: &Access) -> OrganizationPermissions {
        let member = access.at_least(Level::Guest);
        let reads = access.at_least(Level::Read);
        let creates = access.at_least(Level::Create);
        let administers = access.at_least(Level::Admin);
        OrganizationPermissions {
            view: member,
            access: member,
            admin: administers,
            own_team: administers || (member && access.team == Some(TeamRole::Owner)),
            create_content: creates,
            create_openapi_spec: creates,
            ingest_conversations: creates,
            view_billing: administers,
            list_members: reads,
            list_teams: reads,
            list_integrations: reads,
            list_installations: creates,
            install_integration: administers,
            read: reads,
            read_conversations: access.at_least(Level::Edit),
            join: access.joins,
        }
    }

    fn visible(permissions: &OrganizationPermissions) -> bool {
        permissions.view || permissions.join
    }
}

impl Audited for Organization {
    fn settings(&self) -> Vec<(&'static str, Value)> {
        vec![
            ("title", json!(self.title)),
            ("emailDomains", json!(self.email_domains)),
            ("hostname", json!(self.hostname)),
            ("defaultRole", json!(self.default_role)),
            ("logo", json!(self.logo)),
            ("defaultContent", json!(self.default_site)),
            ("sso", json!(self.sso)),
            ("ai", json!(self.ai)),
            ("inviteLinks", json!(self.invite_links)),
            ("mergeRules", json!(self.merge_rules)),
        ]
    }
}

/// A change to an organization's settings; absent fields keep their value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "see the fields of Organization")]
pub struct OrganizationPatch {
    pub title: Option<OrganizationTitle>,
    pub email_domains: Option<Vec<String>>,
    pub hostname: crate::patch::Patch<String>,
    pub default_role: crate::patch::Patch<Role>,
    pub logo: crate::patch::Patch<WebAddress>,
    pub default_site: crate::patch::Patch<SiteId>,
    pub sso: Option<bool>,
    pub ai: Option<bool>,
    pub invite_links: Option<bool>,
    pub merge_rules: Option<MergeRules>,
}

impl Organization {
    /// A new organization with default settings: new members may read, and invite links are allowed.
    pub fn new(id: OrganizationId, title: OrganizationTitle, created_at: DateTime<Utc>) -> Self {
        Self {
            id,
            title,
            email_domains: Vec::new(),
            hostname: None,
            default_role: Some(Role::Read),
            logo: None,
            sso: false,
            ai: false,
            invite_links: true,
            merge_rules: MergeRules::None,
            default_site: None,
            created_at,
        }
    }

    /// Applies a change of settings. Returns the organization before; `None` if nothing changed.
    pub fn update(&mut self, patch: OrganizationPatch) -> Option<Self> {
        changed(self, |organization| organization.apply(patch))
    }

    fn apply(&mut self, patch: OrganizationPatch) {
        let OrganizationPatch {
            title,
            email_domains,
            hostname,
            default_role,
            logo,
            default_site,
            sso,
            ai,
            invite_links,
            merge_rules,
        } = patch;
        set(&mut self.title, title);
        set(&mut self.email_domains, email_domains);
        hostname.apply(&mut self.hostname);
        default_role.apply(&mut self.default_role);
        logo.apply(&mut self.logo);
        default_site.apply(&mut self.default_site);
        set(&mut self.sso, sso);
        set(&mut self.ai, ai);
        set(&mut self.invite_links, invite_links);
        set(&mut self.merge_rules, merge_rules);
    }

    /// Whether users with a verified address of this domain may join.
    pub fn admits(&self, domain: &str) -> bool {
        self.email_domains.iter().any(|one| one == domain)
    }
}

/// Checks a list of email domains; returns them in lower case without duplicates.
///
/// # Errors
/// [`Invalid`] if there are too many, or with the entry that is not a domain.
pub fn email_domains(field: &str, raw: Vec<String>) -> Result<Vec<String>, Invalid> {
    if raw.len() > 100 {
        return Err(Invalid::new(field, "must have at most 100 domains"));
    }
    let mut domains = Vec::with_capacity(raw.len());
    for (at, domain) in raw.into_iter().enumerate() {
        let domain = domain.trim().to_lowercase();
        if !is_domain(&domain) {
            return Err(Invalid::new(format!("{field}[{at}]"), "must be a domain such as example.org"));
        }
        if !domains.contains(&domain) {
            domains.push(domain);
        }
    }
    Ok(domains)
}

fn is_domain(domain: &str) -> bool {
    let label = |label: &str| {
        (1..=63).contains(&label.len())
            && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    domain.len() <= 253 && domain.contains('.') && domain.split('.').all(label)
}

/// Checks the host name of an organization.
///
/// # Errors
/// [`Invalid`] with the rule.
pub fn hostname(field: &str, raw: String) -> Result<String, Invalid> {
    let plain = raw.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-');
    if (3..=32).contains(&raw.len()) && plain && !raw.starts_with('-') && !raw.ends_with('-') {
        Ok(raw)
    } else {
        Err(Invalid::new(field, "must be 3 to 32 characters of a-z, 0-9 and -, with a letter or digit at both ends"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    fn organization() -> Organization {
        Organization::new("o".parse().unwrap(), "Docs".parse().unwrap(), DateTime::UNIX_EPOCH)
    }

    #[rstest]
    #[case(Level::None, false, false, false, false)]
    #[case(Level::Guest, true, false, false, false)]
    #[case(Level::Read, true, true, false, false)]
    #[case(Level::Review, true, true, false, false)]
    #[case(Level::Create, true, true, true, false)]
    #[case(Level::Admin, true, true, true, true)]
    fn rights_on_an_organization_follow_the_level(
        #[case] level: Level,
        #[case] view: bool,
        #[case] lists: bool,
        #[case] creates: bool,
        #[case] administers: bool,
    ) {
        let may = organization().permissions(&Access::new("u".parse().ok(), level));
        assert_eq!((may.view, may.list_members, may.create_content, may.admin), (view, lists, creates, administers));
    }

    #[rstest]
    #[case(Level::None, Some(TeamRole::Owner), false)]
    #[case(Level::Guest, Some(TeamRole::Owner), true)]
    #[case(Level::Read, Some(TeamRole::Member), false)]
    #[case(Level::Read, None, false)]
    #[case(Level::Admin, None, true)]
    fn own_team_depends_on_the_level_and_the_team_role(
        #[case] level: Level,
        #[case] team: Option<TeamRole>,
        #[case] owns: bool,
    ) {
        let access = Access { team, ..Access::new("u".parse().ok(), level) };
        assert_eq!(organization().permissions(&access).own_team, owns);
    }

    #[test]
    fn users_who_may_join_see_only_that_the_organization_exists() {
        let may = organization().permissions(&Access { joins: true, ..Access::new(None, Level::None) });
        assert!(Organization::visible(&may) && !may.view && !may.access && !may.list_members);
    }

    #[test]
    fn a_domain_admits_its_own_addresses_only() {
        let organization = Organization { email_domains: vec!["example.org".into()], ..organization() };
        assert!(organization.admits("example.org"));
        assert!(!organization.admits("evil-example.org") && !organization.admits("sub.example.org"));
    }

    #[test]
    fn a_patch_keeps_other_fields() {
        let mut changed = organization();
        changed.update(OrganizationPatch { ai: Some(true), ..OrganizationPatch::default() });
        assert_eq!(changed, Organization { ai: true, ..organization() });
    }

    #[test]
    fn domains_are_checked_one_by_one_and_kept_once() {
        assert_eq!(email_domains("d", vec!["A.org".into(), "a.org".into()]), Ok(vec!["a.org".into()]));
        let error = email_domains("d", vec!["a.org".into(), "nope".into()]).unwrap_err();
        assert_eq!(error.field, "d[1]");
    }

    #[rstest]
    #[case("docs", true)]
    #[case("doc", true)]
    #[case("do", false)]
    #[case(&"d".repeat(32), true)]
    #[case(&"d".repeat(33), false)]
    #[case("-docs", false)]
    #[case("Docs", false)]
    fn a_hostname_is_short_and_plain(#[case] raw: &str, #[case] fine: bool) {
        assert_eq!(hostname("hostname", raw.into()).is_ok(), fine);
    }
}
