//! Where the configuration comes from: a named file, the usual places, or the defaults within.

use std::{
    env, io,
    path::{Path, PathBuf},
};

use etcetera::{BaseStrategy, choose_base_strategy};
use gleaner_filters::ChainConfig;
use serde_yaml::Value;

use super::{
    Config, ConfigError, Preset, RawConfig,
    file::{self, without_mark},
    syntax,
};

/// Where to look for the file.
#[derive(Clone, Debug)]
pub struct Lookup {
    /// Candidates in order.
    pub places: Vec<PathBuf>,
    /// Whether the one place was named by the user and must be there.
    pub named: bool,
}

/// What was found.
#[derive(Clone, Debug)]
pub struct Found {
    /// The configuration.
    pub config: Config,
    /// Its file; none when the defaults within the program are used.
    pub file: Option<PathBuf>,
}

impl Lookup {
    /// The named file, or else the user's and then the machine's.
    #[must_use]
    pub fn new(named: Option<PathBuf>) -> Self {
        if let Some(file) = named {
            return Self {
                places: vec![file],
                named: true,
            };
        }
        let user = choose_base_strategy().ok().map(|base| base.config_dir());
        let machine = Some(PathBuf::from("/etc"));
        let places = [user, machine].into_iter().flatten();
        Self {
            places: places.map(|dir| dir.join("gleaner/config.yaml")).collect(),
            named: false,
        }
    }

    /// Reads the first file that is there.
    pub fn load(&self) -> Result<Found, ConfigError> {
        for place in &self.places {
            match file::read(place, file::MAX_CONFIG) {
                Ok(bytes) => {
                    let text = String::from_utf8(bytes)
                        .map_err(|error| ConfigError::not_text(Some(place.clone()), &error))?;
                    let config = Config::from_yaml(&text, Some(place))?;
                    return Ok(Found {
                        config,
                        file: Some(place.clone()),
                    });
                }
                Err(error) if error.kind() == io::ErrorKind::NotFound && !self.named => {}
                Err(error) => return Err(ConfigError::io(place.clone(), &error)),
            }
        }
        let config = Config::from_yaml("", None)?;
        Ok(Found { config, file: None })
    }
}

impl Config {
    /// Reads and checks a configuration that did not come from a file.
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Self, ConfigError> {
        let text = String::from_utf8(bytes).map_err(|error| ConfigError::not_text(None, &error))?;
        Self::from_yaml(&text, None)
    }

    /// Reads and checks the text of a configuration file. `file` is used for messages and for
    /// relative paths.
    pub fn from_yaml(text: &str, file: Option<&Path>) -> Result<Self, ConfigError> {
        let named = || file.map(Path::to_path_buf);
        let text = without_mark(text);
        if let Some(slip) = syntax::find(text) {
            return Err(ConfigError::slip(named(), slip));
        }
        let raw =
            RawConfig::from_yaml(text).map_err(|error| ConfigError::yaml(named(), text, &error))?;
        let base = match file.and_then(Path::parent) {
            Some(dir) if !dir.as_os_str().is_empty() => dir.to_path_buf(),
            _ => env::current_dir().unwrap_or_default(),
        };
        let config = raw
            .parse(&base)
            .map_err(|bad| ConfigError::value(named(), text, &bad))?;
        config
            .build_chain()
            .map_err(|error| ConfigError::filters(named(), text, &error))?;
        Ok(config)
    }

    /// Builds the filter chain.
    pub(crate) fn chain(&self) -> Result<gleaner_filters::Chain, ConfigError> {
        self.build_chain()
            .map_err(|error| ConfigError::chain(&error))
    }

    fn build_chain(&self) -> Result<gleaner_filters::Chain, gleaner_filters::ConfigError> {
        gleaner_filters::Chain::new(&self.filters, self.page_limits(), self.ad_servers.clone())
    }

    /// The bounds on one page.
    #[must_use]
    pub fn page_limits(&self) -> gleaner_filters::PageLimits {
        gleaner_filters::PageLimits {
            depth: self.limits.page_depth,
            nodes: self.limits.page_nodes,
            cpu: std::time::Duration::from_millis(self.limits.page_cpu_ms),
        }
    }
}

impl RawConfig {
    /// Parses the YAML. The first parse is typed, because only that knows the line of an error; a
    /// preset then needs the user's own keys, which only the untyped tree tells from defaults.
    pub fn from_yaml(text: &str) -> Result<Self, serde_yaml::Error> {
        let text = without_mark(text);
        let typed = serde_yaml::from_str::<Self>(text);
        // Its own complaints are about YAML, not about this file: only good for what they leave out.
        let tree = serde_yaml::from_str::<Value>(text).unwrap_or(Value::Bool(false));
        if tree.is_null() {
            return Ok(Self::default());
        }
        let mut raw = typed?;
        if raw.preset == Preset::Crunch {
            let mut filters = serde_yaml::to_value(ChainConfig::crunch())?;
            if let Some(written) = tree.get("filters") {
                lay_over(&mut filters, written.clone());
            }
            raw.filters = serde_yaml::from_value(filters)?;
        }
        Ok(raw)
    }
}

/// Lays one tree over another: maps key by key, everything else as a whole.
fn lay_over(base: &mut Value, over: Value) {
    match (base, over) {
        (Value::Mapping(base), Value::Mapping(over)) => {
            for (key, value) in over {
                lay_over(base.entry(key).or_insert(Value::Null), value);
            }
        }
        (base, over) => *base = over,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn laying_over_keeps_what_is_not_named() {
        let mut base: Value = serde_yaml::from_str("a: {x: 1, y: 2}\nb: [1, 2]").unwrap();
        lay_over(
            &mut base,
            serde_yaml::from_str("a: {y: 3}\nb: [9]").unwrap(),
        );
        let expected: Value = serde_yaml::from_str("a: {x: 1, y: 3}\nb: [9]").unwrap();
        assert_eq!(base, expected);
    }

    #[test]
    fn a_named_file_must_be_there() {
        let lookup = Lookup::new(Some("/nonexistent/gleaner.yaml".into()));
        assert!(lookup.load().unwrap_err().is_missing());
    }
}
