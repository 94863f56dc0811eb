//! Where a request comes from and where it goes: clients and their devices, targets, and whether a target may be reached.

pub(crate) mod access_control;
pub(crate) mod addresses;
pub(crate) mod control_host;
pub(crate) mod credentials;
pub(crate) mod device;
pub(crate) mod route;
pub(crate) mod target;
pub(crate) mod tcp;
