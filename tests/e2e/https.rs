//! Interception: certificates, trust of devices, and what is tunnelled.

mod authority_upkeep;
pub(crate) mod certificates;
pub(crate) mod device_trust;
mod intercept;
mod resumption;
mod tls_fallback;
