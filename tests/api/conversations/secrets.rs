//! Personal data and secrets: no field that a sender fills in stores them, and no derived text contains them.
use super::{list, talk, with_model};
use acceptance::{Fields, World};
use domain::actor::Actor;
use domain::conversation::{
    ConversationContent, ConversationPart, ConversationSource, NewConversation, PartRole, SentConversations,
};
use domain::ports::EngineError;
use domain::usecases::conversations::Conversations;
use serde_json::{Value, json};

/// Messages of users, each with the secret that must not be stored.
const TEXTS: [(&str, &str); 9] = [
    ("Write to grace@example.org, please. I cannot log in.", "grace@example.org"),
    ("<p>I cannot log in as heidi&#64;example&#46;org any more.</p>", "heidi@example.org"),
    ("<p>I cannot log in as ivan<b>@</b>example.org any more.</p>", "ivan@example.org"),
    ("I cannot pay my invoice with **4111** 1111 1111 1111 any more.", "4111 1111 1111 1111"),
    ("I cannot pay my invoice from DE89 3704 0044 0532 0130 00.", "DE89 3704 0044 0532 0130 00"),
    ("My password is hunter2hunter2 and I cannot log in.", "hunter2hunter2"),
    ("Call me at +49 151 12345678, the export fails.", "+49 151 12345678"),
    (concat!("I cannot use the token ghp", "_a1B2c3D4e5F6g7H8i9J0k1L2 for exports."), "a1B2c3D4e5F6g7H8i9J0k1L2"),
    ("I cannot open https://ada:s3cretpw@example.org/export any more.", "s3cretpw"),
];
/// Secrets in other fields that must not be stored.
const OTHERS: [&str; 5] =
    ["judy@example.org", "mallory@example.org", "niaj@example.org", "olivia@example.org", "correcthorse7"];

#[acceptance::test]
#[case::by_rules(false)]
#[case::with_a_language_model(true)]
async fn personal_data_and_secrets_are_nowhere(world: World, #[case] model: bool) {
    if model {
        with_model(&world).await;
    }
    // A model that joins the parts of a secret that markup splits.
    world.chat.rule(|question| match question.schema_name {
        "issues" => {
            let data: Value = serde_json::from_str(&question.user).unwrap();
            let issue = |message: &Value| {
                let text = message.text("text").replace(['*'], "").replace("<b>", "").replace("</b>", "");
                json!({"title": text, "details": text, "impact": "low", "gist": ""})
            };
            Ok(json!({"issues": data.list("messages").iter().map(issue).collect::<Vec<_>>()}))
        }
        _ => Err(EngineError::Refused(400)),
    });
    let mut talks: Vec<Value> = (0..).zip(TEXTS).map(|(n, (text, _))| talk(&format!("t{n}"), text)).collect();
    talks[0]["subject"] = json!("Login of niaj@example.org fails");
    talks[0]["metadata"] = json!({
        "url": "https://help.example.org/tickets/1?from=olivia@example.org",
        "attributes": {"judy@example.org": "admin", "contact": "mallory@example.org", "password": "correcthorse7"},
    });
    world.ada.post(&world.org("/conversations"), json!(talks)).await.expect(204);
    world.work().await;
    let issues = list(&world, "/conversations-issues").await;
    let found = issues["count"].as_u64().unwrap();
    assert!(found >= TEXTS.len() as u64, "{issues}");
    let asked = world.chat.asked();
    assert_eq!(asked.is_empty(), !model);
    let stored = format!("{:?} {asked:?}", world.dump().await);
    let secrets = TEXTS.iter().map(|(_, secret)| *secret).chain(OTHERS);
    let left: Vec<&str> = secrets.filter(|secret| stored.contains(secret)).collect();
    assert!(left.is_empty(), "{left:?}");
    let shown = list(&world, "/conversations/t0").await;
    assert_eq!(
        shown["metadata"]["attributes"],
        json!({"[email]": "admin", "contact": "[email]", "password": "[password]"})
    );
}

#[acceptance::test]
async fn an_operator_can_keep_what_users_write_as_it_is(mut world: World) {
    world.jobs.analyst.as_mut().unwrap().redact = false;
    let conversations = Conversations { redact: false, ..world.services.conversations.clone() };
    let body = "I cannot log in as grace@example.org".to_owned();
    let parts = vec![ConversationPart { role: PartRole::User, body: body.clone() }];
    let new = NewConversation {
        source: ConversationSource::default(),
        external_id: "a".parse().unwrap(),
        subject: None,
        url: None,
        content: ConversationContent { parts, ..ConversationContent::default() },
        created_at: None,
    };
    let sent = SentConversations::One(new).into();
    conversations.ingest(&Actor::Operator, &world.organization, sent).await.unwrap();
    world.work().await;
    assert_eq!(list(&world, "/conversations/a").await["parts"][0]["body"], json!(body));
    assert_eq!(list(&world, "/conversations-issues").await["items"][0]["issue"]["title"], json!(body));
}
