//! The colours of diagrams.
use mermaid_rs_renderer::{LayoutConfig, Theme};

/// The font family for measuring texts. No font has this name, so the library uses its own table of widths: with the
/// fonts of the machine, diagrams would differ between servers.
pub(crate) const MEASURED: &str = "octavo-measured";

/// The role of a colour.
#[derive(Clone, Copy)]
enum Role {
    Ground,
    Surface,
    Strong,
    Cluster,
    ClusterLine,
    Text,
    Border,
    Line,
    Note,
    NoteLine,
    OnSeries,
}

/// The colours of each role, light and dark.
const ROLES: [[&str; 2]; 11] = [
    ["#fdfdff", "#0f1114"],
    ["#f1f4fb", "#1d222b"],
    ["#dfe6f4", "#303a4d"],
    ["#f8f9fc", "#151920"],
    ["#c9d0dd", "#363f50"],
    ["#1c2230", "#e4e8f0"],
    ["#8d98ad", "#5c6880"],
    ["#5d6880", "#94a0b8"],
    ["#fff6e0", "#352a10"],
    ["#dcb35c", "#8f7330"],
    ["#fffffe", "#12161d"],
];
/// The colours of series, such as the parts of a pie, light and dark. Text in its role's colour is legible on them.
const SERIES: [[&str; 2]; 12] = [
    ["#3765c4", "#7fa6f2"],
    ["#1f7d5c", "#5cc4a0"],
    ["#a3660a", "#e0a94e"],
    ["#7a50c4", "#b29ae9"],
    ["#1b7389", "#5cb9d0"],
    ["#b83f62", "#e88aa4"],
    ["#6f6612", "#bdb152"],
    ["#596477", "#9ba6b8"],
    ["#8d4fae", "#cc9be0"],
    ["#2e7a35", "#7fc481"],
    ["#b3502a", "#e59a77"],
    ["#4d58c9", "#9aa4f2"],
];
/// The library's own colours: backgrounds of keys in tables, which have white text.
const LIBRARY_COLORS: [[&str; 2]; 4] =
    [["#1d4ed8", "#7fa6f2"], ["#0f766e", "#5cc4a0"], ["#7c3aed", "#b29ae9"], ["#475569", "#9ba6b8"]];

/// The dark colour for one of the light colours here.
pub(crate) fn dark(light: &str) -> Option<&'static str> {
    let mut all = ROLES.iter().chain(&SERIES).chain(&LIBRARY_COLORS);
    all.find(|[known, _]| known.eq_ignore_ascii_case(light)).map(|[_, dark]| *dark)
}

fn color(role: Role) -> String {
    ROLES[role as usize][0].to_owned()
}

fn series() -> [String; 12] {
    SERIES.map(|[light, _]| light.to_owned())
}

/// The colours of the library.
pub(crate) fn theme() -> Theme {
    let [a, b, c, d, e, f, g, h, ..] = series();
    let eight = [a, b, c, d, e, f, g, h];
    Theme {
        font_family: MEASURED.to_owned(),
        primary_color: color(Role::Surface),
        primary_text_color: color(Role::Text),
        primary_border_color: color(Role::Border),
        line_color: color(Role::Line),
        secondary_color: color(Role::Strong),
        tertiary_color: color(Role::Cluster),
        edge_label_background: color(Role::Ground),
        cluster_background: color(Role::Cluster),
        cluster_border: color(Role::ClusterLine),
        background: color(Role::Ground),
        sequence_actor_fill: color(Role::Surface),
        sequence_actor_border: color(Role::Border),
        sequence_actor_line: color(Role::Border),
        sequence_note_fill: color(Role::Note),
        sequence_note_border: color(Role::NoteLine),
        sequence_activation_fill: color(Role::Strong),
        sequence_activation_border: color(Role::Border),
        text_color: color(Role::Text),
        git_colors: eight.clone(),
        git_inv_colors: eight,
        git_branch_label_colors: std::array::from_fn(|_| color(Role::OnSeries)),
        git_commit_label_color: color(Role::Text),
        git_commit_label_background: color(Role::Strong),
        git_tag_label_color: color(Role::Text),
        git_tag_label_background: color(Role::Surface),
        git_tag_label_border: color(Role::Border),
        pie_colors: series(),
        pie_title_text_size: 20.0,
        pie_title_text_color: color(Role::Text),
        pie_section_text_size: 15.0,
        pie_section_text_color: color(Role::OnSeries),
        pie_legend_text_size: 15.0,
        pie_legend_text_color: color(Role::Text),
        pie_stroke_color: color(Role::Ground),
        pie_outer_stroke_color: color(Role::Ground),
        pie_opacity: 1.0,
        ..Theme::modern()
    }
}

/// The sizes of the library, and the colours among its settings.
pub(crate) fn config() -> LayoutConfig {
    let mut config = LayoutConfig { fast_text_metrics: true, ..LayoutConfig::default() };
    let mindmap = &mut config.mindmap;
    mindmap.section_colors = series().into();
    mindmap.section_line_colors = series().into();
    mindmap.section_label_colors = vec![color(Role::OnSeries); 12];
    mindmap.root_fill = Some(color(Role::Text));
    mindmap.root_text = Some(color(Role::Ground));
    config
}
