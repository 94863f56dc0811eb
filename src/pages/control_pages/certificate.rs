//! The authority's certificate as each system wants it.

use std::fmt::Write as _;

use base64::{Engine as _, prelude::BASE64_STANDARD};
use http::Response;
use ring::digest::{SHA256, digest};

use super::download;
use crate::{http::body::Body, mitm::authority::Authority};

/// The certificate in DER, which most devices open as one.
pub(super) const DER: &str = "/ca.crt";
pub(super) const PEM: &str = "/ca.pem";
/// A configuration profile for iOS, iPadOS and macOS.
pub(super) const APPLE: &str = "/gleaner.mobileconfig";

/// Whether this is the path of one of them.
pub(super) fn is_path(path: &str) -> bool {
    [DER, PEM, APPLE].contains(&path)
}

pub(super) fn answer(path: &str, authority: &Authority) -> Response<Body> {
    match path {
        PEM => {
            let pem = authority.certificate_pem.as_bytes().to_vec();
            download(pem, "application/x-pem-file", Some("gleaner-ca.pem"))
        }
        APPLE => {
            let profile = apple_profile(&authority.certificate).into_bytes();
            download(profile, "application/x-apple-aspen-config", Some("gleaner.mobileconfig"))
        }
        _ => download(authority.certificate.to_vec(), "application/x-x509-ca-cert", Some("gleaner-ca.crt")),
    }
}

/// Apple's *Configuration Profile Reference*: a payload of type `com.apple.security.root` with the certificate. Its
/// identifiers follow from the certificate, so that the same one installed again replaces itself.
fn apple_profile(der: &[u8]) -> String {
    let content = BASE64_STANDARD.encode(der);
    let (outer, inner) = (uuid(der, "profile"), uuid(der, "certificate"));
    format!(
        r#"<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0"><dict>
<key>PayloadType</key><string>Configuration</string>
<key>PayloadVersion</key><integer>1</integer>
<key>PayloadIdentifier</key><string>internal.gleaner.{outer}</string>
<key>PayloadUUID</key><string>{outer}</string>
<key>PayloadDisplayName</key><string>Gleaner certificate</string>
<key>PayloadDescription</key><string>Lets this device trust the Gleaner proxy of your home.</string>
<key>PayloadContent</key><array><dict>
<key>PayloadType</key><string>com.apple.security.root</string>
<key>PayloadVersion</key><integer>1</integer>
<key>PayloadIdentifier</key><string>internal.gleaner.{inner}</string>
<key>PayloadUUID</key><string>{inner}</string>
<key>PayloadDisplayName</key><string>Gleaner certificate</string>
<key>PayloadCertificateFileName</key><string>gleaner-ca.crt</string>
<key>PayloadContent</key><data>{content}</data>
</dict></array>
</dict></plist>
"#
    )
}

/// A UUID of version 8 (RFC 9562 § 5.8) from a hash.
fn uuid(der: &[u8], purpose: &str) -> String {
    let digest = digest(&SHA256, &[der, purpose.as_bytes()].concat());
    let mut hash: [u8; 16] = std::array::from_fn(|index| digest.as_ref()[index]);
    hash[6] = hash[6] & 0x0f | 0x80;
    hash[8] = hash[8] & 0x3f | 0x80;
    let mut uuid = String::new();
    for (index, byte) in hash.iter().enumerate() {
        let dash = if [4, 6, 8, 10].contains(&index) { "-" } else { "" };
        // Writing to a string cannot fail.
        let _ = write!(uuid, "{dash}{byte:02X}");
    }
    uuid
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_certificate_has_the_same_profile_and_another_one_has_others() {
        let of = |der: &[u8]| apple_profile(der);
        assert_eq!(of(b"one"), of(b"one"));
        assert!(of(b"one").contains("<data>b25l</data>"));
        let id = uuid(b"one", "profile");
        assert_ne!(id, uuid(b"two", "profile"));
        assert!(id.len() == 36 && &id[14..15] == "8" && "89AB".contains(&id[19..20]), "{id}");
    }
}
