//! How callers of an operation authenticate.
use super::Meter;
use super::text::{described, member_text, scalar};
use crate::is_default;
use crate::schema::{LocatedNode, Schemas};
use crate::tree::{Node, pointer_step};
use serde::Serialize;

/// The maximum number of requirements of an alternative, and of scopes of a requirement.
const MAX_ITEMS: usize = 200;

/// The maximum number of flows of a scheme. The specification has five.
const MAX_FLOWS: usize = 16;

/// The ways in which callers can authenticate. Each of them is enough.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SecurityView {
    /// Whether callers may omit authentication.
    #[serde(skip_serializing_if = "is_default")]
    pub optional: bool,
    /// The ways; none if the document states nothing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub alternatives: Vec<SecurityAlternative>,
    /// The number of ways that are left out because the budget is too small.
    #[serde(skip_serializing_if = "is_default")]
    pub left_out: usize,
}

/// Security schemes that are needed together.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SecurityAlternative {
    /// The schemes.
    pub schemes: Vec<SchemeView>,
}

/// A security scheme that is needed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SchemeView {
    /// Its name in the document.
    pub name: String,
    /// Its kind: `apiKey`, `http`, `oauth2`, `openIdConnect` or `mutualTLS`. Absent if the document does not have the
    /// scheme.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// The description, as Markdown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// For an API key: its place, `query`, `header` or `cookie`.
    #[serde(rename = "in", skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// For an API key: the name of the header, parameter or cookie.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parameter: Option<String>,
    /// For `http`: the scheme of the header `Authorization`, such as `bearer`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scheme: Option<String>,
    /// For `http`: the format of a bearer token, such as `JWT`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bearer_format: Option<String>,
    /// For `openIdConnect`: the address of its configuration.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub open_id_connect_url: Option<String>,
    /// For `oauth2`: how tokens are issued.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub flows: Vec<FlowView>,
    /// The scopes, or roles, that are needed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub scopes: Vec<ScopeView>,
    /// `x-gitbook-prefix`: the text before the token.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prefix: Option<String>,
    /// `x-gitbook-token-placeholder`: the placeholder of the token in samples.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token_placeholder: Option<String>,
    /// Whether it is deprecated.
    #[serde(skip_serializing_if = "is_default")]
    pub deprecated: bool,
}

/// A way to issue tokens.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FlowView {
    /// The flow, such as `authorizationCode`.
    pub name: String,
    /// The address where users give consent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub authorization_url: Option<String>,
    /// The address where a device gets its code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub device_authorization_url: Option<String>,
    /// The address where tokens are issued.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token_url: Option<String>,
    /// The address where tokens are renewed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refresh_url: Option<String>,
}

/// A scope.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ScopeView {
    /// Its name.
    pub name: String,
    /// Its effect, as the security scheme describes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

/// The view of a list of security requirements.
pub(super) fn view(schemas: &Schemas<'_>, stated: Option<&Node>, meter: &mut Meter) -> SecurityView {
    let mut view = SecurityView::default();
    for requirement in stated.and_then(Node::as_list).into_iter().flatten() {
        let Some(members) = requirement.as_map() else { continue };
        let schemes: Vec<SchemeView> =
            members.iter().take(MAX_ITEMS).map(|(name, member)| scheme(schemas, name, &member.node)).collect();
        let alternative = SecurityAlternative { schemes };
        if alternative.schemes.is_empty() {
            view.optional = true;
        } else if meter.admits(&alternative) {
            view.alternatives.push(alternative);
        } else {
            view.left_out += 1;
        }
    }
    view
}

fn scheme(schemas: &Schemas<'_>, name: &str, scopes: &Node) -> SchemeView {
    let scopes = scopes.items().iter().take(MAX_ITEMS).filter_map(scalar);
    let mut view = SchemeView { name: scalar(&Node::text(name)).unwrap_or_default(), ..SchemeView::default() };
    let located = schemas.at(&format!("/components/securitySchemes/{}", pointer_step(name)));
    let Some(LocatedNode { node, .. }) = located.and_then(|located| schemas.behind(located)) else {
        view.scopes = scopes.map(|name| ScopeView { name, description: None }).collect();
        return view;
    };
    let flows: Vec<(&str, &Node)> = node.members_of("flows").take(MAX_FLOWS).collect();
    let description = |scope: &str| flows.iter().find_map(|(_, flow)| member_text(flow.get("scopes")?, scope));
    view.scopes = scopes.map(|name| ScopeView { description: description(&name), name }).collect();
    view.flows = flows
        .iter()
        .filter(|(name, _)| !name.starts_with("x-"))
        .map(|(name, flow)| FlowView {
            name: (*name).to_owned(),
            authorization_url: member_text(flow, "authorizationUrl"),
            device_authorization_url: member_text(flow, "deviceAuthorizationUrl"),
            token_url: member_text(flow, "tokenUrl"),
            refresh_url: member_text(flow, "refreshUrl"),
        })
        .collect();
    SchemeView {
        kind: member_text(node, "type"),
        description: described(node),
        place: member_text(node, "in"),
        parameter: member_text(node, "name"),
        scheme: member_text(node, "scheme"),
        bearer_format: member_text(node, "bearerFormat"),
        open_id_connect_url: member_text(node, "openIdConnectUrl"),
        prefix: member_text(node, "x-gitbook-prefix"),
        token_placeholder: member_text(node, "x-gitbook-token-placeholder"),
        deprecated: node.is_true("deprecated"),
        ..view
    }
}
