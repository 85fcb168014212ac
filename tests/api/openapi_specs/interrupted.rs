use super::{URL, boot, path, pets, put_url, spec, versions};
use acceptance::{Backend, Fields, Interleaved, World};
use domain::actor::Actor;
use domain::job::{Claim, Task};
use domain::usecases::openapi_specs::NewSource;
use domain::usecases::{Input, Precondition};

/// More units of work than a run of the job has.
const MANY: usize = 100;

/// The title of the newest version of a spec whose processing ended without an error.
async fn completed(world: &World) -> String {
    let done = spec(world, "pets").await;
    assert_eq!((done.text("processingState"), done.get("lastProcessErrorCode")), ("complete", None), "{done}");
    let content = world.ada.get(&format!("{}/versions/latest/content", path(world, "pets"))).await.ok();
    content["filesystem"]["openapi.json"]["specification"]["info"].text("title").to_owned()
}

/// Ada sets the source, and the job of it is claimed.
async fn claimed(world: &World) -> (Claim, Task) {
    put_url(world, "pets").await;
    let (claim, task) = world.jobs.claim().await.unwrap().expect("a job is due");
    assert!(matches!(task, Task::ProcessOpenapi { .. }), "{task:?}");
    (claim, task)
}

#[acceptance::test]
async fn a_job_that_is_interrupted_at_any_unit_of_work_is_done_again_and_adds_one_version(backend: Backend) {
    let Some((world, host)) = boot(backend).await else { return };
    for units in 0..MANY {
        let title = format!("Pets {units}");
        host.put(URL, pets(&title));
        let (claim, task) = claimed(&world).await;
        let stopped = Interleaved::after(units, world.services.store.clone(), std::future::pending());
        let whole = stopped.ends_before_event(world.jobs_on(stopped.clone()).perform(&claim, &task)).await;
        if whole {
            assert!(units > 3, "the job has several units of work");
            return;
        }
        world.jobs.release(&claim).await.unwrap();
        world.work().await;
        assert_eq!((completed(&world).await, versions(&world, "pets").await), (title, units + 1));
    }
    panic!("the job has more than {MANY} units of work");
}

#[acceptance::test]
async fn a_source_that_is_set_at_any_unit_of_work_is_the_newest_version(backend: Backend) {
    let Some((world, host)) = boot(backend).await else { return };
    for units in 0..MANY {
        host.put(URL, pets("Old"));
        let (claim, task) = claimed(&world).await;
        let (before, new) = (versions(&world, "pets").await, format!("New {units}"));
        let (specs, organization) = (world.services.openapi_specs.clone(), world.organization.clone());
        let text = pets(&new);
        let set = async move {
            let source = Input::new(|| Ok(NewSource::Text(text.try_into().unwrap())));
            let slug = "pets".parse().unwrap();
            specs.set(&Actor::Operator, &organization, &slug, Precondition::none(), source).await.unwrap();
        };
        let interleaved = Interleaved::after(units, world.services.store.clone(), set);
        world.jobs_on(interleaved.clone()).perform(&claim, &task).await.unwrap();
        if interleaved.is_pending() {
            assert!(units > 3, "the job has several units of work");
            return;
        }
        world.work().await;
        assert_eq!(completed(&world).await, new, "set after {units} units of work");
        let added = versions(&world, "pets").await - before;
        assert!((1..=2).contains(&added), "set after {units} units of work: {added} versions");
    }
    panic!("the job has more than {MANY} units of work");
}
