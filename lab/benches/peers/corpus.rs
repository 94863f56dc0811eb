//! The pages: every fifth of WCXB dev, in the order of their names; and the default chain.

use std::{env, fs, io::Read, path::Path, sync::Arc};

use gleaner_filters::{Chain, ChainConfig, HostList, PageLimits};

/// Pages that are used; the 1,497 of the set are five times as many.
const PAGES: usize = 300;

/// The pages as text, or why there are none.
pub(crate) fn pages() -> Result<Vec<String>, String> {
    let folder = env::var_os("GLEANER_WCXB")
        .ok_or("GLEANER_WCXB names no folder with the pages of WCXB dev; lab/README.md says where to get them")?;
    let folder = Path::new(&folder).join("html");
    let entries = fs::read_dir(&folder).map_err(|error| format!("{}: {error}; see GLEANER_WCXB", folder.display()))?;
    let mut paths: Vec<_> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    let step = (paths.len() / PAGES).max(1);
    paths
        .iter()
        .step_by(step)
        .take(PAGES)
        .map(|path| {
            let file = fs::File::open(path).map_err(|error| error.to_string())?;
            let mut bytes = Vec::new();
            flate2::read::MultiGzDecoder::new(file)
                .read_to_end(&mut bytes)
                .map_err(|error| format!("{}: {error}", path.display()))?;
            Ok(String::from_utf8_lossy(&bytes).into_owned())
        })
        .collect()
}

/// The default chain with the list that ships.
pub(crate) fn chain() -> anyhow::Result<Arc<Chain>> {
    let mut ad_servers = HostList::default();
    ad_servers.add(include_str!("../../../adservers.txt"))?;
    Ok(Arc::new(Chain::new(&ChainConfig::default(), PageLimits::default(), ad_servers)?))
}
