//! The operations that run at the same time, and the requests that each of them sends.

/// One request: method, path below `/v1`, and body. A word in braces is an object of the stage; `{made}` is what the
/// last request that created something created, `{first}` what the first one did, `{reply}` the last reply, and
/// `{client}` the number of the client.
pub(super) type Step = (&'static str, &'static str, &'static str);

/// The operations, each with the requests that prepare it and clean up after it.
pub(super) const OPERATIONS: &[(&str, &[Step])] = &[
    ("make an organization", &[("POST", "/orgs", r#"{"title": "Another"}"#)]),
    ("change the organization", &[("PATCH", "/orgs/{org}", r#"{"title": "Engines {client}"}"#)]),
    ("change a member", &[("PATCH", "/orgs/{org}/members/{eve}", r#"{"role": "comment"}"#)]),
    ("mark a member", &[("POST", "/orgs/{org}/members/{eve}/sso", "")]),
    (
        "remove a member and invite again",
        &[
            ("DELETE", "/orgs/{org}/members/{eve}", ""),
            (
                "POST",
                "/orgs/{org}/invites",
                r#"{"emails": ["b{client}@example.org", "eve@example.org"], "role": "edit"}"#,
            ),
        ],
    ),
    ("note that a member is there", &[("POST", "/orgs/{org}/ping", "")]),
    ("join", &[("POST by eve", "/orgs/{other}/join", ""), ("DELETE by eve", "/orgs/{other}/members/{eve}", "")]),
    (
        "make and remove a team",
        &[
            ("PUT", "/orgs/{org}/teams", r#"{"title": "Team", "members": ["{eve}"]}"#),
            ("POST", "/spaces/{space}/permissions", r#"{"role": "read", "teams": ["{made}"]}"#),
            ("DELETE", "/orgs/{org}/teams/{made}", ""),
        ],
    ),
    ("change a team", &[("PATCH", "/orgs/{org}/teams/{team}", r#"{"title": "Team {client}"}"#)]),
    (
        "change who is in a team",
        &[
            ("PUT", "/orgs/{org}/teams/{team}/members", r#"{"add": ["{eve}"]}"#),
            ("PUT", "/orgs/{org}/teams/{team}/members/{eve}", "{}"),
            ("DELETE", "/orgs/{org}/teams/{team}/members/{eve}", ""),
        ],
    ),
    (
        "use an invite by link",
        &[
            ("POST", "/orgs/{org}/link-invites", r#"{"level": "comment", "space": "{space}"}"#),
            ("PATCH", "/orgs/{org}/link-invites/{made}", r#"{"level": "edit"}"#),
            ("POST", "/orgs/{org}/invites/{made}", ""),
            ("DELETE", "/orgs/{org}/link-invites/{made}", ""),
        ],
    ),
    (
        "tell agents",
        &[(
            "PUT",
            "/orgs/{org}/agent-instructions",
            r#"{"instructions": {"object": "document", "data": {}, "nodes": [
                {"object": "block", "type": "math", "data": {"formula": "{client}"}}]}}"#,
        )],
    ),
    ("change a collection", &[("PATCH", "/collections/{collection}", r#"{"title": "Shelf {client}"}"#)]),
    (
        "move a collection",
        &[
            ("POST", "/collections/{inner}/move", r#"{"parent": null}"#),
            ("POST", "/collections/{inner}/move", r#"{"parent": "{collection}"}"#),
        ],
    ),
    (
        "transfer a collection",
        &[
            ("POST", "/collections/{collection}/transfer", r#"{"organization": "{other}"}"#),
            ("POST", "/collections/{collection}/transfer", r#"{"organization": "{org}"}"#),
        ],
    ),
    (
        "delete a collection with a space in it",
        &[
            ("POST", "/orgs/{org}/collections", r#"{"title": "Box", "parent": "{collection}"}"#),
            ("POST", "/spaces/{space}/move", r#"{"parent": "{made}"}"#),
            ("DELETE", "/collections/{made}", ""),
            ("POST", "/spaces/{space}/restore", ""),
        ],
    ),
    (
        "grant on a collection",
        &[
            (
                "POST",
                "/collections/{collection}/permissions",
                r#"{"role": "edit", "users": ["{eve}"], "teams": ["{team}"]}"#,
            ),
            ("PATCH", "/collections/{collection}/permissions/users/{eve}", r#"{"role": "read"}"#),
            ("PATCH", "/collections/{collection}/permissions/teams/{team}", r#"{"role": "read"}"#),
            ("DELETE", "/collections/{collection}/permissions/users/{eve}", ""),
            ("DELETE", "/collections/{collection}/permissions/teams/{team}", ""),
        ],
    ),
    ("make a space", &[("POST", "/orgs/{org}/spaces", r#"{"title": "Another", "parent": "{collection}"}"#)]),
    (
        "change a space",
        &[("PATCH", "/spaces/{space}", r#"{"title": "Space {client}", "mergeRules": {"type": "inherit"}}"#)],
    ),
    (
        "move a space",
        &[
            ("POST", "/spaces/{space}/move", r#"{"parent": "{collection}"}"#),
            ("POST", "/spaces/{space}/move", r#"{"parent": null}"#),
        ],
    ),
    (
        "transfer a space",
        &[
            ("POST", "/spaces/{space}/transfer", r#"{"organization": "{other}"}"#),
            ("POST", "/spaces/{space}/transfer", r#"{"organization": "{org}"}"#),
        ],
    ),
    ("delete and restore a space", &[("DELETE", "/spaces/{space}", ""), ("POST", "/spaces/{space}/restore", "")]),
    ("duplicate a space", &[("POST", "/spaces/{space}/duplicate", "")]),
    (
        "grant on a space",
        &[
            ("POST", "/spaces/{space}/permissions", r#"{"role": "edit", "users": ["{eve}"], "teams": ["{team}"]}"#),
            ("PATCH", "/spaces/{space}/permissions/users/{eve}", r#"{"role": "read"}"#),
            ("PATCH", "/spaces/{space}/permissions/teams/{team}", r#"{"role": "read"}"#),
            ("DELETE", "/spaces/{space}/permissions/users/{eve}", ""),
            ("DELETE", "/spaces/{space}/permissions/teams/{team}", ""),
        ],
    ),
    ("add a template", &[("POST", "/spaces/{space}/content/template", r#"{"id": "release-notes"}"#)]),
    ("make a change request", &[("POST", "/spaces/{space}/change-requests", r#"{"subject": "Another"}"#)]),
    (
        "make a change request about a cluster",
        &[
            ("PATCH", "/orgs/{org}/conversations-clusters/{cluster}", r#"{"muted": false}"#),
            ("POST", "/spaces/{space}/change-requests", r#"{"conversationsIssuesCluster": "{cluster}"}"#),
        ],
    ),
    (
        "change a change request",
        &[(
            "PATCH",
            "/spaces/{space}/change-requests/{request}",
            r#"{"subject": "Subject {client}", "status": "open"}"#,
        )],
    ),
    (
        "edit a change request",
        &[(
            "POST",
            "/spaces/{space}/change-requests/{request}/content",
            r##"{"changes": [{"operation": "insert_page", "document": {"markdown": "# New {client}\n\nWords."}}]}"##,
        )],
    ),
    (
        "ask for a review",
        &[
            (
                "POST",
                "/spaces/{space}/change-requests/{request}/requested-reviewers",
                r#"{"users": ["{eve}", "{bob}"]}"#,
            ),
            ("DELETE", "/spaces/{space}/change-requests/{request}/requested-reviewers/{eve}", ""),
        ],
    ),
    ("review", &[("POST", "/spaces/{space}/change-requests/{request}/reviews", r#"{"status": "approved"}"#)]),
    (
        "merge",
        &[
            ("POST", "/spaces/{space}/change-requests", r#"{"subject": "Merge"}"#),
            (
                "POST",
                "/spaces/{space}/change-requests/{made}/content",
                r##"{"changes": [{"operation": "insert_page", "document": {"markdown": "# Merged {client}"}}]}"##,
            ),
            ("POST", "/spaces/{space}/change-requests/{made}/merge", ""),
        ],
    ),
    ("bring a change request up to date", &[("POST", "/spaces/{space}/change-requests/{request}/update", "")]),
    (
        "decide a conflict",
        &[
            ("CONFLICT", "", ""),
            ("POST", "/spaces/{space}/change-requests/{request}/conflicts/{made}", r#"{"keep": "change"}"#),
        ],
    ),
    (
        "discuss a space",
        &[
            ("POST", "/spaces/{space}/comments", r#"{"body": {"markdown": "Why?"}}"#),
            ("POST", "/spaces/{space}/comments/{made}/replies", r#"{"body": {"markdown": "So."}}"#),
            ("PUT", "/spaces/{space}/comments/{made}/replies/{reply}", r#"{"addedReactions": ["a"]}"#),
            ("DELETE", "/spaces/{space}/comments/{made}/replies/{reply}", ""),
            ("PUT", "/spaces/{space}/comments/{made}", r#"{"resolved": true, "addedReactions": ["a"]}"#),
            ("DELETE", "/spaces/{space}/comments/{made}", ""),
        ],
    ),
    (
        "discuss a change request",
        &[
            ("POST", "/spaces/{space}/change-requests/{request}/comments", r#"{"body": {"markdown": "Why?"}}"#),
            (
                "POST",
                "/spaces/{space}/change-requests/{request}/comments/{made}/replies",
                r#"{"body": {"markdown": "So."}}"#,
            ),
            (
                "PUT",
                "/spaces/{space}/change-requests/{request}/comments/{made}/replies/{reply}",
                r#"{"addedReactions": ["a"]}"#,
            ),
            ("DELETE", "/spaces/{space}/change-requests/{request}/comments/{made}/replies/{reply}", ""),
            (
                "PUT",
                "/spaces/{space}/change-requests/{request}/comments/{made}",
                r#"{"resolved": true, "addedReactions": ["a"]}"#,
            ),
            ("DELETE", "/spaces/{space}/change-requests/{request}/comments/{made}", ""),
        ],
    ),
    (
        "make and withdraw a token",
        &[("POST", "/user/tokens", r#"{"label": "another"}"#), ("DELETE", "/user/tokens/{made}", "")],
    ),
    ("change an account", &[("PATCH", "/users/{self}", r#"{"displayName": "Name {client}"}"#)]),
    (
        "make, fill and remove a site",
        &[
            ("POST", "/orgs/{org}/sites", r#"{"title": "Docs {client}"}"#),
            ("PATCH", "/orgs/{org}/sites/{first}", r#"{"title": "Site {client}"}"#),
            ("POST", "/orgs/{org}/sites/{first}/template", r#"{"id": "release-notes"}"#),
            ("DELETE", "/orgs/{org}/sites/{first}", ""),
        ],
    ),
    (
        "publish a site",
        &[("POST", "/orgs/{org}/sites/{site}/publish", ""), ("POST", "/orgs/{org}/sites/{site}/unpublish", "")],
    ),
    (
        "group sections of a site",
        &[
            ("POST", "/orgs/{org}/sites/{site}/section-groups", r#"{"title": "Guides"}"#),
            ("PATCH", "/orgs/{org}/sites/{site}/section-groups/{made}", r#"{"title": "Guides {client}"}"#),
            ("POST", "/orgs/{org}/sites/{site}/section-groups/{made}/move", r#"{}"#),
            ("POST", "/orgs/{org}/sites/{site}/section-groups/{first}/sections", r#"{"sectionId": "{section}"}"#),
            ("DELETE", "/orgs/{org}/sites/{site}/section-groups/{first}", ""),
        ],
    ),
    (
        "change and move a section of a site",
        &[
            ("PATCH", "/orgs/{org}/sites/{site}/sections/{section}", r#"{"title": "Section {client}"}"#),
            ("POST", "/orgs/{org}/sites/{site}/sections/{section}/move", r#"{}"#),
            (
                "PATCH",
                "/orgs/{org}/sites/{site}/structure/sort",
                r#"{"item": {"type": "site-section", "id": "{section}"}, "position": {}}"#,
            ),
        ],
    ),
    (
        "add and remove a section of a site",
        &[
            ("POST", "/orgs/{org}/sites/{site}/sections", r#"{"spaceId": "{space}"}"#),
            ("DELETE", "/orgs/{org}/sites/{site}/sections/{made}", ""),
        ],
    ),
    (
        "put a space on a site",
        &[
            ("POST", "/orgs/{org}/sites/{site}/site-spaces", r#"{"spaceId": "{space}", "sectionId": "{section}"}"#),
            ("PATCH", "/orgs/{org}/sites/{site}/site-spaces/{made}", r#"{"hidden": true}"#),
            ("POST", "/orgs/{org}/sites/{site}/site-spaces/{made}/move", r#"{}"#),
            ("PATCH", "/orgs/{org}/sites/{site}/site-spaces/{made}/customization", r#"{"title": "Handbook"}"#),
            ("DELETE", "/orgs/{org}/sites/{site}/site-spaces/{made}/customization", ""),
            ("DELETE", "/orgs/{org}/sites/{site}/site-spaces/{made}", ""),
        ],
    ),
    (
        "duplicate a space on a site",
        &[
            ("POST", "/orgs/{org}/sites/{site}/site-spaces/{onsite}/duplicate", ""),
            ("DELETE", "/orgs/{org}/sites/{site}/site-spaces/{made}", ""),
        ],
    ),
    (
        "link from a site",
        &[
            (
                "POST",
                "/orgs/{org}/sites/{site}/external-links",
                r#"{"title": "Status", "url": "https://example.org/"}"#,
            ),
            ("PATCH", "/orgs/{org}/sites/{site}/external-links/{made}", r#"{"title": "Status {client}"}"#),
            ("DELETE", "/orgs/{org}/sites/{site}/external-links/{made}", ""),
        ],
    ),
    (
        "open a site to visitors",
        &[
            ("POST", "/orgs/{org}/sites/{site}/share-links", r#"{"name": "Partners {client}"}"#),
            ("PATCH", "/orgs/{org}/sites/{site}/share-links/{made}", r#"{"active": false}"#),
            ("DELETE", "/orgs/{org}/sites/{site}/share-links/{made}", ""),
            ("PATCH", "/orgs/{org}/sites/{site}/publishing/auth", r#"{"backend": "custom"}"#),
            ("POST", "/orgs/{org}/sites/{site}/publishing/auth/regenerate", ""),
            (
                "PUT",
                "/orgs/{org}/sites/{site}/adaptive-schema",
                r#"{"jsonSchema": {"type": "object", "properties": {}, "additionalProperties": false}}"#,
            ),
        ],
    ),
    (
        "customize a site, and remove feedback",
        &[
            ("PUT", "/orgs/{org}/sites/{site}/customization", r#"{"title": "Handbook {client}"}"#),
            ("DELETE", "/orgs/{org}/sites/{site}/feedback/{feedback}", ""),
        ],
    ),
    (
        "redirect on a site",
        &[
            (
                "POST",
                "/orgs/{org}/sites/{site}/redirects",
                r#"{"source": "/old-{client}", "destination": {"kind": "external", "url": "https://example.org/"}}"#,
            ),
            ("PATCH", "/orgs/{org}/sites/{site}/redirects/{made}", r#"{"draft": true}"#),
            ("DELETE", "/orgs/{org}/sites/{site}/redirects/{made}", ""),
            (
                "PUT",
                "/orgs/{org}/sites/{site}/redirects",
                r#"{"redirects": [{"source": "/gone", "destination": null}]}"#,
            ),
        ],
    ),
    (
        "grant on a site",
        &[
            (
                "POST",
                "/orgs/{org}/sites/{site}/permissions",
                r#"{"role": "edit", "users": ["{eve}"], "teams": ["{team}"]}"#,
            ),
            ("PATCH", "/orgs/{org}/sites/{site}/permissions/users/{eve}", r#"{"role": "read"}"#),
            ("PATCH", "/orgs/{org}/sites/{site}/permissions/teams/{team}", r#"{"role": "read"}"#),
            ("DELETE", "/orgs/{org}/sites/{site}/permissions/users/{eve}", ""),
            ("DELETE", "/orgs/{org}/sites/{site}/permissions/teams/{team}", ""),
        ],
    ),
    (
        "register a webhook",
        &[
            ("POST", "/orgs/{org}/webhooks", r#"{"url": "https://127.0.0.1/"}"#),
            ("PATCH", "/orgs/{org}/webhooks/{first}", r#"{"description": "Webhook {client}"}"#),
            ("POST", "/orgs/{org}/webhooks/{first}/secret", ""),
            ("POST", "/orgs/{org}/webhooks/{first}/ping", ""),
            ("DELETE", "/orgs/{org}/webhooks/{first}", ""),
        ],
    ),
    (
        "publish an OpenAPI spec",
        &[
            (
                "POST",
                "/orgs/{org}/openapi",
                r#"{"slug": "pets-{client}", "source": {"text": "{\"openapi\": \"3.1.0\"}"}}"#,
            ),
            ("PUT", "/orgs/{org}/openapi/pets-{client}", r#"{"source": {"text": "{\"openapi\": \"3.0.0\"}"}}"#),
            ("PATCH", "/orgs/{org}/openapi/pets-{client}", r#"{"visibility": "public"}"#),
            ("DELETE", "/orgs/{org}/openapi/pets-{client}", ""),
        ],
    ),
    (
        "translate a space",
        &[
            (
                "POST",
                "/orgs/{org}/translations",
                r#"{"source": {"space": "{space}", "language": "en"}, "language": "de"}"#,
            ),
            (
                "PUT",
                "/orgs/{org}/translations/{made}",
                r#"{"instructions": {"object": "document", "data": {}, "nodes": []}}"#,
            ),
            ("POST", "/orgs/{org}/translations/{made}/run", ""),
            ("DELETE", "/orgs/{org}/translations/{made}", ""),
        ],
    ),
    (
        "change the glossary",
        &[(
            "PUT",
            "/orgs/{org}/translations-glossary",
            r#"{"operations": [{"type": "insert", "translations": {"en": "engine {client}"}}]}"#,
        )],
    ),
    (
        "bring a conversation",
        &[
            (
                "POST",
                "/orgs/{org}/conversations",
                r#"{"id": "talk-{client}", "parts": [{"type": "message", "role": "user", "body": "The export fails."}]}"#,
            ),
            ("DELETE", "/orgs/{org}/conversations/talk-{client}", ""),
            ("PATCH", "/orgs/{org}/conversations-clusters/{cluster}", r#"{"muted": true}"#),
        ],
    ),
    (
        "read notifications",
        &[
            ("PUT", "/spaces/{space}/notification-settings", r#"{"level": "all"}"#),
            ("POST", "/user/notifications/read", r#"{}"#),
            ("PATCH by eve", "/user/notifications/{notification}", r#"{"read": true}"#),
            ("PATCH", "/user/notification-settings", r#"{"email": false}"#),
        ],
    ),
    ("purge", &[("PURGE", "", "")]),
];

/// Operations that change nothing, and one that needs a delivery that failed.
pub(super) const LEFT_OUT: [(&str, &str); 5] = [
    ("post", "/v1/spaces/{spaceId}/content/computed/document"),
    ("post", "/v1/spaces/{spaceId}/content/computed/revision"),
    ("post", "/v1/orgs/{organizationId}/sites/{siteId}/search"),
    ("post", "/v1/urls/published"),
    ("post", "/v1/orgs/{organizationId}/webhooks/{webhookId}/deliveries/{deliveryId}/redeliver"),
];
