//! Tokens of the forms on our own pages, against requests that another site makes.

use std::sync::Arc;

use crate::{
    net::client_program::ClientProgram,
    util::tokens::{self, Tokens},
};

/// Makes the tokens of forms.
pub(crate) struct FormTokens(Arc<Tokens>);

/// The purpose of their tokens.
const FORM: &str = "form";

impl FormTokens {
    pub(crate) fn new(tokens: Arc<Tokens>) -> Self {
        Self(tokens)
    }

    pub(crate) fn token(&self, device: &ClientProgram, path: &str) -> String {
        tokens::text(self.0.token(FORM, &parts(device, path)))
    }

    /// Whether this is the token of that form.
    pub(crate) fn is_token(&self, given: &str, device: &ClientProgram, path: &str) -> bool {
        self.0.is(given, FORM, &parts(device, path))
    }
}

/// The parts that the token of a form is made of.
fn parts(device: &ClientProgram, path: &str) -> [String; 3] {
    [device.address.to_string(), device.user.as_deref().unwrap_or_default().to_owned(), path.to_owned()]
}
