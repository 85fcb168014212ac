use super::*;
use proptest::prelude::*;
use rstest::rstest;

const COLORS: Colors = Colors {
    ground: [253, 253, 255],
    strong: [20, 22, 28],
    muted: [95, 100, 112],
    accent: [52, 109, 219],
    on_accent: [255, 255, 255],
};

fn card(title: &str) -> Card<'_> {
    Card { title, description: None, site: "Acme", colors: COLORS, logo: None }
}

fn sides(png: &[u8]) -> [u32; 2] {
    assert!(png.starts_with(b"\x89PNG\r\n\x1a\n"));
    [16, 20].map(|at| u32::from_be_bytes(png[at..at + 4].try_into().unwrap()))
}

#[rstest]
#[case("Start")]
#[case("")]
#[case("Ελληνικά и Русский — “quoted”")]
#[case("はじめに")]
#[case("مقدمة")]
#[case("<script>&amp;</script>\u{0}\u{b}")]
fn a_card_has_its_size_whatever_its_title_is(#[case] title: &str) {
    assert_eq!(sides(&render(&card(title)).unwrap()), [WIDTH, HEIGHT]);
}

#[test]
fn equal_cards_have_equal_bytes_and_others_have_not() {
    assert_eq!(render(&card("Start")), render(&card("Start")));
    assert_ne!(render(&card("Start")), render(&card("End")));
    assert_ne!(render(&card("Start")), render(&Card { description: Some("Now"), ..card("Start") }));
}

#[test]
fn a_title_with_letters_that_the_font_lacks_makes_a_card_without_text() {
    let of = |title| render(&Card { description: Some("Words"), ..card(title) });
    assert_eq!(of("はじめに"), of("مقدمة"));
    assert_eq!(of("Start はじめに"), of("مقدمة"));
    assert_ne!(of("Start 🚀"), of("مقدمة"));
    assert_eq!(of("Start 🚀"), of("Start"));
}

/// A PNG header with sizes, and nothing behind it.
fn png_of(width: u32, height: u32) -> Vec<u8> {
    let mut bytes = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec();
    bytes.extend(width.to_be_bytes());
    bytes.extend(height.to_be_bytes());
    bytes.extend([8, 6, 0, 0, 0]);
    bytes
}

#[rstest]
#[case::nothing(b"".to_vec())]
#[case::no_image(b"GIF89a".to_vec())]
#[case::cut(b"\x89PNG\r\n\x1a\n".to_vec())]
#[case::many_pixels(png_of(60_000, 60_000))]
#[case::no_pixels(png_of(16, 16))]
#[case::large(vec![b' '; 100_000])]
#[case::entities(b"<!DOCTYPE svg [<!ENTITY a \"b\">]><svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'>&a;</svg>".to_vec())]
#[case::repeats(b"<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'><g id='a'/><use href='#a'/></svg>".to_vec())]
#[case::loads(b"<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'><image href='/etc/passwd'/></svg>".to_vec())]
#[case::a_line(b"<svg xmlns='http://www.w3.org/2000/svg' width='9000' height='1'/>".to_vec())]
fn a_logo_that_cannot_be_rendered_leaves_the_mark(#[case] logo: Vec<u8>) {
    assert_eq!(render(&Card { logo: Some(&logo), ..card("Start") }), render(&card("Start")));
}

#[test]
fn a_logo_takes_the_place_of_the_name() {
    let svg = b"<svg xmlns='http://www.w3.org/2000/svg' width='90' height='30'><rect width='90' height='30'/></svg>";
    let with = render(&Card { logo: Some(svg), ..card("Start") });
    assert_ne!(with, render(&card("Start")));
    assert_eq!(with, render(&Card { logo: Some(svg), site: "Other", ..card("Start") }));
    let own = render(&card("A logo of many pixels")).unwrap();
    assert_ne!(render(&Card { logo: Some(&own), ..card("Start") }), render(&card("Start")));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn any_texts_make_a_card(title in ".{0,300}", description in ".{0,600}", site in ".{0,80}") {
        let rendered = render(&Card { title: &title, description: Some(&description), site: &site, ..card("") });
        prop_assert_eq!(sides(&rendered.unwrap()), [WIDTH, HEIGHT]);
    }

    #[test]
    fn lines_are_as_wide_as_they_may_be_and_lose_nothing_if_they_are_whole(text in "[a-zé]{1,30}( [a-z]{1,60}){0,12}") {
        let style = layout::Style { weight: font::Weight::Bold, size: 60.0, leading: 70.0, tracking: -1.0, lines: 3 };
        let ruler = style.ruler().unwrap();
        for lines in [layout::wrapped(&text, &ruler, 1000.0, 3), layout::balanced(&text, &ruler, 1000.0, 3)] {
            prop_assert!(lines.lines.len() <= 3);
            prop_assert!(lines.lines.iter().all(|line| ruler.width(line) <= 1000.5), "{:?}", lines);
            let joined: String = lines.lines.concat().chars().filter(|char| *char != ' ').collect();
            if lines.whole {
                prop_assert_eq!(joined, text.replace(' ', ""));
            } else {
                prop_assert!(joined.ends_with('…'));
            }
        }
    }
}
