use super::clean::clean;
use super::*;
use proptest::prelude::*;
use rstest::rstest;

const FLOW: &str = "flowchart LR\n  accTitle: How a change is published\n  A[Write] --> B{Review}\n  B -->|approved| C[Merge]\n  B -->|changes asked| A";

#[rstest]
#[case::flowchart(FLOW)]
#[case::graph("graph TD;\n A-->B;\n A-->C;")]
#[case::sequence("sequenceDiagram\n  Alice->>John: Hello\n  Note over Alice,John: Later\n  John-->>Alice: Great!")]
#[case::class("classDiagram\n  Animal <|-- Duck\n  Animal : +int age\n  class Duck{\n +swim()\n }")]
#[case::state("stateDiagram-v2\n  [*] --> Still\n  Still --> Moving\n  Moving --> [*]")]
#[case::er("erDiagram\n  CUSTOMER ||--o{ ORDER : places\n  ORDER ||--|{ LINE : contains")]
#[case::gantt("gantt\n  dateFormat YYYY-MM-DD\n  section A\n  One :a1, 2026-01-01, 30d\n  Two :after a1, 20d")]
#[case::pie("pie title Pets\n  \"Dogs\" : 386\n  \"Cats\" : 85")]
#[case::git("gitGraph\n  commit\n  branch develop\n  commit\n  checkout main\n  merge develop")]
#[case::mindmap("mindmap\n  root((Docs))\n    Guides\n    Reference")]
#[case::timeline("timeline\n  title History\n  2002 : LinkedIn\n  2004 : Facebook")]
#[case::journey("journey\n  title My day\n  section Work\n    Make tea: 5: Me")]
#[case::quadrant("quadrantChart\n  x-axis Low --> High\n  y-axis Bad --> Good\n  A: [0.3, 0.6]")]
#[case::packet("packet-beta\n  0-15: \"Source\"\n  16-31: \"Target\"\n  32-63: \"Number\"")]
#[case::block("block-beta\n  columns 2\n  a b c d")]
fn a_diagram_is_rendered_in_both_modes_with_its_size(#[case] source: &str) {
    let diagram = render(source).unwrap();
    assert!(diagram.width > 10 && diagram.height > 10, "{diagram:?}");
    assert_ne!(diagram.light, diagram.dark);
    assert_eq!(render(source).unwrap(), diagram);
    assert_eq!(clean(&diagram.light).unwrap(), diagram, "what is clean stays as it is");
    for mode in [Mode::Light, Mode::Dark] {
        let svg = diagram.svg(mode);
        assert!(!svg.contains("foreignObject") && !svg.contains("<script") && !svg.contains("octavo"), "{svg}");
    }
}

#[rstest]
#[case("", DiagramError::Invalid)]
#[case("no diagram at all", DiagramError::Invalid)]
#[case("flowchart LR\n subgraph x\n  A", DiagramError::Invalid)]
#[case::kanban("kanban\n  Todo\n    [Write]", DiagramError::Invalid)]
#[case::sankey("sankey-beta\n\nA,B,10\n", DiagramError::Invalid)]
#[case::many_columns("block-beta\n  columns 999999999999\n  a b", DiagramError::Large)]
#[case::a_wide_block("block-beta\n  a:18446744073709551615 b:9", DiagramError::Large)]
#[case::all_with_all(&format!("flowchart LR\n {} --> {}", ["a"; 900].join("&"), ["b"; 900].join("&")), DiagramError::Large)]
#[case::a_boundary_in_itself(
    "C4Context\n  Boundary(b0, \"a\") {\n  Boundary(b0, \"b\") {\n  }\n  }",
    DiagramError::Invalid
)]
#[case::a_thick_line("flowchart LR\n A --> B\n linkStyle 0 stroke-width:1e9px", DiagramError::Large)]
fn what_is_no_diagram_is_not_rendered(#[case] source: &str, #[case] expected: DiagramError) {
    assert_eq!(render(source), Err(expected));
}

#[rstest]
#[case::a_chain("flowchart LR\n a --> b --> c", true)]
#[case::each_to_each("flowchart TD\n a & b --> c & d", true)]
#[case::a_link_in_a_label("flowchart TD\n a[\"x --> y\"] -->|\"b --> c\"| d", true)]
#[case::a_text_in_a_link("flowchart TD\n a -- yes --> b\n b -. no .-> c\n c == so ==> d", true)]
#[case::a_link_in_a_label_of_a_link("flowchart TD\n a -->|b --> c| d", true)]
#[case::front_matter("---\ntitle: Links\n---\nflowchart TD\n a --> b", true)]
#[case::labels_in_a_chain("flowchart LR\n w[Write] --> r{Review} -->|approved| m[Merge] --> p[Publish]", false)]
fn a_flowchart_is_rendered_with_all_its_links_or_not_at_all(#[case] source: &str, #[case] rendered: bool) {
    assert_eq!(render(source).is_ok(), rendered, "{:?}", render(source).err());
}

#[test]
fn nodes_do_not_lie_on_each_other() {
    // From the left to the right, the library puts the last node on the one before.
    let source = "flowchart LR\n w[Write] --> r{Review}\n r -->|approved| m[Merge]\n r -->|changes requested| w\n m --> s([Site])";
    let diagram = render(source).unwrap();
    assert!(diagram.height > diagram.width, "it is rendered from the top down: {diagram:?}");
}

#[test]
fn a_source_has_a_longest_length() {
    let source = format!("flowchart LR\n A --> B\n%% {}", "x".repeat(MAX_SOURCE));
    assert_eq!(render(&source), Err(DiagramError::Long));
}

#[test]
fn a_diagram_with_many_parts_ends() {
    let many: String = (0..1_000).map(|at| format!("a{at}-->b{}\n", at * 7 % 1_000)).collect();
    let chain: String = (0..1_200).map(|at| format!("{at}-->{}\n", at + 1)).collect();
    let deep: String = (0..500).map(|at| format!("subgraph s{at}\n")).collect::<String>() + &"end\n".repeat(500);
    let nested: String = (0..120).map(|at| format!("{}{at}\n", " ".repeat(at))).collect();
    for source in [
        format!("flowchart LR\n{many}"),
        format!("graph TD\n{chain}"),
        format!("flowchart LR\n{deep}"),
        format!("mindmap\n{nested}"),
    ] {
        let rendered = render(&source[..source.len().min(MAX_SOURCE)]);
        assert!(
            rendered.is_ok()
                || matches!(rendered, Err(DiagramError::Large | DiagramError::Failed | DiagramError::Invalid))
        );
    }
}

#[rstest]
#[case("<script>alert(1)</script>")]
#[case("<foreignObject><p xmlns='http://www.w3.org/1999/xhtml'>x</p></foreignObject>")]
#[case("<image href='https://other.test/a.png'/>")]
#[case("<a href='javascript:alert(1)'><text>x</text></a>")]
#[case("<use href='https://other.test/a.svg#b'/>")]
#[case("<style>@import url(https://other.test/a.css)</style>")]
#[case("<rect style='fill:url(https://other.test/a)'/>")]
#[case("<rect fill='u\\72l(https://other.test/a)'/>")]
#[case("<rect onclick='alert(1)'/>")]
#[case("<animate attributeName='href' to='javascript:alert(1)'/>")]
#[case("<rect xmlns:x='http://www.w3.org/1999/xlink' x:href='https://other.test/'/>")]
#[case("<p:script xmlns:p='http://www.w3.org/1999/xhtml'>alert(1)</p:script>")]
fn nothing_that_runs_or_loads_is_left(#[case] inner: &str) {
    let svg =
        format!("<svg xmlns='{}' viewBox='0 0 20 10'>{inner}<path d='M0 0'/></svg>", "http://www.w3.org/2000/svg");
    let Diagram { light, dark, width, height } = clean(&svg).unwrap();
    assert_eq!((width, height), (20, 10));
    assert!(light.contains("<path d=\"M0 0\">"), "{light}");
    let svg = light + &dark;
    for part in ["alert", "other.test", "script", "foreign", "import", "onclick", "animate"] {
        assert!(!svg.contains(part), "{part} is in {svg}");
    }
}

#[rstest]
#[case("")]
#[case("<html/>")]
#[case("<svg/>")]
#[case("<svg xmlns='http://www.w3.org/2000/svg'/>")]
#[case("<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 1e9 1'/>")]
#[case("<!DOCTYPE svg [<!ENTITY a 'b'>]><svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 1 1'>&a;</svg>")]
fn what_is_no_image_with_a_size_is_none(#[case] svg: &str) {
    assert_eq!(clean(svg), None);
}

#[rstest]
#[case(FLOW, Some("How a change is published"))]
#[case("pie title Pets\n  \"Dogs\" : 386", None)]
#[case("---\ntitle: Animals\n---\nflowchart LR\n A", None)]
#[case("gantt\n  title Plan of the year", Some("Plan of the year"))]
#[case("flowchart LR\n accTitle:\n A", None)]
fn a_diagram_is_described_by_its_author(#[case] source: &str, #[case] expected: Option<&str>) {
    assert_eq!(title(source), expected);
}

#[test]
fn labels_and_configuration_cannot_bring_markup() {
    let hostile = [
        "flowchart LR\n A[\"<img src=x onerror=alert(1)>\"] --> B[\"<script>alert(1)</script>\"]",
        "flowchart LR\n A --> B\n click A \"javascript:alert(1)\"\n click B href \"https://other.test\"",
        "%%{init: {\"securityLevel\": \"loose\", \"themeCSS\": \"@import url(https://other.test/a.css);\"}}%%\nflowchart LR\n A --> B",
        "flowchart LR\n A --> B\n style A fill:url(https://other.test/a)",
        "%%{init: {\"theme\": \"base\", \"themeVariables\": {\"primaryColor\": \"red;}</style><script>alert(1)</script>\"}}}%%\nflowchart LR\n A --> B",
        "%%{init: {\"fontFamily\": \"x;background:url(https://other.test/a)\"}}%%\nflowchart LR\n A --> B",
    ];
    for source in hostile {
        let Ok(Diagram { light, dark, .. }) = render(source) else { continue };
        for svg in [light, dark] {
            let document = roxmltree::Document::parse(&svg).unwrap();
            // Labels can say anything: text is no markup.
            for node in document.descendants().filter(roxmltree::Node::is_element) {
                let name = node.tag_name().name();
                assert!(!["script", "style", "img", "image", "a", "foreignObject"].contains(&name), "{name}: {svg}");
                for attribute in node.attributes() {
                    let (name, value) = (attribute.name(), attribute.value());
                    assert!(!name.starts_with("on") && name != "href", "{name}: {svg}");
                    for part in ["other.test", "javascript", "alert", "@import"] {
                        assert!(!value.contains(part), "{part} is in {name} of the image of {source}: {svg}");
                    }
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_text_is_rendered_or_refused(head in "(flowchart LR|graph TD|sequenceDiagram|classDiagram|stateDiagram-v2|erDiagram|gantt|pie|mindmap|gitGraph)", rest in "(\n[ A-Za-z0-9:>|\\[\\](){}\"<&;,.*+=%~-]{0,40}){0,8}") {
        if let Ok(diagram) = render(&format!("{head}{rest}")) {
            prop_assert_eq!(clean(&diagram.light), Some(diagram));
        }
    }

    #[test]
    fn cleaning_any_text_ends(svg in ".{0,200}") {
        let _ = clean(&svg);
    }
}
