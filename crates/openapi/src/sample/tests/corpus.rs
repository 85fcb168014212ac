//! Real documents: every operation has samples, and they are made quickly.
use super::super::{SampleOptions, operation_request, operation_samples};
use crate::corpus::{documents, some};
use crate::parts::summary;
use crate::text::read;
use crate::upgrade::upgrade;
use std::time::Instant;
use std::{env, fs};

#[test]
fn operations_of_real_documents_have_samples() {
    let shown = env::var("OCTAVO_SAMPLE").unwrap_or_default();
    for path in documents() {
        let Some(root) = read(&fs::read(&path).expect("the file can be read")).root else { continue };
        let root = upgrade(root, None);
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let mut times = Vec::new();
        for operation in some(summary(&root).operations) {
            let start = Instant::now();
            let options = SampleOptions::default();
            let samples = operation_samples(&root, &operation.path, &operation.method, &options);
            times.push(start.elapsed());
            let samples = samples.expect("the operation is there");
            let request = operation_request(&root, &operation.path, &operation.method, &options);
            let url = request.expect("the operation has a request").url;
            assert!(url.bytes().all(|byte| byte.is_ascii_graphic()), "{name}: {url}");
            assert!(url::Url::parse(&url).is_ok(), "{name}: {url}");
            if !shown.is_empty() && format!("{} {}", operation.method, operation.path).contains(&shown) {
                samples.iter().for_each(|sample| println!("--- {}\n{}", sample.label, sample.source));
            }
        }
        times.sort();
        let at = |part: usize| times.get((times.len() * part / 100).min(times.len().saturating_sub(1)));
        println!("{name}: {} operations, p50 {:?}, p95 {:?}, most {:?}", times.len(), at(50), at(95), at(100));
    }
}
