//! Changes of the configuration file, made away from the threads that serve requests: checking them compiles lists, which may
//! take seconds.

use std::path::Path;

use serde_yaml::Value;

use super::{PanelRequest, settings::ConfigText};
use crate::{
    config::edit::{self, Change, EditError},
    state::loaded_config::LoadedConfig,
};

/// Runs [`edited`] or [`save`].
pub(super) async fn in_background<T: Send + 'static>(
    edit: fn(&str, &[Change], &Path) -> Result<T, EditError>,
    text: &str,
    changes: &[Change],
    name: &Path,
) -> Result<T, EditError> {
    let (text, changes, name) = (text.to_owned(), changes.to_vec(), name.to_owned());
    let edited = tokio::task::spawn_blocking(move || edit(&text, &changes, &name)).await;
    edited.unwrap_or_else(|error| Err(EditError::Layout(error.to_string())))
}

/// The text with these changes, and the configuration that it is. `name` is the file, for relative paths.
pub(super) fn edited(text: &str, changes: &[Change], name: &Path) -> Result<(String, LoadedConfig), EditError> {
    let (after, parsed) = edit::edited(text, changes, name)?;
    let loaded = LoadedConfig::from(parsed);
    // A list that went missing meanwhile does not stand in the way of other settings.
    match &loaded.unread_lists {
        Some(error) if changes.iter().any(|change| change.path[0] == "blocking") => Err(error.clone().into()),
        _ => Ok((after, loaded)),
    }
}

/// Makes these changes in the file, if its text is still this one. Returns the
/// [`Config::text_hash`](crate::Config::text_hash) of what was written.
pub(super) fn save(before: &str, changes: &[Change], name: &Path) -> Result<u64, EditError> {
    let (after, loaded) = edited(before, changes, name)?;
    edit::write(before, &after, name)?;
    Ok(loaded.config.text_hash)
}

/// Makes changes in the configuration file, given all its settings as a tree, and waits until they are in force. Whether there were
/// any; or why nothing was saved.
pub(super) async fn change(
    visit: &PanelRequest<'_>,
    changes: impl FnOnce(&Value) -> Vec<Change>,
) -> Result<bool, String> {
    let source = ConfigText::read(visit)?;
    let tree = source.tree()?;
    let Some(file) = &source.file else {
        return Err("There is no configuration file yet; `http://gleaner.internal/settings/sites` offers to make one."
            .to_owned());
    };
    let changes = changes(&tree);
    if changes.is_empty() {
        return Ok(false);
    }
    let text_hash = in_background(save, &source.text, &changes, file).await.map_err(|error| error.to_string())?;
    visit.taken_over(text_hash).await;
    Ok(true)
}
