use super::oklch::{BLACK, Rgb};
use super::palette::{Named, Palette};
use super::scale::{Mode, Scale};
use super::{Needs, outside};
use domain::site::customization::{Customization, Styling};
use proptest::prelude::*;
use rstest::rstest;
use serde_json::json;

/// The whole style.
fn style(customization: &Customization) -> String {
    super::style(customization, Needs { marks: true, code: true })
}

const TWELVE: [&str; 12] = [
    "#000000", "#ffffff", "#ff0000", "#00ff00", "#0000ff", "#ffff00", "#00ffff", "#ff00ff", "#808080", "#ffd400",
    "#0f1114", "#fdfdff",
];

fn get(named: &Named, name: &str) -> Rgb {
    named.iter().find(|(known, _)| *known == name).map(|(_, color)| *color).unwrap_or_else(|| panic!("no {name}"))
}

fn styling(primary: &str, tint: Option<&str>, theme: &str, background: &str) -> Styling {
    let themed = |color: &str| json!({"light": color, "dark": color});
    let mut value = json!({
        "primaryColor": themed(primary), "infoColor": themed(primary), "successColor": themed(primary),
        "theme": theme, "background": background, "sidebar": {"background": "filled", "list": "pill"},
    });
    if let Some(tint) = tint {
        value["tint"] = json!({"color": themed(tint)});
    }
    serde_json::from_value(value).unwrap()
}

/// Checks the contrast of every text on every ground that it is used on.
fn check(styling: &Styling) {
    for mode in [Mode::Light, Mode::Dark] {
        let palette = Palette::new(styling, mode);
        let all: Named =
            [palette.greys(), palette.accents(), palette.semantic(), palette.marks(), palette.code()].concat();
        let at_least = |ratio: f64, text: &str, ground: &str| {
            let (color, behind) = (get(&all, text), get(&all, ground));
            let found = color.contrast(behind);
            assert!(found >= ratio, "{mode:?} {text} {color:?} on {ground} {behind:?}: {found}, {styling:?}");
        };
        for ground in ["bg", "subtle", "component"] {
            at_least(4.5, "muted", ground);
            at_least(7.0, "text", ground);
            at_least(7.0, "strong", ground);
        }
        at_least(4.5, "accent-text", "bg");
        at_least(4.5, "accent-text", "subtle");
        at_least(4.5, "accent-text", "accent-soft");
        at_least(4.5, "on-accent", "accent");
        at_least(4.5, "on-accent", "accent-hover");
        for meaning in ["info", "success", "warning", "danger"] {
            at_least(7.0, &format!("{meaning}-text"), &format!("{meaning}-ground"));
        }
        let texts: Vec<&str> = all.iter().map(|(name, _)| *name).filter(|name| name.starts_with("c-")).collect();
        let grounds: Vec<&str> = all.iter().map(|(name, _)| *name).filter(|name| name.starts_with("cb-")).collect();
        assert_eq!((texts.len(), grounds.len()), (15, 15));
        for text in &texts {
            at_least(4.5, text, "bg");
            grounds.iter().for_each(|ground| at_least(4.5, text, ground));
        }
        grounds.iter().for_each(|ground| at_least(7.0, "text", ground));
        for (token, _) in all.iter().filter(|(name, _)| name.starts_with("t-")) {
            at_least(4.5, token, "code-bg");
            at_least(4.5, token, "success-ground");
            at_least(4.5, token, "danger-ground");
        }
        let more = palette.contrasted();
        assert!(get(&more, "accent-text").contrast(get(&all, "bg")) >= 7.0);
        assert!(get(&more, "muted").contrast(get(&all, "bg")) >= 7.0);
    }
}

#[test]
fn the_greys_are_those_of_the_design() {
    let styling = Styling::default();
    let [light, dark] = [Mode::Light, Mode::Dark].map(|mode| Palette::new(&styling, mode).scale);
    assert_eq!((light.bg.hex().as_str(), dark.bg.hex().as_str()), ("#fcfdff", "#0f1114"));
    for (scale, muted, text, strong) in [(light, 5.9, 14.9, 17.9), (dark, 7.1, 14.1, 17.4)] {
        for (color, expected) in [(scale.muted, muted), (scale.text, text), (scale.strong, strong)] {
            let found = color.contrast(scale.bg);
            assert!((found - expected).abs() < 0.15, "{found} instead of {expected}");
        }
    }
}

#[test]
fn the_accent_is_kept_for_areas_and_moves_for_text() {
    let styling: Styling =
        serde_json::from_value(json!({"primaryColor": {"light": "#FFD400", "dark": "#346DDB"}})).unwrap();
    let css = style(&Customization { styling, ..Customization::default() });
    assert!(css.contains("--accent:light-dark(#ffd400,#346ddb);--on-accent:light-dark(#000,#fff);"), "{css}");
    assert!(css.contains("--accent-hover:light-dark(#e0bb00,#2e60c1);"), "{css}");
    assert!(css.contains("--accent-text:light-dark(#8c7300,#3e78e6);"), "{css}");
}

#[test]
fn texts_of_the_twelve_extremes_can_be_read() {
    for primary in TWELVE {
        for (tint, theme, background) in
            [(None, "clean", "plain"), (Some(primary), "muted", "plain"), (None, "bold", "match")]
        {
            check(&styling(primary, tint, theme, background));
        }
    }
}

#[rstest]
#[case("#ffffff", "#000000")]
#[case("#fafaf7", "#141414")]
fn a_tint_that_is_nearly_neutral_is_the_ground(#[case] light: &str, #[case] dark: &str) {
    let value = json!({
        "tint": {"color": {"light": light, "dark": dark}}, "sidebar": {"background": "filled", "list": "pill"},
    });
    let styling: Styling = serde_json::from_value(value).unwrap();
    let hex = |mode| Palette::new(&styling, mode).scale.bg.oklch();
    let given =
        |color: &str| Rgb(domain::site::customization::Color::try_from(color.to_owned()).unwrap().rgb()).oklch();
    assert_eq!((hex(Mode::Light), hex(Mode::Dark)), (given(light), given(dark)));
    check(&styling);
}

/// Steps of lightness near black look alike.
#[test]
fn grounds_and_lines_are_seen_on_a_black_page() {
    let styling = styling("#346ddb", Some("#000000"), "clean", "plain");
    let Scale { bg, subtle, component, hover, line, border, .. } = Palette::new(&styling, Mode::Dark).scale;
    assert_eq!(bg, BLACK);
    assert!(border.contrast(bg) >= 1.5 && line.contrast(bg) >= 1.25, "{border:?}, {line:?}");
    assert!(border.contrast(component) >= 1.2, "{border:?}, {component:?}");
    let steps = [bg, subtle, component, hover, line, border].map(Rgb::luminance);
    assert!(steps.is_sorted_by(|one, next| one < next), "{steps:?}");
}

#[rstest]
#[case("#000000", Mode::Dark)]
#[case("#ffffff", Mode::Light)]
#[case("#787878", Mode::Light)]
fn a_neutral_accent_is_never_weaker_than_the_texts_around_it(#[case] primary: &str, #[case] mode: Mode) {
    let styling = styling(primary, None, "clean", "plain");
    let palette = Palette::new(&styling, mode);
    let Scale { bg, muted, .. } = palette.scale;
    let accent = get(&palette.accents(), "accent-text");
    assert!(accent.contrast(bg) >= muted.contrast(bg), "{accent:?}");
}

#[rstest]
#[case(json!({}), ["#fcfdff", "#0f1114"])]
#[case(json!({"styling": {"theme": "bold"}}), ["#346ddb", "#346ddb"])]
#[case(json!({"header": {"preset": "bold"}}), ["#346ddb", "#346ddb"])]
#[case(json!({"header": {"preset": "contrast"}}), ["#0f1114", "#fcfdff"])]
#[case(json!({"header": {"preset": "custom", "backgroundColor": {"light": "#123", "dark": "#321"}}}), ["#123", "#321"])]
fn the_browser_has_the_colour_of_the_header(#[case] customization: serde_json::Value, #[case] expected: [&str; 2]) {
    let customization = serde_json::from_value(customization).unwrap();
    let found = outside(&customization).browser;
    assert_eq!([found.light.as_str(), found.dark.as_str()], expected);
}

#[rstest]
#[case("default", "bold")]
#[case("bold", "clean")]
#[case("contrast", "clean")]
#[case("custom", "clean")]
fn texts_of_a_header_can_be_read_also_in_its_search_box(#[case] preset: &str, #[case] theme: &str) {
    for color in TWELVE.into_iter().chain(["#346ddb", "#777777", "#202020"]) {
        let color = json!({"light": color, "dark": color});
        let customization: Customization = serde_json::from_value(json!({
            "styling": {"theme": theme, "primaryColor": color},
            "header": {"preset": preset, "backgroundColor": color, "linkColor": {"light": "#787878", "dark": "#222222"}},
        }))
        .unwrap();
        let palettes = [Mode::Light, Mode::Dark].map(|mode| Palette::new(&customization.styling, mode));
        for named in super::headers(&customization, [&palettes[0], &palettes[1]]) {
            for (text, ground) in ["header-text", "header-muted"]
                .into_iter()
                .flat_map(|text| ["header", "header-hover"].map(|ground| (text, ground)))
            {
                let found = get(&named, text).contrast(get(&named, ground));
                assert!(found >= 4.5, "{text} on {ground}: {found}, {customization:?}");
            }
        }
    }
}

#[test]
fn every_setting_changes_the_style() {
    let default = style(&Customization::default());
    for changed in [
        json!({"primaryColor": {"light": "#111111", "dark": "#eeeeee"}}),
        json!({"infoColor": {"light": "#ff0000", "dark": "#ff0000"}}),
        json!({"successColor": {"light": "#ff0000", "dark": "#ff0000"}}),
        json!({"warningColor": {"light": "#0000ff", "dark": "#0000ff"}}),
        json!({"dangerColor": {"light": "#0000ff", "dark": "#0000ff"}}),
        json!({"tint": {"color": {"light": "#ff0000", "dark": "#ff0000"}}}),
        json!({"corners": "straight"}),
        json!({"corners": "circular"}),
        json!({"depth": "flat"}),
        json!({"font": "Merriweather"}),
        json!({"headingFont": "Lato"}),
        json!({"monospaceFont": "FiraCode"}),
        json!({"background": "match"}),
        json!({"codeTheme": {"default": {"light": "github-light", "dark": "github-dark"}}}),
        json!({"codeTheme": {"openapi": {"light": "github-light", "dark": "github-dark"}}}),
    ] {
        let styling = serde_json::from_value(changed.clone()).unwrap();
        assert_ne!(style(&Customization { styling, ..Customization::default() }), default, "{changed}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn texts_can_be_read_whatever_the_colours(
        primary in "#[0-9a-f]{6}", tint in proptest::option::of("#[0-9a-f]{6}"), theme in "clean|muted|bold|gradient",
        background in "plain|match",
    ) {
        check(&styling(&primary, tint.as_deref(), &theme, &background));
    }
}

#[test]
fn a_page_has_only_the_colours_that_it_needs() {
    let of = |body: &str| super::style(&Customization::default(), Needs::of(body));
    assert!(!of("<p>text</p>").contains("--c-red") && !of("<p>text</p>").contains("--t-keyword"));
    assert!(of("<span class=\"o-bg-red\">").contains("--c-red") && of("<pre>").contains("--t-keyword"));
}
