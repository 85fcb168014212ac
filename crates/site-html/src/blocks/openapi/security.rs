//! The authentication of an operation.
use super::prose;
use crate::blocks::Blocks;
use crate::texts::Word;
use domain::openapi::view::{FlowView, SchemeView, SecurityView};
use maud::{Markup, html};

pub(super) fn security(blocks: &mut Blocks<'_>, view: &SecurityView) -> Markup {
    if view.alternatives.is_empty() {
        return html! {};
    }
    html! {
        h3 { (blocks.word(Word::Authorization)) }
        @if view.optional { p.o-flag { (blocks.word(Word::AuthorizationOptional)) } }
        @for (at, alternative) in view.alternatives.iter().enumerate() {
            @if at > 0 { p.o-or { (blocks.word(Word::Or)) } }
            dl.o-rows { @for one in &alternative.schemes { (scheme(blocks, one)) } }
        }
        @if view.left_out > 0 {
            p.o-flag { (blocks.context.texts.with(Word::LeftOut, &view.left_out.to_string())) }
        }
    }
}

fn scheme(blocks: &mut Blocks<'_>, scheme: &SchemeView) -> Markup {
    let (name, kind) = named(scheme);
    html! {
        dt {
            code.o-name translate="no" { (name) } " "
            span.o-type { (kind) }
            @if scheme.deprecated { " " em.o-deprecated { (blocks.word(Word::Deprecated)) } }
        }
        dd {
            (prose(blocks, scheme.description.as_deref()))
            @for flow in &scheme.flows { (self::flow(blocks, flow)) }
            @if let Some(url) = &scheme.open_id_connect_url {
                p.o-flag { (blocks.word(Word::OpenIdConfiguration)) ": " code { (url) } }
            }
            @if !scheme.scopes.is_empty() {
                p.o-flag { (blocks.word(Word::Scopes)) ":" }
                dl.o-values {
                    @for scope in &scheme.scopes {
                        dt { code translate="no" { (scope.name) } }
                        dd { (prose(blocks, scope.description.as_deref())) }
                    }
                }
            }
        }
    }
}

/// The credential to send, and its format.
fn named(scheme: &SchemeView) -> (String, String) {
    let parameter = || scheme.parameter.clone().unwrap_or_else(|| scheme.name.clone());
    match scheme.kind.as_deref() {
        Some("apiKey") => (parameter(), format!("API key, {}", scheme.place.as_deref().unwrap_or("header"))),
        Some("http") => {
            let prefix = scheme.prefix.as_deref().or(scheme.scheme.as_deref()).unwrap_or_default();
            let kind = match (&scheme.bearer_format, prefix.eq_ignore_ascii_case("bearer")) {
                (Some(format), _) => format!("{} ({format})", capitalized(prefix)),
                (None, true) => "Bearer".to_owned(),
                (None, false) => capitalized(prefix),
            };
            ("Authorization".to_owned(), kind)
        }
        Some("oauth2") => ("Authorization".to_owned(), "OAuth 2".to_owned()),
        Some("openIdConnect") => ("Authorization".to_owned(), "OpenID Connect".to_owned()),
        Some("mutualTLS") => (scheme.name.clone(), "mutual TLS".to_owned()),
        Some(kind) => (scheme.name.clone(), kind.to_owned()),
        None => (scheme.name.clone(), String::new()),
    }
}

fn capitalized(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

fn flow(blocks: &Blocks<'_>, flow: &FlowView) -> Markup {
    let addresses = [
        (Word::AuthorizationUrl, flow.authorization_url.as_ref().or(flow.device_authorization_url.as_ref())),
        (Word::TokenUrl, flow.token_url.as_ref()),
        (Word::RefreshUrl, flow.refresh_url.as_ref()),
    ];
    html! {
        p.o-flag { code translate="no" { (flow.name) } }
        ul.o-addresses {
            @for (word, url) in addresses {
                @if let Some(url) = url { li.o-flag { (blocks.word(word)) ": " code translate="no" { (url) } } }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    fn scheme(kind: &str) -> SchemeView {
        SchemeView { name: "key".into(), kind: Some(kind.into()), ..SchemeView::default() }
    }

    #[rstest]
    #[case(SchemeView { place: Some("query".into()), parameter: Some("k".into()), ..scheme("apiKey") }, "k", "API key, query")]
    #[case(SchemeView { scheme: Some("bearer".into()), bearer_format: Some("JWT".into()), ..scheme("http") }, "Authorization", "Bearer (JWT)")]
    #[case(SchemeView { scheme: Some("basic".into()), ..scheme("http") }, "Authorization", "Basic")]
    #[case(scheme("oauth2"), "Authorization", "OAuth 2")]
    #[case(scheme("mutualTLS"), "key", "mutual TLS")]
    #[case(SchemeView { kind: None, ..scheme("") }, "key", "")]
    fn a_scheme_says_what_is_sent(#[case] scheme: SchemeView, #[case] name: &str, #[case] kind: &str) {
        assert_eq!(named(&scheme), (name.to_owned(), kind.to_owned()));
    }
}
