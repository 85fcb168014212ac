//! Drawing a diagram.
use crate::clean::clean;
use crate::theme::{MEASURED, config, theme};
use crate::{Diagram, LARGEST, LONGEST, NotDrawn};
use mermaid_rs_renderer::ir::Direction;
use mermaid_rs_renderer::layout::{Layout, NodeLayout};
use mermaid_rs_renderer::{DiagramKind, Graph, compute_layout, parse_mermaid, parse_mermaid_strict, render_svg};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The most parts of a diagram, such as nodes, lines and messages.
const PARTS: usize = 250;
/// Fonts that are nearly as wide as the library takes letters to be.
const FONTS: &str = "Arial,Helvetica,Roboto,Liberation Sans,sans-serif";
/// The most parts of a diagram whose lines are led around its nodes: that takes much more time.
const ROUTED: usize = 100;
/// The most `&` in a line: a line leads from each of some nodes to each of others.
const JOINED: usize = 20;
/// The longest length in a source, in pixels.
const FARTHEST: f32 = 1_000.0;
/// The least distance of two nodes, in pixels.
const GAP: f32 = 12.0;
/// The stack of the library, in bytes: it recurses as deep as parts are in each other.
const STACK: usize = 16 * 1024 * 1024;

/// Draws a diagram.
///
/// # Errors
/// If the source is too long or invalid, if its image would be too large, or if the library fails.
pub fn draw(source: &str) -> Result<Diagram, NotDrawn> {
    if source.len() > LONGEST {
        return Err(NotDrawn::Long);
    }
    let drawing = AssertUnwindSafe(|| stacker::grow(STACK, || rendered(source)));
    // What the library keeps between diagrams is how wide letters are, which is the same after a failure.
    let svg = catch_unwind(drawing).unwrap_or(Err(NotDrawn::Failed))?;
    clean(&svg.replace(MEASURED, FONTS))
        .filter(|diagram| diagram.light.len().max(diagram.dark.len()) <= LARGEST)
        .ok_or(NotDrawn::Failed)
}

/// What the library draws. It does not read the settings in the source: they could have any style.
fn rendered(source: &str) -> Result<String, NotDrawn> {
    if source.lines().any(|line| line.matches('&').count() > JOINED) {
        return Err(NotDrawn::Large);
    }
    let mut graph = parse_mermaid(source).map_err(|_error| NotDrawn::Invalid)?.graph;
    // Its checks refuse more than errors in other kinds, such as stereotypes and activations.
    if matches!(graph.kind, DiagramKind::Flowchart | DiagramKind::State) && parse_mermaid_strict(source).is_err() {
        return Err(NotDrawn::Invalid);
    }
    let most = most_parts(graph.kind).ok_or(NotDrawn::Invalid)?;
    if parts(&graph) > most || !near(&graph) {
        return Err(NotDrawn::Large);
    }
    if graph.kind == DiagramKind::Flowchart && !is_whole(&graph, source) {
        return Err(NotDrawn::Invalid);
    }
    let (theme, mut config) = (theme(), config());
    // Without the grid, a large diagram takes half the time.
    config.flowchart.routing.enable_grid_router = graph.edges.len() <= 30;
    let mut layout = compute_layout(&graph, &theme, &config);
    // In other kinds, nodes may touch, such as the fields of a packet.
    let linked =
        matches!(graph.kind, DiagramKind::Class | DiagramKind::Er | DiagramKind::Flowchart | DiagramKind::State);
    if graph.kind == DiagramKind::Flowchart && !is_legible(&layout) {
        // From the left to the right, the library sometimes puts nodes on each other.
        graph.direction = Direction::TopDown;
        layout = compute_layout(&graph, &theme, &config);
    }
    if !linked || is_legible(&layout) { Ok(render_svg(&layout, &theme, &config)) } else { Err(NotDrawn::Failed) }
}

/// Whether a flowchart has all links of its source. The library loses some where several links with labels are in one line,
/// and takes them for a part of a label.
fn is_whole(graph: &Graph, source: &str) -> bool {
    let is_link = |at: &str| ["-->", "---", "==>", ".->", "--o ", "--x "].iter().any(|link| at.starts_with(link));
    let (mut links, mut depth, mut quoted) = (0, 0_u32, false);
    // Comments, and the lines around the settings at the start.
    let is_other = |line: &str| line.starts_with("%%") || line.chars().all(|char| char == '-');
    for line in source.lines().map(str::trim).filter(|line| !is_other(line)) {
        let (mut skip, mut label) = (0, false);
        for (at, char) in line.char_indices() {
            match char {
                '"' => quoted = !quoted,
                '|' if !quoted && depth == 0 => label = !label,
                _ if quoted || label || at < skip => {}
                '[' | '(' | '{' => depth += 1,
                ']' | ')' | '}' => depth = depth.saturating_sub(1),
                _ if depth == 0 && is_link(&line[at..]) => {
                    links += 1;
                    let length =
                        line[at..].find(|char| !matches!(char, '-' | '=' | '.' | '>')).unwrap_or(line.len() - at);
                    skip = at + length.max(1);
                }
                _ => {}
            }
        }
        (depth, quoted) = (0, false);
    }
    links <= graph.edges.len()
}

/// Whether no node lies on another one.
fn is_legible(layout: &Layout) -> bool {
    let nodes: Vec<&NodeLayout> =
        layout.nodes.values().filter(|node| !node.hidden && node.anchor_subgraph.is_none()).collect();
    let apart = |one: &NodeLayout, other: &NodeLayout| {
        let beside = |at: f32, size: f32, other_at: f32, other_size: f32| {
            at + size + GAP <= other_at || other_at + other_size + GAP <= at
        };
        beside(one.x, one.width, other.x, other.width) || beside(one.y, one.height, other.y, other.height)
    };
    nodes.iter().enumerate().all(|(at, one)| nodes[at + 1..].iter().all(|other| apart(one, other)))
}

/// The most parts of a kind of diagram; `None` for kinds that the library does not draw well.
fn most_parts(kind: DiagramKind) -> Option<usize> {
    use DiagramKind::{
        Architecture, Block, C4, Class, Er, Flowchart, Gantt, GitGraph, Journey, Kanban, Mindmap, Packet,
    };
    use DiagramKind::{Pie, Quadrant, Radar, Requirement, Sankey, Sequence, State, Timeline, Treemap, XYChart, ZenUML};
    match kind {
        Architecture | Block | Class | Er | Flowchart | Packet | State => Some(ROUTED),
        Gantt | GitGraph | Journey | Mindmap | Pie | Quadrant | Sequence | Timeline | Treemap | XYChart => Some(PARTS),
        C4 | Kanban | Radar | Requirement | Sankey | ZenUML => None,
    }
}

/// How many parts a diagram has.
fn parts(graph: &Graph) -> usize {
    let block = graph.block.as_ref().map_or(0, |block| {
        let spans = block.nodes.iter().map(|node| node.span).fold(0, usize::saturating_add);
        block.columns.unwrap_or(0).max(spans)
    });
    let plain = [
        graph.nodes.len(),
        graph.edges.len(),
        graph.subgraphs.len(),
        graph.sequence_participants.len(),
        graph.sequence_frames.iter().map(|frame| frame.sections.len()).sum(),
        graph.sequence_notes.len(),
        graph.sequence_activations.len(),
        graph.sequence_boxes.len(),
        graph.state_notes.len(),
        graph.pie_slices.len(),
        graph.quadrant.points.len(),
        graph.gantt_tasks.len(),
        graph.gitgraph.commits.len(),
        graph.gitgraph.branches.len(),
        graph.mindmap.nodes.len(),
        graph.xychart.x_axis_categories.len(),
        graph.xychart.series.iter().map(|series| series.values.len()).sum(),
        graph.timeline.events.iter().map(|event| event.events.len() + 1).sum(),
    ];
    plain.into_iter().fold(block, usize::saturating_add)
}

/// Whether the lengths that a source gives are those of a picture: far away from it, the library counts its steps there.
fn near(graph: &Graph) -> bool {
    let near = |length: f32| length.abs() <= FARTHEST;
    let nodes = graph.node_styles.values().chain(graph.class_defs.values()).chain(graph.subgraph_styles.values());
    let edges = graph.edge_styles.values().chain(&graph.edge_style_default);
    nodes.filter_map(|style| style.stroke_width).all(near) && edges.filter_map(|style| style.stroke_width).all(near)
}
