//! Drawing a diagram.
use crate::{Diagram, LARGEST, LONGEST, Mode, NotDrawn, clean};
use merman::svg::{
    HostTheme, HostThemeAppearance, Presentation, RenderResourcePolicy, ResolvedPresentation, ResourceLimitId,
    SvgPipeline, SvgRenderOptions, ThemeRole,
};
use merman::{
    Engine, MermaidConfig, OperationControl, RenderError, RenderOutput, RenderRequest, Renderer, SvgEnvironment,
    SvgRequest,
};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The most steps of a layout. A diagram that fills a page has some ten thousand.
const STEPS: usize = 1_000_000;
/// The most parts of a diagram.
const PARTS: usize = 4_000;
/// How deep parts are in each other at most.
const DEPTH: usize = 64;
/// The most elements of an image.
const ELEMENTS: usize = 20_000;
/// The stack of the library, in bytes: it recurses as deep as parts are in each other.
const STACK: usize = 16 * 1024 * 1024;
/// Fonts that are nearly as wide as the library takes letters to be.
const FONTS: &str = "Arial,Helvetica,Roboto,Liberation Sans,sans-serif";

/// The colours of a mode, by what has them.
const LIGHT: [(ThemeRole, &str); 22] = [
    (ThemeRole::Canvas, "#ffffff"),
    (ThemeRole::Surface, "#f4f6fb"),
    (ThemeRole::SurfaceAlt, "#e6ebf5"),
    (ThemeRole::SurfaceMuted, "#eef1f7"),
    (ThemeRole::Text, "#1c2230"),
    (ThemeRole::SubtleText, "#525a6b"),
    (ThemeRole::Border, "#8d98ad"),
    (ThemeRole::Line, "#5d6880"),
    (ThemeRole::EdgeLabelBackground, "#fdfdff"),
    (ThemeRole::ClusterBackground, "#f9fafd"),
    (ThemeRole::ClusterBorder, "#c9d0dd"),
    (ThemeRole::NoteBackground, "#fff6e0"),
    (ThemeRole::NoteBorder, "#dcb35c"),
    (ThemeRole::NoteText, "#543c07"),
    (ThemeRole::ActorBackground, "#f4f6fb"),
    (ThemeRole::ActorBorder, "#8d98ad"),
    (ThemeRole::ActorText, "#1c2230"),
    (ThemeRole::ActivationBackground, "#dfe6f4"),
    (ThemeRole::ActivationBorder, "#8d98ad"),
    (ThemeRole::Error, "#c02c2c"),
    (ThemeRole::Warning, "#a56a00"),
    (ThemeRole::Success, "#1c7d4b"),
];
const DARK: [(ThemeRole, &str); 22] = [
    (ThemeRole::Canvas, "#0f1114"),
    (ThemeRole::Surface, "#1d222b"),
    (ThemeRole::SurfaceAlt, "#283040"),
    (ThemeRole::SurfaceMuted, "#232935"),
    (ThemeRole::Text, "#e4e8f0"),
    (ThemeRole::SubtleText, "#a9b2c3"),
    (ThemeRole::Border, "#5c6880"),
    (ThemeRole::Line, "#94a0b8"),
    (ThemeRole::EdgeLabelBackground, "#0f1114"),
    (ThemeRole::ClusterBackground, "#151920"),
    (ThemeRole::ClusterBorder, "#363f50"),
    (ThemeRole::NoteBackground, "#352a10"),
    (ThemeRole::NoteBorder, "#8f7330"),
    (ThemeRole::NoteText, "#f4e3b8"),
    (ThemeRole::ActorBackground, "#1d222b"),
    (ThemeRole::ActorBorder, "#5c6880"),
    (ThemeRole::ActorText, "#e4e8f0"),
    (ThemeRole::ActivationBackground, "#303a4d"),
    (ThemeRole::ActivationBorder, "#5c6880"),
    (ThemeRole::Error, "#f08080"),
    (ThemeRole::Warning, "#e5b454"),
    (ThemeRole::Success, "#58c48e"),
];
/// The colours of series, such as the parts of a pie.
const LIGHT_SERIES: [&str; 8] =
    ["#4a78d6", "#2f9e77", "#d08a1d", "#8a62d0", "#2993ad", "#cc5577", "#8f8426", "#6b7689"];
const DARK_SERIES: [&str; 8] = ["#6f9bf0", "#52bf98", "#e0a94e", "#a98ae6", "#52b4cc", "#e27f9b", "#b8ac4d", "#95a0b3"];

/// Draws a diagram.
///
/// # Errors
/// If the source is too long or invalid, if its image would be too large, or if the library fails.
pub fn draw(source: &str, mode: Mode) -> Result<Diagram, NotDrawn> {
    if source.len() > LONGEST {
        return Err(NotDrawn::Long);
    }
    let drawing = AssertUnwindSafe(|| stacker::grow(STACK, || rendered(source, mode)));
    // What the library has kept of a diagram that failed is gone: it has no state.
    let svg = catch_unwind(drawing).unwrap_or(Err(NotDrawn::Failed))?;
    clean(&svg).filter(|diagram| diagram.svg.len() <= LARGEST).ok_or(NotDrawn::Failed)
}

fn rendered(source: &str, mode: Mode) -> Result<String, NotDrawn> {
    let theme = theme(mode).ok_or(NotDrawn::Failed)?;
    let engine = theme.materialize_engine(Engine::new().with_site_config(config()));
    let request = SvgRequest {
        environment: SvgEnvironment::deterministic().with_resource_policy(limits().ok_or(NotDrawn::Failed)?),
        pipeline: Some(SvgPipeline::resvg_safe()),
        presentation: theme.render_policy(),
        options: SvgRenderOptions { diagram_id: Some("d".to_owned()), ..SvgRenderOptions::default() },
        ..SvgRequest::default()
    };
    let renderer = Renderer::new().with_engine(engine);
    match renderer.render(RenderRequest::svg(source, OperationControl::new(), request)) {
        Ok(RenderOutput::Svg(Some(svg))) => Ok(svg.into_parts().0),
        Ok(_) | Err(RenderError::NoDiagram | RenderError::Parse(_)) => Err(NotDrawn::Invalid),
        Err(RenderError::ResourceLimitExceeded(_)) => Err(NotDrawn::Large),
        Err(_) => Err(NotDrawn::Failed),
    }
}

/// What diagrams look like if they do not say. Labels are text of SVG, since HTML is not drawn in images.
fn config() -> MermaidConfig {
    MermaidConfig::from_value(serde_json::json!({
        "look": "classic",
        "htmlLabels": false,
        "flowchart": {"htmlLabels": false, "curve": "basis"},
        "class": {"htmlLabels": false},
        "state": {"htmlLabels": false},
    }))
}

fn theme(mode: Mode) -> Option<ResolvedPresentation> {
    let (appearance, roles, series) = match mode {
        Mode::Light => (HostThemeAppearance::Light, LIGHT, LIGHT_SERIES),
        Mode::Dark => (HostThemeAppearance::Dark, DARK, DARK_SERIES),
    };
    let theme = HostTheme::new().with_appearance(appearance).try_with_font_family(FONTS).ok()?;
    let theme = roles.into_iter().try_fold(theme, |theme, (role, color)| theme.try_with_role(role, color).ok())?;
    Some(Presentation::new().with_theme(theme.try_with_series_palette(series).ok()?).resolve())
}

fn limits() -> Option<RenderResourcePolicy> {
    let limits = [
        (ResourceLimitId::MaxSourceBytes, LONGEST),
        (ResourceLimitId::MaxModelItems, PARTS),
        (ResourceLimitId::MaxModelNestingDepth, DEPTH),
        (ResourceLimitId::MaxSvgBytes, 4 * LARGEST),
        (ResourceLimitId::MaxSvgElements, ELEMENTS),
        (ResourceLimitId::MaxLayoutWorkUnits, STEPS),
    ];
    limits
        .into_iter()
        .try_fold(RenderResourcePolicy::constrained(), |policy, (id, most)| policy.with_limit(id, most).ok())
}
