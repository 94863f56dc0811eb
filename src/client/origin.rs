//! An origin together with the way to it: what connections are kept by.

use std::{
    borrow::Cow,
    hash::{Hash, Hasher},
    net::IpAddr,
    ops::Deref,
    sync::Arc,
};

use super::UpstreamError;
use crate::{
    config::{ParentProxy, Via, ViaRule, WantedConnection, Way},
    net::{
        access_control::Permit,
        target::{Scheme, Target},
    },
};

/// The way to the origin of a request: found once, for its connection and for the log.
pub(crate) struct FoundWay {
    pub(super) origin: Result<Origin, UpstreamError>,
    /// The address of a proxy, `direct` or `refuse`, where there are rules.
    pub(crate) name: Option<Arc<str>>,
}

impl FoundWay {
    pub(super) fn new(permit: &Permit, client: IpAddr, via: &Via) -> Self {
        let rule = via.rule(&wanted(permit.target(), client));
        let name = (!via.is_empty()).then(|| rule.map_or_else(|| "direct".into(), |rule| Arc::clone(&rule.name)));
        let origin = Origin::from_rule(permit.target(), rule);
        Self { origin: origin.map(|origin| origin.connecting_to(permit.instead())), name }
    }
}

/// An origin, and the way to it.
#[derive(Clone, Debug)]
pub(super) struct Origin {
    target: Arc<Target>,
    way: OriginWay,
    /// The name whose addresses are connected to in the place of the target's.
    instead: Option<&'static str>,
}

/// How an origin is reached.
#[derive(Clone, Debug)]
enum OriginWay {
    Direct,
    /// Another proxy makes a connection to the origin.
    Tunnel(Arc<ParentProxy>),
    /// Another proxy is asked for the resource itself (RFC 9112 § 3.2.2). `is_shared`: on connections that serve all origins.
    Ask {
        parent: Arc<ParentProxy>,
        is_shared: bool,
    },
}

impl Deref for Origin {
    type Target = Target;

    fn deref(&self) -> &Target {
        &self.target
    }
}

impl Origin {
    /// The origin of a target for this client, by the rules.
    pub(super) fn new(target: &Arc<Target>, client: IpAddr, via: &Via) -> Result<Self, UpstreamError> {
        Self::from_rule(target, via.rule(&wanted(target, client)))
    }

    fn from_rule(target: &Arc<Target>, rule: Option<&ViaRule>) -> Result<Self, UpstreamError> {
        let way = match rule.map(|rule| &rule.way) {
            None | Some(Way::Direct) => OriginWay::Direct,
            Some(Way::Refuse) => return Err(UpstreamError::NoWay),
            Some(Way::Parent(parent)) if target.scheme == Scheme::Http && parent.is_http() => {
                OriginWay::Ask { parent: Arc::clone(parent), is_shared: true }
            }
            Some(Way::Parent(parent)) => OriginWay::Tunnel(Arc::clone(parent)),
        };
        Ok(Self { target: Arc::clone(target), way, instead: None })
    }

    /// Reaches the origin at the addresses of another name. Who asks another proxy for the resource itself cannot say so.
    fn connecting_to(self, instead: Option<&'static str>) -> Self {
        let origin = if instead.is_some() { self.tunnelled() } else { self };
        Self { instead, ..origin }
    }

    /// The name whose addresses are connected to.
    pub(super) fn connected_name(&self) -> &str {
        self.instead.unwrap_or_else(|| self.target.plain_host())
    }

    /// What another proxy is asked to connect to.
    pub(super) fn connected_target(&self) -> Cow<'_, Target> {
        let named = |name: &str| Target::from_authority(self.scheme, &format!("{name}:{}", self.port)).ok();
        self.instead.and_then(named).map_or(Cow::Borrowed(&*self.target), Cow::Owned)
    }

    /// The proxy that it is reached through.
    pub(super) fn parent(&self) -> Option<&Arc<ParentProxy>> {
        match &self.way {
            OriginWay::Direct => None,
            OriginWay::Tunnel(parent) | OriginWay::Ask { parent, .. } => Some(parent),
        }
    }

    /// The proxy that is asked for the resource itself.
    pub(super) fn asked(&self) -> Option<&ParentProxy> {
        match &self.way {
            OriginWay::Ask { parent, .. } => Some(parent),
            _ => None,
        }
    }

    /// On connections that serve this origin alone.
    pub(super) fn alone(self) -> Self {
        match self.way {
            OriginWay::Ask { parent, .. } => Self { way: OriginWay::Ask { parent, is_shared: false }, ..self },
            _ => self,
        }
    }

    /// On a connection to the origin itself: what follows is not HTTP, or not alone.
    pub(super) fn tunnelled(self) -> Self {
        match self.way {
            OriginWay::Ask { parent, .. } => Self { way: OriginWay::Tunnel(parent), ..self },
            _ => self,
        }
    }

    /// What tells it from others.
    fn key(&self) -> (Option<&Target>, Option<&ParentProxy>, bool, Option<&str>) {
        match &self.way {
            OriginWay::Direct => (Some(&self.target), None, false, self.instead),
            OriginWay::Tunnel(parent) => (Some(&self.target), Some(parent), false, self.instead),
            OriginWay::Ask { parent, is_shared } => ((!is_shared).then_some(&self.target), Some(parent), true, None),
        }
    }
}

impl PartialEq for Origin {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Origin {}

impl Hash for Origin {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.key().hash(hasher);
    }
}

/// The connection that a client wants to this target.
fn wanted(target: &Target, client: IpAddr) -> WantedConnection<'_> {
    let is_encrypted = target.scheme == Scheme::Https;
    WantedConnection { host: target.plain_host(), port: target.port, is_encrypted, client }
}
