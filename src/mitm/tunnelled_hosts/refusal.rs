//! Counts a client's refusals of our certificate: the host may then be tunnelled for that client, and the record that
//! the client trusts the authority removed.

use std::io;

use rustls::AlertDescription::{BadCertificate, CertificateUnknown, UnknownCA};

use crate::{
    mitm::{Destination, SniffedConnect},
    server::Handler,
};

impl<H: Handler> SniffedConnect<H> {
    /// The client has ended the connection before its first byte: it has said that it refuses our certificate by an alert, or may
    /// have by closing the connection.
    pub(in crate::mitm) fn count_refusal(&self, error: &io::Error) {
        let Some(is_alert) = is_alert(error) else { return };
        let Self { tunnelled, trusted_devices: trusted, device, .. } = self;
        let is_ours = matches!(self.destination, Destination::ControlHost(_));
        if !is_ours && !self.config.https.tunnel_pinned_apps || !is_alert && device.is_browser() {
            return;
        }
        let effect = tunnelled.refused(device, &self.destination.target().host_port, is_alert);
        // The start page looks at the control host whether the client trusts the authority. A connection that was only closed
        // may be that of a person who left the page. Of other hosts, one may be pinned, and a few in a row are not.
        if is_ours && (is_alert || effect.tunnel_host) || is_alert && effect.suspect_trust {
            trusted.remove(device);
        } else if effect.suspect_trust {
            trusted.remove_if_stale(device);
        }
    }
}

/// Whether a failed handshake is a refusal of our certificate: by an alert (RFC 8446 § 6.2), or by closing the connection.
fn is_alert(error: &io::Error) -> Option<bool> {
    let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>());
    match (inner, error.kind()) {
        (Some(rustls::Error::AlertReceived(alert)), _) => {
            [UnknownCA, BadCertificate, CertificateUnknown].contains(alert).then_some(true)
        }
        (_, io::ErrorKind::UnexpectedEof | io::ErrorKind::ConnectionReset | io::ErrorKind::BrokenPipe) => Some(false),
        _ => None,
    }
}
