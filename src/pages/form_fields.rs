//! The fields of a query or a sent form.

use url::form_urlencoded;

/// Names and values of a query or a form, in their order.
#[derive(Debug, Default)]
pub(crate) struct FormFields(pub(crate) Vec<(String, String)>);

impl FormFields {
    pub(crate) fn parse(encoded: &[u8]) -> Self {
        Self(form_urlencoded::parse(encoded).into_owned().collect())
    }

    /// The first value of this name; empty where there is none.
    pub(crate) fn get(&self, name: &str) -> &str {
        self.find(name).unwrap_or_default()
    }

    /// The first value of this name.
    pub(crate) fn find(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(found, _)| found == name).map(|(_, value)| &**value)
    }
}
