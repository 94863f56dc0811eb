//! The configuration: whether it can be read, and what in it does nothing.

use std::time::Duration;

use serde_yaml::Value;

use super::{finding::Finding, start};
use crate::{
    RawConfig,
    cli::check_config,
    config::{ConfigErrorKind, Lookup},
    state::loaded_config::LoadedConfig,
};

const CHECK: &str = "configuration";

/// How long reading it may take; large lists take half a second on a small machine.
pub(super) const LIMIT: Duration = Duration::from_millis(2500);

/// The configuration that the other checks look at, and the findings about it.
pub(super) struct Read {
    pub(super) loaded: LoadedConfig,
    pub(super) findings: Vec<Finding>,
}

/// Reads the configuration, or takes the defaults where that fails.
pub(super) fn read(lookup: Lookup) -> anyhow::Result<Read> {
    let places: Vec<_> = lookup.places.iter().map(|place| place.display().to_string()).collect();
    let finding = match start(move || LoadedConfig::find(&lookup)).recv_timeout(LIMIT) {
        Ok(Ok(loaded)) => return Ok(Read { findings: findings(&loaded), loaded }),
        Ok(Err(error)) if error.kind == ConfigErrorKind::Missing => Finding::problem(
            CHECK,
            "the file that was named is not there; the checks below are of the defaults",
            "name another with --config; `gleaner init` writes one",
        )
        .with(error.to_string()),
        Ok(Err(error)) => Finding::problem(
            CHECK,
            "it cannot be used; the checks below are of the defaults",
            "mend it in the file; a Gleaner that runs keeps the settings that it has until then, and none starts",
        )
        .with(error.to_string()),
        Err(_) => Finding::problem(
            CHECK,
            "it could not be read in time; the checks below are of the defaults",
            "`gleaner check-config` waits for it: a name under `listen` that no name server knows, very large lists or a \
             slow disk take long",
        )
        .with(places.join(", ")),
    };
    Ok(Read { loaded: LoadedConfig::from_yaml("", None)?, findings: vec![finding] })
}

fn findings(loaded: &LoadedConfig) -> Vec<Finding> {
    let mut findings = vec![match &loaded.file {
        Some(file) => Finding::ok(CHECK, "it is good").with(file.display().to_string()),
        None => Finding::ok(CHECK, "there is no file, so the defaults count; `gleaner init` writes one"),
    }];
    findings.extend(loaded.unread_lists.iter().map(|error| {
        Finding::problem(CHECK, "a file of a list cannot be read", "mend the file or its path").with(error.to_string())
    }));
    findings.extend(check_config::notes_on_settings(loaded).into_iter().map(|note| {
        Finding::warning(CHECK, "a setting may not do what was meant", "change it in the file, or leave it").with(note)
    }));
    findings
}

/// The settings that differ from the defaults, without their values. Only words that the defaults have too: what a person wrote
/// as a key, such as the name of a profile or a user, is not among them.
pub(super) fn changed(raw: &RawConfig) -> Vec<String> {
    let tree = |raw: &RawConfig| serde_yaml::to_value(raw).unwrap_or_default();
    let mut changed = Vec::new();
    collect(&tree(&RawConfig::default()), &tree(raw), "", &mut changed);
    changed
}

fn collect(default: &Value, used: &Value, path: &str, changed: &mut Vec<String>) {
    // Profiles are named by those who write them.
    let sections = default.as_mapping().filter(|_| path != "profiles" && used.is_mapping());
    match sections {
        Some(sections) if !sections.is_empty() => {
            for (key, default) in sections {
                let name = key.as_str().unwrap_or_default();
                let path = if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
                collect(default, &used[key], &path, changed);
            }
        }
        _ if default != used => changed.push(path.to_owned()),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changed_settings_are_named_without_what_a_person_wrote() {
        let yaml = "access: { lan: true, users: { anna: '$argon2id$v=19$m=8,t=1,p=1$c29tZXNhbHQ$gzCcKRE3DGs2kdsCTqHOTtOXLKwKTuRbZ5fPP6V8ALE' } }\n\
                    filters: { main_block: { favor: recall } }\nprofiles: { grandma: { images: false } }\nlog: { requests: false }\n\
                    sites: [{ hosts: [secret.example], profile: grandma }]\n";
        let names = changed(&LoadedConfig::from_yaml(yaml, None).unwrap().raw);
        for name in ["access.lan", "access.users", "filters.main_block.favor", "profiles", "sites"] {
            assert!(names.iter().any(|changed| changed == name), "{name}: {names:?}");
        }
        assert!(!names.iter().any(|name| name.contains("anna") || name.contains("grandma") || name.contains("secret")));
        assert!(!names.iter().any(|name| name.starts_with("log")), "{names:?}");
        assert_eq!(changed(&LoadedConfig::from_yaml("", None).unwrap().raw), Vec::<String>::new());
    }
}
