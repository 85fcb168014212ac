//! The metrics of requests.
//!
//! To find a metric by its name and labels, a recorder needs the labels as text and a look-up. So each thread keeps the
//! handles of the labels that it has seen.
use actix_web::http::StatusCode;
use metrics::{Counter, Histogram, SharedString};
use std::cell::RefCell;
use std::collections::HashMap;
use std::ptr;
use std::sync::Arc;
use std::time::Duration;

/// The route in metrics and log for a request that matches none.
pub(crate) const UNMATCHED: &str = "unmatched";
/// The maximum number of handles that a thread keeps. A server has fewer different labels: all are words of the code.
const MAX_HANDLES: usize = 4096;

/// The labels of the metrics of a request.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct RequestLabels {
    pub(crate) method: &'static str,
    /// The pattern of the route; `None` for a request that matches none.
    pub(crate) route: Option<Arc<str>>,
    pub(crate) status: StatusCode,
}

/// The handles of the metrics with the same labels.
struct Handles {
    requests: Counter,
    duration: Histogram,
}

impl Handles {
    fn register(of: &RequestLabels) -> Self {
        let route = of.route.clone().map_or(SharedString::const_str(UNMATCHED), SharedString::from);
        let labels = [
            ("method", SharedString::const_str(of.method)),
            ("route", route),
            ("status", of.status.as_str().to_owned().into()),
        ];
        Self {
            requests: metrics::counter!("octavo_http_requests_total", &labels),
            duration: metrics::histogram!("octavo_http_request_duration_seconds", &labels),
        }
    }
}

/// The handles that a thread keeps.
struct KeptHandles {
    /// The address of the recorder that made the handles. A handle never changes to another recorder, and one that was
    /// made without a recorder never records. So all handles are dropped when the recorder is another one: in the
    /// program never, as it installs its recorder before it serves, but tests install one at any time.
    recorder: *const (),
    handles: HashMap<RequestLabels, Handles>,
}

thread_local! {
    static KEPT: RefCell<KeptHandles> = RefCell::new(KeptHandles { recorder: ptr::null(), handles: HashMap::new() });
}

/// Counts a request with a response, and the time that it took.
pub(crate) fn count(labels: RequestLabels, elapsed: Duration) {
    KEPT.with_borrow_mut(|kept| {
        let recorder = metrics::with_recorder(|recorder| ptr::from_ref(recorder).cast::<()>());
        if kept.recorder != recorder || kept.handles.len() >= MAX_HANDLES {
            kept.handles.clear();
            kept.recorder = recorder;
        }
        let handles = kept.handles.entry(labels).or_insert_with_key(Handles::register);
        handles.requests.increment(1);
        handles.duration.record(elapsed.as_secs_f64());
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use metrics::{CounterFn, Gauge, HistogramFn, Key, KeyName, Metadata, Recorder, Unit, with_local_recorder};
    use std::collections::BTreeMap;
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// The values of one metric.
    #[derive(Default)]
    struct Values(Mutex<Vec<f64>>);

    impl CounterFn for Values {
        fn increment(&self, value: u64) {
            self.0.lock().unwrap().push(value as f64);
        }

        fn absolute(&self, _: u64) {}
    }

    impl HistogramFn for Values {
        fn record(&self, value: f64) {
            self.0.lock().unwrap().push(value);
        }
    }

    /// The values of all metrics by name and labels, and how often a handle was requested.
    #[derive(Default)]
    struct Recording {
        values: Mutex<BTreeMap<String, Arc<Values>>>,
        registered: AtomicUsize,
    }

    impl Recording {
        /// A recorder whose address no other one ever has.
        fn leaked() -> &'static Self {
            Box::leak(Box::<Self>::default())
        }

        fn register(&self, key: &Key) -> Arc<Values> {
            self.registered.fetch_add(1, Ordering::SeqCst);
            let labels: Vec<_> = key.labels().map(|label| format!("{}={}", label.key(), label.value())).collect();
            let name = format!("{} {}", key.name(), labels.join(" "));
            self.values.lock().unwrap().entry(name).or_default().clone()
        }

        fn of(&self, name: &str) -> Vec<f64> {
            let values = self.values.lock().unwrap();
            values.get(name).map(|values| values.0.lock().unwrap().clone()).unwrap_or_default()
        }

        fn registered(&self) -> usize {
            self.registered.load(Ordering::SeqCst)
        }
    }

    impl Recorder for Recording {
        fn describe_counter(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}
        fn describe_gauge(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}
        fn describe_histogram(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}
        fn register_counter(&self, key: &Key, _: &Metadata<'_>) -> Counter {
            Counter::from_arc(self.register(key))
        }
        fn register_gauge(&self, _: &Key, _: &Metadata<'_>) -> Gauge {
            Gauge::noop()
        }
        fn register_histogram(&self, key: &Key, _: &Metadata<'_>) -> Histogram {
            Histogram::from_arc(self.register(key))
        }
    }

    const COUNTED: &str = "octavo_http_requests_total method=GET route=/spaces status=200";
    const TIMED: &str = "octavo_http_request_duration_seconds method=GET route=/spaces status=200";

    fn labels(route: Option<&str>, status: StatusCode) -> RequestLabels {
        RequestLabels { method: "GET", route: route.map(Arc::from), status }
    }

    fn counted(route: Option<&str>, status: StatusCode) {
        count(labels(route, status), Duration::from_millis(250));
    }

    #[test]
    fn a_metric_is_registered_once_and_recorded_for_each_request() {
        let recording = Recording::leaked();
        with_local_recorder(recording, || {
            counted(Some("/spaces"), StatusCode::OK);
            counted(Some("/spaces"), StatusCode::OK);
        });
        assert_eq!(recording.of(COUNTED), [1.0, 1.0]);
        assert_eq!(recording.of(TIMED), [0.25, 0.25]);
        assert_eq!(recording.registered(), 2, "the counter and the histogram");
    }

    #[test]
    fn other_labels_are_another_metric() {
        let recording = Recording::leaked();
        with_local_recorder(recording, || {
            counted(Some("/spaces"), StatusCode::OK);
            counted(Some("/spaces"), StatusCode::NOT_FOUND);
            counted(None, StatusCode::OK);
            count(RequestLabels { method: "POST", ..labels(Some("/spaces"), StatusCode::OK) }, Duration::ZERO);
        });
        for name in [
            COUNTED,
            "octavo_http_requests_total method=GET route=/spaces status=404",
            "octavo_http_requests_total method=GET route=unmatched status=200",
            "octavo_http_requests_total method=POST route=/spaces status=200",
        ] {
            assert_eq!(recording.of(name), [1.0], "{name}");
        }
    }

    #[test]
    fn a_recorder_that_is_installed_later_gets_all_later_requests() {
        counted(Some("/spaces"), StatusCode::OK);
        let (first, second) = (Recording::leaked(), Recording::leaked());
        for recording in [first, second, first] {
            with_local_recorder(recording, || counted(Some("/spaces"), StatusCode::OK));
        }
        counted(Some("/spaces"), StatusCode::OK);
        assert_eq!((first.of(COUNTED), second.of(COUNTED)), (vec![1.0, 1.0], vec![1.0]));
    }

    #[test]
    fn the_number_of_kept_handles_is_limited() {
        let recording = Recording::leaked();
        with_local_recorder(recording, || {
            for route in 0..MAX_HANDLES + 10 {
                counted(Some(&route.to_string()), StatusCode::OK);
                assert!(KEPT.with_borrow(|kept| kept.handles.len()) <= MAX_HANDLES);
            }
            counted(Some("0"), StatusCode::OK);
        });
        assert_eq!(recording.of("octavo_http_requests_total method=GET route=0 status=200"), [1.0, 1.0]);
    }
}
