//! The access matrix for callers with grants: every operation on a space or a collection.
use super::access::{Need, OPERATIONS, Place, expected};
use acceptance::{Caller, Fields, World};
use domain::access::Role;
use serde_json::json;

/// How a caller got a role: the role in the organization, the grant on the places, and whether the grant is to a team.
struct RoleSource {
    member: Option<Role>,
    granted: Option<Role>,
    by_team: bool,
}

const fn way(member: Option<Role>, granted: Option<Role>, by_team: bool) -> RoleSource {
    RoleSource { member, granted, by_team }
}

const WAYS: &[RoleSource] = &[
    way(None, Some(Role::Read), false),
    way(None, Some(Role::Comment), true),
    way(None, Some(Role::Edit), false),
    way(None, Some(Role::Review), true),
    way(None, Some(Role::Create), false),
    way(None, Some(Role::Create), true),
    way(None, None, true),
    way(Some(Role::Read), Some(Role::Create), false),
    way(Some(Role::Create), Some(Role::Read), true),
    way(Some(Role::Create), None, false),
    way(Some(Role::Admin), None, false),
];

impl RoleSource {
    /// The effective role on the places.
    fn role(&self) -> Option<Role> {
        if self.member == Some(Role::Admin) { self.member } else { self.granted }
    }

    fn name(&self) -> String {
        let word = |role: Option<Role>| role.map_or("nothing", Role::as_str);
        let how = if self.by_team { "a team" } else { "name" };
        format!("{} in the organization and {} by {how}", word(self.member), word(self.granted))
    }

    /// The expected status for the caller.
    fn expected(&self, method: &str, pattern: &str, need: Need, fine: u16) -> u16 {
        let creates_at_the_top = matches!(self.member, Some(Role::Create | Role::Admin));
        let copies = pattern.ends_with("/duplicate");
        // To duplicate, a caller needs the right to create where the original is, and to read the original.
        let need = if copies && creates_at_the_top { Need::Read } else { need };
        let by_level = expected(pattern, need, self.role().map(Some), fine);
        let tells_who_belongs_here = pattern.ends_with("/aggregate") || pattern.ends_with("/permissions/teams");
        match by_level {
            refused @ (403 | 404) if refused != fine => refused,
            // A transfer out of the organization also needs that right.
            _ if (copies || pattern.ends_with("/transfer")) && !creates_at_the_top => 403,
            _ if method == "get" && tells_who_belongs_here && self.member.is_none() => 403,
            other => other,
        }
    }
}

async fn caller(place: &Place, at: usize, way: &RoleSource) -> Caller {
    let world = &place.world;
    let caller = world.member(&format!("caller{at}"), way.member).await;
    let subject = if way.by_team {
        let team = json!({"title": format!("Team {at}"), "members": [caller.id()]});
        let team = world.team(team).await;
        json!({"role": way.granted, "teams": [team]})
    } else {
        json!({"role": way.granted, "users": [caller.id()]})
    };
    let collection = place.collection.id();
    for path in [format!("/spaces/{}", place.space), format!("/collections/{collection}")] {
        world.ada.post(&format!("{path}/permissions"), subject.clone()).await.expect(204);
    }
    caller
}

#[acceptance::test]
async fn a_level_at_a_place_opens_what_the_role_of_that_name_does(world: World) {
    let place = Place::build(world).await;
    let mut callers = Vec::new();
    for (at, way) in WAYS.iter().enumerate() {
        callers.push((way, caller(&place, at, way).await));
    }
    let mut faults = Vec::new();
    for (method, pattern, need, fine) in OPERATIONS {
        let about_a_place = pattern.starts_with("/v1/spaces/") || pattern.starts_with("/v1/collections/");
        // Previews show OpenAPI specs, which are for members of the organization only: a grant on a space opens none.
        let about_specs = pattern.contains("/content/computed/");
        // Deleted objects are created for each caller, so the caller has no grant on them.
        if !about_a_place || about_specs || *fine == 205 {
            continue;
        }
        for (way, caller) in &callers {
            let answer = place.send(caller, method, pattern).await;
            let (status, wanted) = (answer.status.as_u16(), way.expected(method, pattern, *need, *fine));
            if status != wanted {
                faults.push(format!("{method} {pattern} as {}: {status}, not {wanted}", way.name()));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
