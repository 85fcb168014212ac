//! A hidden object gets the same response as a missing one, at the same cost.
use acceptance::{Backend, World};
use actix_web::http::Method;
use domain::access::Role;
use domain::id::SpaceId;
use serde_json::json;

#[acceptance::test]
async fn what_is_hidden_takes_as_many_statements_as_what_is_not_there(backend: Backend) {
    let Some(world) = World::undisturbed(backend).await else { return };
    let ada = &world.ada;
    let other = ada.post("/orgs", json!({"title": "Hidden"})).await.id();
    let space = world.space(json!({})).await.to_string();
    ada.patch(&format!("/spaces/{space}"), json!({"defaultLevel": null})).await.ok();
    ada.post(&format!("/spaces/{space}/change-requests"), json!({})).await.expect(201);
    let collection = world.collection(json!({})).await.to_string();
    ada.patch(&format!("/collections/{collection}"), json!({"defaultLevel": null})).await.ok();
    let account = world.stranger("hidden").await.id().to_owned();
    let callers =
        [("a stranger", world.stranger("eve").await), ("a member", world.member("rita", Some(Role::Read)).await)];
    for (who, caller) in callers {
        for (method, path, id) in [
            (Method::GET, "/orgs/@", &other),
            (Method::GET, "/spaces/@", &space),
            (Method::PATCH, "/spaces/@", &space),
            (Method::DELETE, "/spaces/@", &space),
            (Method::GET, "/spaces/@/change-requests/1", &space),
            (Method::GET, "/spaces/@/content/path/page", &space),
            (Method::GET, "/collections/@", &collection),
            (Method::PATCH, "/collections/@", &collection),
            (Method::GET, "/users/@", &account),
        ] {
            let absent: SpaceId = world.services.ids.make();
            let ask = async |id: &str| {
                let path = path.replace('@', id);
                let body = |request: actix_web::test::TestRequest| request.set_json(json!({"title": "Mine"}));
                // From here on, the caller of the token is cached.
                caller.get("/user").await.ok();
                let (answer, statements) = world.counted(caller.send(method.clone(), &path, body)).await;
                (answer.status.as_u16(), answer.bytes, statements)
            };
            let (hidden, absent) = (ask(id).await, ask(absent.as_str()).await);
            assert_eq!(hidden, absent, "{method} {path} as {who}");
        }
    }
}
