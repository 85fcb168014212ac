use super::*;
use crate::site::publishing_auth::{PublishingAuth, VisitorKeyDeriver};
use crate::site::share_link::ShareLinkKeyDeriver;
use crate::site::visitor_token::corpus::signed_by;
use rstest::rstest;
use serde_json::{json, to_value};

fn now() -> DateTime<Utc> {
    DateTime::from_timestamp(1_700_000_000, 0).unwrap()
}

fn id(site: &str) -> SiteId {
    site.parse().unwrap()
}

fn audience(visibility: SiteVisibility, published: bool) -> SiteAudience {
    let mut auth = PublishingAuth::new(id("docs"));
    auth.regenerate();
    let schema = json!({"type": "object", "additionalProperties": false, "properties": {
        "plan": {"type": "string", "description": ""},
        "unsigned": {"type": "object", "description": "Unsigned claims of the site visitor.",
            "additionalProperties": false, "properties": {"plan": {"type": "string", "description": ""}}},
    }});
    SiteAudience {
        site: id("docs"),
        published,
        visibility,
        agents: AgentsContext::Included,
        key: VisitorKeyDeriver::new(&[7; 32]).key(&auth),
        schema: AdaptiveSchema::parse(&schema).ok(),
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Secret {
    No,
    Wrong,
    Revoked,
    Expired,
    Right,
}

/// The link that the store finds for a secret. A link does not expire; one that is not active takes its place.
fn link(secret: Secret) -> Option<ShareLink> {
    let site = if secret == Secret::Wrong { id("blog") } else { id("docs") };
    let deriver = ShareLinkKeyDeriver::new(&[7; 32]);
    let link = ShareLink::new("l".parse().unwrap(), site, "".parse().unwrap(), &deriver, now());
    let active = !matches!(secret, Secret::Revoked | Secret::Expired);
    (secret != Secret::No).then_some(ShareLink { active, ..link })
}

fn token(secret: Secret) -> Option<String> {
    let deriver = VisitorKeyDeriver::new(&[7; 32]);
    let key = match secret {
        Secret::No => return None,
        Secret::Wrong => deriver.key(&PublishingAuth::new(id("blog"))),
        Secret::Revoked => deriver.key(&PublishingAuth::new(id("docs"))),
        Secret::Expired | Secret::Right => audience(SiteVisibility::Public, true).key,
    };
    let lasts = if secret == Secret::Expired { 0 } else { 60 };
    let claims = json!({"exp": now().timestamp() + lasts, "plan": "pro"}).to_string();
    Some(signed_by(&key, r#"{"alg":"HS256"}"#, &claims))
}

/// The outcome of a visit in one word, with the claims.
fn outcome(visit: Result<SiteVisit, SiteRefusal>) -> (&'static str, Value) {
    match visit {
        Ok(visit) => {
            assert_eq!(visit.site(), &id("docs"));
            let admitted = match visit.admission() {
                Admission::Everyone => "everyone",
                Admission::ShareLink(link) if link.as_str() == "l" => "link",
                Admission::Token { until } if *until == now() + chrono::TimeDelta::minutes(1) => "token",
                Admission::Preview { .. } => "preview",
                other => panic!("{other:?}"),
            };
            (admitted, to_value(visit.claims()).unwrap())
        }
        Err(SiteRefusal::Absent) => ("absent", json!(null)),
        Err(SiteRefusal::SignIn(fault)) => ("sign in", json!(fault.map(|fault| format!("{fault:?}")))),
    }
}

#[rstest]
fn the_audience_of_a_site_is_that_of_the_table(
    #[values(SiteVisibility::Public, SiteVisibility::Unlisted, SiteVisibility::ShareLink, SiteVisibility::VisitorAuth)]
    visibility: SiteVisibility,
    #[values(Secret::No, Secret::Wrong, Secret::Revoked, Secret::Expired, Secret::Right)] secret: Secret,
    #[values(true, false)] published: bool,
) {
    let (link, token, unsigned) = (link(secret), token(secret), json!({"plan": "free"}));
    let (share_link, token, unsigned) = (link.as_ref(), token.as_deref(), unsigned.as_object());
    let credentials = VisitorCredentials { share_link, token, unsigned, ..VisitorCredentials::default() };
    let found = outcome(SiteVisit::admit(Some(&audience(visibility, published)), credentials, now()));
    let right = secret == Secret::Right;
    let claims = match right {
        true => json!({"plan": "pro", "unsigned": {"plan": "free"}}),
        false => json!({"unsigned": {"plan": "free"}}),
    };
    let expected = match (published, visibility, secret) {
        (false, _, _) => ("absent", json!(null)),
        (true, SiteVisibility::Public | SiteVisibility::Unlisted, _) => ("everyone", claims),
        (true, SiteVisibility::ShareLink, Secret::Right) => ("link", claims),
        (true, SiteVisibility::ShareLink, _) => ("absent", json!(null)),
        (true, _, Secret::No) => ("sign in", json!(null)),
        (true, _, Secret::Wrong | Secret::Revoked) => ("sign in", json!("Signature")),
        (true, _, Secret::Expired) => ("sign in", json!("Expired")),
        (true, _, Secret::Right) => ("token", claims),
    };
    assert_eq!(found, expected);
}

#[test]
fn an_unknown_site_an_unpublished_one_and_one_without_its_key_are_refused_alike() {
    let unknown = SiteVisit::admit(None, VisitorCredentials::default(), now());
    for audience in [
        audience(SiteVisibility::Public, false),
        audience(SiteVisibility::VisitorAuth, false),
        audience(SiteVisibility::ShareLink, true),
    ] {
        assert_eq!(SiteVisit::admit(Some(&audience), VisitorCredentials::default(), now()), unknown);
    }
    assert_eq!(unknown, Err(SiteRefusal::Absent));
}

#[test]
fn the_schema_of_a_site_counts_while_adaptive_content_is_on() {
    let SiteAudience { key, schema, .. } = audience(SiteVisibility::Public, true);
    let mut site = Site::sample();
    let off = SiteAudience::of(&site, key.clone(), schema.clone());
    assert_eq!((off.published, off.visibility, off.schema), (false, SiteVisibility::Public, None));
    site.adaptive_content = true;
    site.visibility = SiteVisibility::VisitorAuth;
    site.publish(now());
    let on = SiteAudience::of(&site, key, schema.clone());
    assert_eq!((on.site, on.published, on.visibility, on.schema), (site.id, true, SiteVisibility::VisitorAuth, schema));
}

#[test]
fn a_site_without_adaptive_content_ignores_claims() {
    let token = token(Secret::Right);
    let credentials = VisitorCredentials { token: token.as_deref(), ..VisitorCredentials::default() };
    let audience = SiteAudience { schema: None, ..audience(SiteVisibility::VisitorAuth, true) };
    assert!(SiteVisit::admit(Some(&audience), credentials, now()).unwrap().claims().is_empty());
}

#[test]
fn a_token_opens_no_share_link_site_and_a_share_link_no_site_with_visitor_tokens() {
    let (link, token) = (link(Secret::Right), token(Secret::Right));
    let by_token = VisitorCredentials { token: token.as_deref(), ..VisitorCredentials::default() };
    let by_link = VisitorCredentials { share_link: link.as_ref(), ..VisitorCredentials::default() };
    let visit =
        |visibility, credentials| outcome(SiteVisit::admit(Some(&audience(visibility, true)), credentials, now())).0;
    assert_eq!(visit(SiteVisibility::ShareLink, by_token), "absent");
    assert_eq!(visit(SiteVisibility::VisitorAuth, by_link), "sign in");
}

fn place() -> VisitedPlace {
    VisitedPlace {
        organization: "o".parse().unwrap(),
        site_section: None,
        site_space: "v".parse().unwrap(),
        space: "s".parse().unwrap(),
        spaces: vec!["s".parse().unwrap()],
    }
}

#[rstest]
#[case::public(SiteVisibility::Public)]
#[case::unlisted(SiteVisibility::Unlisted)]
#[case::share_link(SiteVisibility::ShareLink)]
#[case::visitor_auth(SiteVisibility::VisitorAuth)]
fn a_visit_is_resumed_while_its_admission_is_valid(#[case] visibility: SiteVisibility) {
    let (link, token, unsigned) = (link(Secret::Right), token(Secret::Right), json!({"plan": "free"}));
    let (share_link, token, unsigned) = (link.as_ref(), token.as_deref(), unsigned.as_object());
    let credentials = VisitorCredentials { share_link, token, unsigned, ..VisitorCredentials::default() };
    let seen = audience(visibility, true);
    let visit = SiteVisit::admit(Some(&seen), credentials, now()).unwrap();
    let token = visit.content_token(place(), &seen.key, now());
    let resume = |audience: &SiteAudience, link: Option<&ShareLink>| {
        SiteVisit::resume(Some(audience), &token, link, None, now()).map(|(visit, until)| (visit.claims, until - now()))
    };
    let minute = chrono::TimeDelta::minutes(1);
    assert_eq!(resume(&seen, link.as_ref()), Ok((visit.claims.clone(), minute)), "its claims are from the token");

    let mut regenerated = PublishingAuth::new(id("docs"));
    regenerated.regenerate();
    regenerated.regenerate();
    let other = match visibility {
        SiteVisibility::Public => SiteVisibility::Unlisted,
        _ => SiteVisibility::Public,
    };
    let ended = [
        SiteAudience { published: false, ..seen.clone() },
        SiteAudience { visibility: other, ..seen.clone() },
        SiteAudience { key: VisitorKeyDeriver::new(&[7; 32]).key(&regenerated), ..seen.clone() },
        SiteAudience { site: id("blog"), ..seen.clone() },
    ];
    for audience in ended {
        assert_eq!(resume(&audience, link.as_ref()), Err(SiteRefusal::Absent));
    }
    let needs_link = visibility == SiteVisibility::ShareLink;
    let another = ShareLink { id: "m".parse().unwrap(), ..link.clone().unwrap() };
    for link in [self::link(Secret::No), self::link(Secret::Wrong), self::link(Secret::Revoked), Some(another)] {
        assert_eq!(resume(&seen, link.as_ref()).is_err(), needs_link);
    }
    let later = SiteVisit::resume(Some(&seen), &token, link.as_ref(), None, now() + VALID_FOR);
    assert_eq!(later, Err(SiteRefusal::Absent));
    assert_eq!(SiteVisit::resume(None, &token, link.as_ref(), None, now()), Err(SiteRefusal::Absent));
}

#[rstest]
#[case::public(SiteVisibility::Public, Secret::Right, true, true)]
#[case::share_link(SiteVisibility::ShareLink, Secret::Right, true, true)]
#[case::visitor_auth(SiteVisibility::VisitorAuth, Secret::Right, true, true)]
#[case::no_token(SiteVisibility::Public, Secret::No, true, false)]
#[case::an_expired_token(SiteVisibility::Public, Secret::Expired, true, false)]
#[case::the_claims_are_not_used(SiteVisibility::Public, Secret::Right, false, false)]
#[case::the_claims_are_not_used_but_the_token_is(SiteVisibility::VisitorAuth, Secret::Right, false, true)]
fn a_visit_ends_with_the_token_that_it_depends_on(
    #[case] visibility: SiteVisibility,
    #[case] secret: Secret,
    #[case] adaptive: bool,
    #[case] ends: bool,
) {
    let (link, token) = (link(Secret::Right), token(secret));
    let (share_link, token) = (link.as_ref(), token.as_deref());
    let mut seen = audience(visibility, true);
    seen.schema = seen.schema.filter(|_| adaptive);
    let credentials = VisitorCredentials { share_link, token, ..VisitorCredentials::default() };
    let visit = SiteVisit::admit(Some(&seen), credentials, now()).unwrap();
    assert_eq!(visit.expires_at(), ends.then(|| now() + chrono::TimeDelta::minutes(1)));
    let needs_token = visibility == SiteVisibility::VisitorAuth;
    assert_eq!(visit.without_claims().expires_at().is_some(), needs_token);
    let content = visit.content_token(place(), &seen.key, now());
    let (_, until) = SiteVisit::resume(Some(&seen), &content, share_link, None, now()).unwrap();
    assert_eq!(until - now(), if ends { chrono::TimeDelta::minutes(1) } else { VALID_FOR });
}

#[test]
fn a_preview_shows_an_unpublished_site_with_its_claims_to_holders_of_its_token() {
    let seen = audience(SiteVisibility::VisitorAuth, false);
    let claims = json!({"plan": "pro", "unsigned": {"plan": "free"}, "other": 1});
    let said = PreviewToken {
        site: id("docs"),
        member: Some("ada".parse().unwrap()),
        claims: claims.as_object().cloned().unwrap(),
        draft: true,
    };
    let token = said.signed(&seen.key, now(), now() + VALID_FOR);
    let readable = BTreeSet::from(["s".parse().unwrap()]);
    let preview = |token| VisitorCredentials {
        preview: Some(PreviewCredentials { token, readable: &readable }),
        ..VisitorCredentials::default()
    };
    let credentials = preview(token.as_str());
    let visit = SiteVisit::admit(Some(&seen), credentials, now()).unwrap();
    let expected = json!({"plan": "pro", "unsigned": {"plan": "free"}});
    assert_eq!(outcome(Ok(visit.clone())), ("preview", expected.clone()));
    assert!(visit.drafts() && visit.is_preview() && visit.spaces().is_some_and(|spaces| spaces.len() == 1));
    let content = visit.content_token(place(), &seen.key, now());
    let (resumed, _) = SiteVisit::resume(Some(&seen), &content, None, Some(&readable), now()).unwrap();
    assert_eq!(resumed.spaces(), Some(&readable));
    let (nothing, _) = SiteVisit::resume(Some(&seen), &content, None, None, now()).unwrap();
    assert_eq!(nothing.spaces(), Some(&BTreeSet::new()));
    assert_eq!((resumed.drafts(), outcome(Ok(resumed))), (true, ("preview", expected)));
    let other = SiteAudience { site: id("blog"), ..seen.clone() };
    for (audience, at) in [(&other, now()), (&seen, now() + VALID_FOR)] {
        assert_eq!(SiteVisit::admit(Some(audience), credentials, at), Err(SiteRefusal::Absent));
    }
    for wrong in ["", "a.b.c", content.as_str()] {
        assert_eq!(SiteVisit::admit(Some(&seen), preview(wrong), now()), Err(SiteRefusal::Absent));
    }
}

#[test]
fn agents_see_only_sites_that_include_them() {
    let credentials = VisitorCredentials { kind: VisitorKind::Agent, ..VisitorCredentials::default() };
    let included = audience(SiteVisibility::Public, true);
    let visit = SiteVisit::admit(Some(&included), credentials, now()).unwrap();
    let token = visit.content_token(place(), &included.key, now());
    assert!(SiteVisit::resume(Some(&included), &token, None, None, now()).is_ok());
    let excluded = SiteAudience { agents: AgentsContext::Excluded, ..included };
    assert_eq!(SiteVisit::admit(Some(&excluded), credentials, now()), Err(SiteRefusal::Absent));
    assert_eq!(SiteVisit::resume(Some(&excluded), &token, None, None, now()), Err(SiteRefusal::Absent));
    assert!(SiteVisit::admit(Some(&excluded), VisitorCredentials::default(), now()).is_ok());
}
