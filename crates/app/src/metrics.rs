//! Metrics for Prometheus, on a separate address.
use crate::logging;
use anyhow::{Context, Result};
use metrics::{Unit, counter, describe_counter, describe_gauge, describe_histogram, gauge};
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};
use std::fs;
use std::net::TcpListener;
use std::time::Duration;

/// Bounds of the histogram buckets of durations, in seconds: a cached page takes tens of microseconds, an import
/// seconds.
const SECONDS: &[f64] =
    &[0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0];

/// The media type of the text format (Prometheus, exposition formats, version 0.0.4).
const TEXT: &str = "text/plain; version=0.0.4; charset=utf-8";

/// Starts to collect metrics, and serves them on a socket until the process ends. Must be called within the runtime.
///
/// # Errors
/// If metrics are already collected, or the socket cannot be used.
pub(crate) fn serve(listener: TcpListener) -> Result<()> {
    let handle = PrometheusBuilder::new()
        .set_buckets_for_metric(Matcher::Suffix("_seconds".into()), SECONDS)
        .and_then(PrometheusBuilder::install_recorder)
        .context("cannot collect metrics")?;
    describe();
    let upkeep = handle.clone();
    tokio::spawn(async move {
        // Without upkeep, histograms grow between scrapes.
        let mut interval = tokio::time::interval(Duration::from_secs(5));
        loop {
            interval.tick().await;
            upkeep.run_upkeep();
        }
    });
    let server = actix_web::HttpServer::new(move || {
        let handle = handle.clone();
        let answer = move || {
            let text = page(&handle);
            async move { actix_web::HttpResponse::Ok().content_type(TEXT).body(text) }
        };
        actix_web::App::new().route("/metrics", actix_web::web::get().to(answer))
    });
    let server = server.workers(1).disable_signals().listen(listener).context("cannot serve metrics")?.run();
    tokio::spawn(server);
    Ok(())
}

fn describe() {
    describe_counter!("octavo_http_requests_total", "Requests with a response");
    describe_histogram!("octavo_http_request_duration_seconds", Unit::Seconds, "Time to the response");
    describe_gauge!("octavo_work_running", "Running long work");
    describe_gauge!("octavo_work_waiting", "Long work waiting for a thread");
    describe_counter!("octavo_work_refused_total", "Requests refused with 503 because too much long work was waiting");
    describe_counter!(
        "octavo_site_rendered_total",
        "Texts and pages of sites that were rendered because they were not cached"
    );
    describe_counter!("octavo_log_lines_lost_total", "Lines of the log that could not be written");
    describe_counter!(
        "octavo_http_requests_run_again_total",
        "Requests that conflicted with another change in the database and ran a second time"
    );
    describe_counter!("octavo_engine_requests_total", "Requests to engines");
    describe_counter!("octavo_engine_words_total", "Words that engines translated");
    describe_counter!("octavo_engine_tokens_total", "Tokens of questions to language models and of their answers");
    describe_histogram!("octavo_engine_request_duration_seconds", Unit::Seconds, "Time to the answer of an engine");
    describe_gauge!("octavo_build_info", "Always 1; the label has the version");
    describe_counter!("process_cpu_seconds_total", Unit::Seconds, "Processor time used by the process");
    describe_gauge!("process_resident_memory_bytes", Unit::Bytes, "Resident memory of the process");
    describe_gauge!("process_open_fds", "Open file descriptors");
    gauge!("octavo_build_info", "version" => env!("CARGO_PKG_VERSION")).set(1.0);
    // For Prometheus, a counter that appears with its first count has not increased.
    counter!("octavo_work_refused_total").increment(0);
    counter!("octavo_http_requests_run_again_total").increment(0);
    gauge!("octavo_work_running").increment(0.0);
    gauge!("octavo_work_waiting").increment(0.0);
}

fn page(handle: &PrometheusHandle) -> String {
    counter!("octavo_log_lines_lost_total").absolute(logging::lines_lost());
    if let Some(process) = Process::look() {
        gauge!("process_resident_memory_bytes").set(process.resident_bytes);
        gauge!("process_open_fds").set(process.open_files);
        counter!("process_cpu_seconds_total").absolute(process.cpu_seconds);
    }
    handle.render()
}

/// Figures of this process, on Linux only.
struct Process {
    resident_bytes: f64,
    open_files: f64,
    cpu_seconds: u64,
}

impl Process {
    /// The kernel counts processor time in hundredths of a second (proc(5), USER_HZ).
    const TICKS_PER_SECOND: u64 = 100;

    fn look() -> Option<Self> {
        let status = fs::read_to_string("/proc/self/status").ok()?;
        let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
        let kibibytes: u32 = resident.trim().strip_suffix(" kB")?.parse().ok()?;
        let stat = fs::read_to_string("/proc/self/stat").ok()?;
        // The name of the program is in brackets and can contain any character; the numbers follow it.
        let (_, numbers) = stat.rsplit_once(") ")?;
        let numbers: Vec<&str> = numbers.split(' ').collect();
        let ticks = numbers.get(11)?.parse::<u64>().ok()? + numbers.get(12)?.parse::<u64>().ok()?;
        let open_files = u32::try_from(fs::read_dir("/proc/self/fd").ok()?.count()).ok()?;
        Some(Self {
            resident_bytes: f64::from(kibibytes) * 1024.0,
            open_files: open_files.into(),
            cpu_seconds: ticks / Self::TICKS_PER_SECOND,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(target_os = "linux")]
    #[test]
    fn the_process_knows_its_own_size() {
        let process = Process::look().expect("Linux tells");
        assert!(process.resident_bytes > 1e6 && process.open_files >= 3.0);
    }
}
