//! The use of a Kubernetes cluster.

/// A command to a cluster.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct KubernetesUse {
    /// The context of the cluster; `None` if the call does not name it.
    pub(crate) context: Option<String>,
    pub(crate) namespace: Option<String>,
    /// The verb, as `kubectl` has it; `None` if it is unknown.
    pub(crate) verb: Option<String>,
    pub(crate) kind: Option<String>,
    pub(crate) name: Option<String>,
}
