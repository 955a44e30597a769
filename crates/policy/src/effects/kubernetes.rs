//! What a call does in a Kubernetes cluster.

use super::word_list::has_word;
use countersign_patterns::command::CommandWords;

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

const KUBECTL: &str = "kubectl k kubecolor oc";
/// Other programs that act on a cluster.
const OTHERS: &str =
    "argocd eksctl flux helmfile istioctl k9s kubectx kubens kustomize linkerd skaffold stern tilt velero";
/// Subcommands of Helm that only read.
const HELM_READS: &str = "get history lint list ls search show status template version completion";
/// The options with a value.
const VALUE_OPTIONS: &str = "--as --cluster --context --container --field-selector --filename --kube-context --kubeconfig --namespace \
    --output --request-timeout --selector --server --since --tail --token --user -c -f -l -n -o -s";
/// What a command says about the local settings, or about the program itself.
const LOCAL_VERBS: &str = "completion explain help options plugin version";

/// The use that a command makes of a cluster.
pub(super) fn use_of_command(command: CommandWords<'_>) -> Option<KubernetesUse> {
    let program = command.program();
    let is_helm = program == "helm";
    if !is_helm && !has_word(KUBECTL, program) && !program.starts_with("kubectl-") {
        return has_word(OTHERS, program).then(KubernetesUse::default);
    }
    let mut found = KubernetesUse::default();
    let mut operands = Vec::new();
    let mut arguments = command.arguments();
    let mut every_namespace = false;
    let mut has_other_settings = false;
    while let Some(word) = arguments.next() {
        let Some(word) = word else {
            operands.push(None);
            continue;
        };
        let (option, attached) =
            word.split_once('=').map_or((word, None), |(option, value)| (option, Some(value)));
        if !word.starts_with('-') {
            operands.push(Some(word));
            continue;
        }
        let short = (!word.starts_with("--") && word.len() > 2 && word.starts_with("-n")).then(|| &word[2..]);
        let value = match (attached, short) {
            (Some(value), _) | (None, Some(value)) => Some(value),
            (None, None) if has_word(VALUE_OPTIONS, option) => arguments.next().flatten(),
            (None, None) => None,
        };
        match option {
            "--context" | "--kube-context" => found.context = value.map(str::to_owned),
            "--cluster" => found.context = found.context.or_else(|| value.map(str::to_owned)),
            "-A" | "--all-namespaces" => every_namespace = true,
            _ if option == "--namespace" || option.starts_with("-n") && !option.starts_with("--") => {
                found.namespace = value.map(str::to_owned);
            }
            // Another file of settings has other clusters by the same names.
            "--kubeconfig" | "--server" | "-s" => has_other_settings = true,
            _ => {}
        }
    }
    found.context = found.context.filter(|_| !has_other_settings);
    if every_namespace {
        found.namespace = None;
    }
    add_operands(found, operands.into_iter(), is_helm)
}

/// Adds the verb, and the object that it is about.
fn add_operands<'a>(
    mut found: KubernetesUse,
    mut operands: impl Iterator<Item = Option<&'a str>>,
    is_helm: bool,
) -> Option<KubernetesUse> {
    found.verb = match operands.next()? {
        Some(verb) if is_helm => Some(if has_word(HELM_READS, verb) { "get" } else { verb }.to_owned()),
        Some(verb) if has_word(LOCAL_VERBS, verb) => return None,
        verb => verb.map(str::to_owned),
    };
    let first = operands.next().flatten();
    let mut second = || operands.next().flatten().map(str::to_owned);
    if found.verb.as_deref() == Some("config") {
        return config_use(found, first, second());
    }
    (found.kind, found.name) = match first.and_then(|first| first.split_once('/')) {
        Some((kind, name)) => (Some(kind.to_owned()), Some(name.to_owned())),
        None => (first.map(str::to_owned), second()),
    };
    if matches!(found.kind.as_deref(), Some("ns" | "namespace" | "namespaces")) {
        found.namespace.clone_from(&found.name);
    }
    Some(found)
}

/// `kubectl config` changes which cluster later commands use.
fn config_use(found: KubernetesUse, action: Option<&str>, name: Option<String>) -> Option<KubernetesUse> {
    match action? {
        "current-context" | "get-clusters" | "get-contexts" | "get-users" | "view" => None,
        action => Some(KubernetesUse { verb: Some(action.to_owned()), context: name, ..found }),
    }
}

/// The use that a tool for clusters makes, by its own name and arguments.
pub(super) fn use_of_tool(
    tool: &str,
    argument: impl Fn(&str) -> Option<String>,
    says_it_changes: bool,
) -> Option<KubernetesUse> {
    let own = tool.rsplit("__").next().unwrap_or(tool).to_lowercase();
    let full = tool.to_lowercase();
    let is_cluster_tool = ["kube", "k8s", "helm", "cluster"].iter().any(|word| full.contains(word));
    let context = argument("context").or_else(|| argument("cluster")).or_else(|| argument("kubeContext"));
    let namespace = argument("namespace");
    if !is_cluster_tool && (context.is_none() || namespace.is_none()) {
        return None;
    }
    let words: Vec<_> = own.split(['_', '-', '.']).collect();
    let reads = ["get", "list", "describe", "logs", "log", "watch", "top"];
    let read =
        words.iter().find(|word| reads.contains(word) && !says_it_changes).map(|word| (*word).to_owned());
    let (kind, name) = (argument("kind").or_else(|| argument("resourceType")), argument("name"));
    Some(KubernetesUse { context, namespace, verb: read, kind, name })
}
