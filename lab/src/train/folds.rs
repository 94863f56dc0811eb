//! Parts of a data set: the pages of a fold are measured by a forest that was fitted without them.

use url::Url;

/// Pages of one site go into one fold, so that no forest is asked about a site that it has seen.
pub(super) const FOLDS: u64 = 5;

/// The last two labels of the host, three under a short second one (`co.uk`).
pub(super) fn domain(url: &Url) -> String {
    let labels: Vec<&str> = url.host_str().unwrap_or_default().split('.').collect();
    let count = labels.len();
    let is_short = count >= 3 && labels[count - 2].len() <= 3;
    labels[count.saturating_sub(if is_short { 3 } else { 2 })..].join(".")
}

/// FNV-1a over the domain: the same fold on every machine.
pub(super) fn fold(domain: &str) -> u64 {
    let hash = domain
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    (hash >> 32) % FOLDS
}
