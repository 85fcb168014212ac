//! Renders diagrams.
use crate::clean::clean;
use crate::theme::{MEASURED, config, theme};
use crate::{Diagram, DiagramError, MAX_IMAGE, MAX_SOURCE};
use mermaid_rs_renderer::ir::Direction;
use mermaid_rs_renderer::layout::{Layout, NodeLayout};
use mermaid_rs_renderer::{DiagramKind, Graph, compute_layout, parse_mermaid, parse_mermaid_strict, render_svg};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The maximum number of parts of a diagram, such as nodes, lines and messages.
const MAX_PARTS: usize = 250;
/// Fonts whose letters are nearly as wide as the library assumes.
const FONTS: &str = "Arial,Helvetica,Roboto,Liberation Sans,sans-serif";
/// The maximum number of parts of a diagram whose lines are routed around its nodes, which takes much more time.
const MAX_ROUTED_PARTS: usize = 100;
/// The maximum number of `&` in a line: it connects each of some nodes with each of others.
const MAX_JOINS: usize = 20;
/// The maximum length in a source, in pixels.
const MAX_LENGTH: f32 = 1_000.0;
/// The minimum distance between two nodes, in pixels.
const MIN_GAP: f32 = 12.0;
/// The stack size for the library, in bytes: it recurses as deep as parts are nested.
const STACK: usize = 16 * 1024 * 1024;

/// Renders a diagram.
///
/// # Errors
/// If the source is too long or invalid, if its image would be too large, or if the library fails.
pub fn render(source: &str) -> Result<Diagram, DiagramError> {
    if source.len() > MAX_SOURCE {
        return Err(DiagramError::Long);
    }
    let rendering = AssertUnwindSafe(|| stacker::grow(STACK, || svg_of(source)));
    // The library only keeps the widths of letters between diagrams, which a failure does not change.
    let svg = catch_unwind(rendering).unwrap_or(Err(DiagramError::Failed))?;
    clean(&svg.replace(MEASURED, FONTS))
        .filter(|diagram| diagram.light.len().max(diagram.dark.len()) <= MAX_IMAGE)
        .ok_or(DiagramError::Failed)
}

/// The output of the library. The settings in the source are ignored: they could have any style.
fn svg_of(source: &str) -> Result<String, DiagramError> {
    if source.lines().any(|line| line.matches('&').count() > MAX_JOINS) {
        return Err(DiagramError::Large);
    }
    let mut graph = parse_mermaid(source).map_err(|_error| DiagramError::Invalid)?.graph;
    // For other kinds, the strict parser rejects valid input, such as stereotypes and activations.
    if matches!(graph.kind, DiagramKind::Flowchart | DiagramKind::State) && parse_mermaid_strict(source).is_err() {
        return Err(DiagramError::Invalid);
    }
    let most = most_parts(graph.kind).ok_or(DiagramError::Invalid)?;
    if parts(&graph) > most || !is_within_bounds(&graph) {
        return Err(DiagramError::Large);
    }
    if graph.kind == DiagramKind::Flowchart && !is_whole(&graph, source) {
        return Err(DiagramError::Invalid);
    }
    let (theme, mut config) = (theme(), config());
    // Without the grid, a large diagram takes half the time.
    config.flowchart.routing.enable_grid_router = graph.edges.len() <= 30;
    let mut layout = compute_layout(&graph, &theme, &config);
    // In other kinds, such as the fields of a packet, nodes may touch.
    let linked =
        matches!(graph.kind, DiagramKind::Class | DiagramKind::Er | DiagramKind::Flowchart | DiagramKind::State);
    if graph.kind == DiagramKind::Flowchart && !is_legible(&layout) {
        // From left to right, the library sometimes renders nodes on top of each other.
        graph.direction = Direction::TopDown;
        layout = compute_layout(&graph, &theme, &config);
    }
    if !linked || is_legible(&layout) { Ok(render_svg(&layout, &theme, &config)) } else { Err(DiagramError::Failed) }
}

/// Whether a flowchart has all links of its source. The library loses some if a line has several links with labels: it
/// reads them as a part of a label.
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

/// Whether no node overlaps another one.
fn is_legible(layout: &Layout) -> bool {
    let nodes: Vec<&NodeLayout> =
        layout.nodes.values().filter(|node| !node.hidden && node.anchor_subgraph.is_none()).collect();
    let apart = |one: &NodeLayout, other: &NodeLayout| {
        let beside = |at: f32, size: f32, other_at: f32, other_size: f32| {
            at + size + MIN_GAP <= other_at || other_at + other_size + MIN_GAP <= at
        };
        beside(one.x, one.width, other.x, other.width) || beside(one.y, one.height, other.y, other.height)
    };
    nodes.iter().enumerate().all(|(at, one)| nodes[at + 1..].iter().all(|other| apart(one, other)))
}

/// The maximum number of parts for a kind of diagram; `None` for kinds that the library does not render well.
fn most_parts(kind: DiagramKind) -> Option<usize> {
    use DiagramKind::{
        Architecture, Block, C4, Class, Er, Flowchart, Gantt, GitGraph, Journey, Kanban, Mindmap, Packet,
    };
    use DiagramKind::{Pie, Quadrant, Radar, Requirement, Sankey, Sequence, State, Timeline, Treemap, XYChart, ZenUML};
    match kind {
        Architecture | Block | Class | Er | Flowchart | Packet | State => Some(MAX_ROUTED_PARTS),
        Gantt | GitGraph | Journey | Mindmap | Pie | Quadrant | Sequence | Timeline | Treemap | XYChart => {
            Some(MAX_PARTS)
        }
        C4 | Kanban | Radar | Requirement | Sankey | ZenUML => None,
    }
}

/// The number of parts of a diagram.
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

/// Whether the lengths in a source are within bounds: beyond them, the library takes a step per pixel.
fn is_within_bounds(graph: &Graph) -> bool {
    let is_within_bounds = |length: f32| length.abs() <= MAX_LENGTH;
    let nodes = graph.node_styles.values().chain(graph.class_defs.values()).chain(graph.subgraph_styles.values());
    let edges = graph.edge_styles.values().chain(&graph.edge_style_default);
    nodes.filter_map(|style| style.stroke_width).all(is_within_bounds)
        && edges.filter_map(|style| style.stroke_width).all(is_within_bounds)
}
