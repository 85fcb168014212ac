//! What is valid, key by key.
use super::super::*;
use super::{at, body, customizations, put, read, written};
use crate::words::Words;
use proptest::prelude::*;
use rstest::rstest;
use serde_json::{Value, json};

/// Every key with some of its values.
fn table() -> Vec<(&'static str, Vec<Value>)> {
    let pair = |light: &str, dark: &str| json!({"light": light, "dark": dark});
    let colors = || vec![pair("#FFD400", "#fff"), pair("#000000", "#AbCdEf")];
    let images = || vec![pair("https://example.org/l.svg", "http://example.org/d.png?a=b")];
    let font = || {
        let sources =
            json!([{"url": "https://example.org/a.woff2", "format": "woff2"}, {"url": "https://example.org/a"}]);
        json!({"id": "f1", "custom": true, "fontFamily": "Grotesk \"x\"", "fontFaces": [
            {"weight": 1, "sources": sources}, {"weight": 1000, "sources": []},
        ]})
    };
    let fonts = || [words::<TextFont>(), vec![font()]].concat();
    let link = json!({"title": "a".repeat(64), "to": {"kind": "page", "page": "p", "space": "s"}});
    let switches = || vec![json!(true), json!(false)];
    let texts = |lengths: &[usize]| lengths.iter().map(|length| json!("é".repeat(*length))).collect::<Vec<_>>();
    vec![
        ("title", texts(&[2, 128])),
        ("styling.theme", words::<Theme>()),
        ("styling.primaryColor", colors()),
        ("styling.infoColor", colors()),
        ("styling.successColor", colors()),
        ("styling.warningColor", colors()),
        ("styling.dangerColor", colors()),
        ("styling.tint", vec![json!({"color": pair("#fff", "#000")})]),
        ("styling.corners", words::<Corners>()),
        ("styling.depth", words::<Depth>()),
        ("styling.links", words::<LinkStyle>()),
        ("styling.font", fonts()),
        ("styling.headingFont", fonts()),
        ("styling.monospaceFont", [words::<CodeFont>(), vec![font()]].concat()),
        ("styling.background", words::<Background>()),
        ("styling.icons", words::<IconStyle>()),
        ("styling.codeTheme.default", vec![pair("github-light", "night-owl"), pair("a", &"9-".repeat(25))]),
        ("styling.codeTheme.openapi", vec![pair("one-light", "one-dark-pro")]),
        ("styling.sidebar.background", words::<SidebarBackground>()),
        ("styling.sidebar.list", words::<SidebarList>()),
        ("styling.search", words::<SearchStyle>()),
        ("internationalization.locale", words::<Locale>()),
        ("favicon", vec![json!({"icon": images()[0]}), json!({"emoji": "🐙"}), json!({})]),
        ("header.preset", words::<HeaderPreset>()),
        ("header.logo", images()),
        (
            "header.primaryLink",
            vec![json!({"kind": "url", "url": "https://example.org/"}), json!({"kind": "space", "space": "s"})],
        ),
        ("header.backgroundColor", colors()),
        ("header.linkColor", colors()),
        (
            "header.links",
            vec![
                json!([]),
                json!([
                    {"title": "Menu", "to": null, "links": vec![&link; 20]},
                    {"title": "a".repeat(128), "style": "button-primary", "to": {"kind": "url", "url": "/x"}, "links": [],
                        "condition": "visitor.claims.plan === 'pro'"},
                ]),
                json!(vec![json!({"title": "a", "to": null, "links": []}); 20]),
            ],
        ),
        ("footer.logo", images()),
        (
            "footer.groups",
            vec![json!([]), json!([{"title": "Company", "links": [link]}, {"title": "Empty", "links": []}])],
        ),
        ("footer.copyright", texts(&[0, 512])),
        (
            "announcement",
            vec![
                json!({"enabled": false, "message": "a<b>\u{202e}", "style": "danger"}),
                json!({"enabled": true, "message": "New", "link": link, "style": "success"}),
            ],
        ),
        ("themes.default", words::<ThemeMode>()),
        ("themes.toggeable", switches()),
        ("feedback.enabled", switches()),
        ("ai.mode", words::<AiMode>()),
        ("ai.greeting", texts(&[0, 256])),
        ("ai.suggestions", vec![json!([]), json!(["Why", "How", &"é".repeat(64), "Who", "When"])]),
        ("ai.instructions", texts(&[0, 10_000])),
        ("advancedCustomization.enabled", switches()),
        ("pageActions.items", vec![json!([]), json!(["pdf", "assistant", "git"]), json!(PageAction::WORDS)]),
        ("externalLinks.target", words::<ExternalLinkTarget>()),
        ("pagination.enabled", switches()),
        ("trademark.enabled", switches()),
        ("privacyPolicy", vec![json!({"url": "https://example.org/privacy"}), json!({})]),
        ("socialPreview", vec![json!({"url": "https://example.org/card.png"}), json!({})]),
        (
            "socialAccounts",
            vec![
                json!([]),
                SocialPlatform::WORDS.iter().take(10).map(account).collect(),
                SocialPlatform::WORDS.iter().skip(10).map(account).collect(),
            ],
        ),
        ("insights.trackingCookie", switches()),
    ]
}

fn account(platform: &&str) -> Value {
    json!({"platform": platform, "handle": "octavo/docs", "display": {"footer": false, "header": true}})
}

fn words<T: Words>() -> Vec<Value> {
    T::WORDS.iter().map(|word| json!(word)).collect()
}

/// Every value of the table with its path.
pub(super) fn every_value() -> Vec<(&'static str, Value)> {
    let table = table().into_iter();
    table.flat_map(|(path, values)| values.into_iter().map(move |value| (path, value))).collect()
}

#[test]
fn the_defaults_make_a_complete_site() {
    let pair = |light: &str, dark: &str| json!({"light": light, "dark": dark});
    let code = pair("default-light", "default-dark");
    let expected = json!({
        "styling": {
            "theme": "clean",
            "primaryColor": pair("#346ddb", "#346ddb"),
            "infoColor": pair("#0284c7", "#38bdf8"),
            "successColor": pair("#16a34a", "#4ade80"),
            "warningColor": pair("#d97706", "#fbbf24"),
            "dangerColor": pair("#dc2626", "#f87171"),
            "corners": "rounded", "depth": "subtle", "links": "default",
            "font": "Inter", "monospaceFont": "IBMPlexMono",
            "background": "plain", "icons": "regular",
            "codeTheme": {"default": code, "openapi": code},
            "sidebar": {"background": "default", "list": "default"},
            "search": "prominent",
        },
        "internationalization": {"locale": "en"},
        "favicon": {},
        "header": {"preset": "default", "links": []},
        "footer": {"groups": []},
        "themes": {"default": "system", "toggeable": true},
        "feedback": {"enabled": false},
        "ai": {"mode": "none"},
        "advancedCustomization": {"enabled": true},
        "pageActions": {"items": ["markdown", "external-ai", "mcp", "git", "pdf"]},
        "externalLinks": {"target": "self"},
        "pagination": {"enabled": true},
        "trademark": {"enabled": false},
        "privacyPolicy": {},
        "socialPreview": {},
        "socialAccounts": [],
        "insights": {"trackingCookie": false},
    });
    assert_eq!(written(&Customization::default()), expected);
}

#[test]
fn every_key_keeps_each_of_its_values_and_changes_no_other_key() {
    for (path, value) in every_value() {
        let read = read(body(path, value.clone())).unwrap_or_else(|error| panic!("{path} = {value}: {error}"));
        let mut expected = written(&Customization::default());
        put(&mut expected, path, value);
        assert_eq!(written(&read), expected, "{path}");
    }
}

#[rstest]
#[case("title", json!("a"), "at least 2")]
#[case("title", json!("a".repeat(129)), "at most 128")]
#[case("styling", json!("clean"), "struct")]
#[case("styling.theme", json!("dark"), "`clean`, `muted`")]
#[case("styling.primaryColor", json!({"light": "red", "dark": "#fff"}), "a colour such as #346ddb")]
#[case("styling.tint", json!({}), "color")]
#[case("styling.font", json!("Comic"), "one of ABCFavorit, Inter")]
#[case("styling.font", json!("FiraCode"), "one of ABCFavorit, Inter")]
#[case("styling.font", json!(7), "the name of a font or the definition of one")]
#[case("styling.font", json!({"id": "f", "custom": true, "fontFaces": []}), "fontFamily")]
#[case("styling.monospaceFont", json!("Inter"), "one of FiraCode")]
#[case("styling.codeTheme.default", json!({"light": "GitHub"}), "a code theme such as github-dark")]
#[case("styling.codeTheme.default", json!({"light": ""}), "a code theme")]
#[case("styling.codeTheme.default", json!({"dark": "a".repeat(51)}), "a code theme")]
#[case("internationalization.locale", json!("xx"), "`en`")]
#[case("favicon", json!({"emoji": "🐙", "icon": {"light": "https://a.org", "dark": "https://a.org"}}), "either icon or emoji")]
#[case("favicon", json!({"icon": {"light": "https://a.org"}}), "dark")]
#[case("header.logo", json!({"light": "javascript:x", "dark": "https://a.org"}), "such as https://")]
#[case("header.links", json!(vec![json!({"title": "a"}); 21]), "at most 20 items, not 21")]
#[case("header.links", json!([{"title": "a", "links": vec![json!({"title": "a", "to": {"kind": "space", "space": "s"}}); 21]}]), "at most 20")]
#[case("header.links", json!([{"title": "a", "links": [{"title": "a"}]}]), "missing field `to`")]
#[case("header.links", json!([{"title": "", "to": null}]), "at least 1")]
#[case("header.links", json!([{"to": null}]), "title")]
#[case("header.links", json!([{"title": "a", "style": "big"}]), "`button-primary`")]
#[case("header.links", json!([{"title": "a"}, {"title": "a", "condition": "1 +"}]), "header.links[1].condition: not an expression")]
#[case("header.links", json!([{"title": "a", "condition": "1 ".repeat(600)}]), "at most 1024")]
#[case("footer.groups", json!(vec![json!({"title": "a"}); 11]), "at most 10 items")]
#[case("footer.copyright", json!("a".repeat(513)), "at most 512")]
#[case("announcement", json!({"message": "a"}), "at least 2")]
#[case("announcement", json!({"message": "a".repeat(129)}), "at most 128")]
#[case("announcement", json!({"enabled": true}), "message")]
#[case("themes.toggeable", json!("yes"), "boolean")]
#[case("ai.suggestions", json!(["ab"]), "at least 3")]
#[case("ai.suggestions", json!(vec!["abc"; 6]), "at most 5")]
#[case("ai.instructions", json!("a".repeat(10_001)), "at most 10000")]
#[case("pageActions.items", json!(["pdf", "git", "pdf"]), "must not have pdf twice")]
#[case("pageActions.items", json!(["print"]), "`external-ai`")]
#[case("privacyPolicy", json!({"url": "mailto:a@b.org"}), "such as https://")]
#[case("socialAccounts", json!(vec![account(&"slack"); 11]), "at most 10")]
#[case("socialAccounts", json!([{"platform": "myspace", "handle": "a"}]), "`twitter`")]
#[case("socialAccounts", json!([{"platform": "slack", "handle": ""}]), "at least 1")]
fn a_value_that_breaks_its_rule_is_refused(#[case] path: &str, #[case] value: Value, #[case] rule: &str) {
    let error = read(body(path, value)).unwrap_err();
    assert!(error.contains(rule), "{error}");
}

#[rstest]
#[case(json!(0))]
#[case(json!(1001))]
#[case(json!(400.5))]
#[case(json!("400"))]
#[case(json!(-1))]
fn the_weight_of_a_font_is_a_number_from_1_to_1000(#[case] weight: Value) {
    let faces = json!([{"weight": weight, "sources": []}]);
    let font = json!({"id": "f", "custom": false, "fontFamily": "F", "fontFaces": faces});
    assert!(read(body("styling.font", font)).is_err());
}

/// What the contract does not require may be left out.
#[rstest]
#[case("announcement", json!({"message": "New"}), json!({"enabled": true, "message": "New", "style": "info"}))]
#[case("header.links", json!([{"title": "a"}]), json!([{"title": "a", "to": null, "links": []}]))]
#[case("favicon", json!({"emoji": ""}), json!({}))]
#[case(
    "header.links",
    json!([{"title": "a", "condition": ""}]),
    json!([{"title": "a", "to": null, "links": []}])
)]
#[case("footer.groups", json!([{"title": "a"}]), json!([{"title": "a", "links": []}]))]
#[case(
    "socialAccounts",
    json!([{"platform": "github", "handle": "a", "display": {"header": true}}]),
    json!([{"platform": "github", "handle": "a", "display": {"footer": true, "header": true}}])
)]
#[case("styling.codeTheme.openapi", json!({"dark": "dracula"}), json!({"light": "default-light", "dark": "dracula"}))]
#[case("styling.primaryColor", json!({"light": "#fff"}), json!({"light": "#fff", "dark": "#346ddb"}))]
#[case("styling", json!(null), written(&Customization::default())["styling"].clone())]
#[case("pagination.enabled", json!(null), json!(true))]
#[case("styling", json!({}), written(&Customization::default())["styling"].clone())]
#[case("styling.headingFont", json!(null), json!(null))]
#[case("privacyPolicy", json!({"url": null}), json!({}))]
#[case("unknown", json!({"key": 1}), json!(null))]
#[case("updatedAt", json!("2026-01-01T00:00:00Z"), json!(null))]
#[case("socialPreview", json!({"url": "https://EXAMPLE.org"}), json!({"url": "https://example.org/"}))]
fn an_absent_key_has_its_default(#[case] path: &str, #[case] sent: Value, #[case] expected: Value) {
    let read = written(&read(body(path, sent)).unwrap());
    assert_eq!(at(&read, path), &expected);
}

proptest! {
    #[test]
    fn a_customization_that_is_sent_back_changes_nothing(customization in customizations()) {
        prop_assert_eq!(read(written(&customization)), Ok(customization));
    }

    #[test]
    fn texts_are_kept_as_they_are(text in "[^\0]{2,100}") {
        let sent = json!({
            "title": text, "ai": {"greeting": text, "instructions": text},
            "footer": {"copyright": text, "groups": [{"title": text}]}, "announcement": {"message": text},
            "socialAccounts": [{"platform": "github", "handle": text}],
        });
        let read = written(&read(sent).unwrap());
        let texts = [
            &read["title"], &read["ai"]["greeting"], &read["ai"]["instructions"], &read["footer"]["copyright"],
            &read["footer"]["groups"][0]["title"], &read["announcement"]["message"], &read["socialAccounts"][0]["handle"],
        ];
        for kept in texts {
            prop_assert_eq!(kept, &json!(text));
        }
    }
}
