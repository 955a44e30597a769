//! Programs other than `kubectl` and Helm that act on Kubernetes clusters.

use super::{cluster_use::KubernetesUse, word_list::has_word};
use countersign_patterns::command::CommandWords;

/// Programs that act on a cluster.
const PROGRAMS: &str = "argo argocd cilium cmctl devspace eksctl flux garden helmfile istioctl jx k0s k3d k3s k9s kapp kind kn kubeadm \
    kubectx kubelet kubens kubetail linkerd microk8s minikube okteto rancher rke rke2 skaffold stern telepresence tilt tkn \
    velero virtctl werf";
/// What they only read with, do on this machine alone, or start as a cluster of their own.
const READS: &str = "annotations build check completion config-view describe diff docs events explain get help history info inspect ip lint \
    list ls logs manifests render search show status stats template top tree validate version view viz";
/// A new cluster on this machine is none that a policy names.
const OWN_CLUSTERS: &[(&str, &str)] = &[
    ("kind", "build create get load version"),
    ("k3d", "create get image list start version"),
    (
        "minikube",
        "addons-list cache config docker-env image ip logs mount node-list profile-list service ssh-key start status version",
    ),
];
/// What precedes the verb.
const NOUNS: &str = "account addons app appset backup broker cert cluster context image kustomization namespace node pipeline pipelinerun \
    plugin profile proj project registry release repo restore revision route schedule service source task taskrun trigger";
/// Programs that only print logs.
const LOG_READERS: &str = "kubetail stern";
/// Programs of clouds, and the words after which they change clusters or the settings of `kubectl`.
const CLOUDS: &[(&str, &str)] = &[
    ("aws", "eks"),
    ("az", "aks"),
    ("civo", "kubernetes"),
    ("doctl", "kubernetes"),
    ("gcloud", "clusters"),
    ("linode-cli", "lke"),
    ("oci", "ce"),
    ("scw", "k8s"),
];
/// The options that name a cluster's context, whatever the program.
const CONTEXT_OPTIONS: &str = "--context --kube-context --kubeconfig-context --kubecontext";
/// Programs in which `--context` means something else.
const OTHER_CONTEXTS: &str = "ack ag buildah cmp delta diff docker docker-compose egrep fgrep git grep nerdctl patch podman rg sdiff ugrep xh";
/// Programs that send any request.
const REQUEST_PROGRAMS: &str = "curl wget http https xh httpie";

/// The use that a command makes of a cluster.
pub(super) fn use_of_command(command: CommandWords<'_>) -> Option<KubernetesUse> {
    let program = command.program();
    let arguments: Vec<Option<&str>> = command.arguments().collect();
    let operands: Vec<&str> =
        arguments.iter().flatten().copied().filter(|word| !word.starts_with('-')).collect();
    let context = context_of(&arguments);
    let of_verb = |verb: Option<&str>| {
        Some(KubernetesUse {
            context: context.clone(),
            verb: verb.map(str::to_owned),
            ..KubernetesUse::default()
        })
    };
    if has_word(LOG_READERS, program) {
        return of_verb(Some("logs"));
    }
    if has_word(PROGRAMS, program) {
        let is_shown = arguments.first().is_none_or(|word| word.is_some_and(|word| !word.starts_with('-')));
        let asks_help = !arguments.is_empty()
            && arguments.iter().flatten().all(|word| has_word("--help -h --version", word));
        let reads = asks_help || is_shown && reads(program, &operands);
        return if reads { None } else { of_verb(None) };
    }
    if let Some((_, part)) = CLOUDS.iter().find(|(name, _)| *name == program) {
        let reads = operands.iter().any(|word| {
            ["list", "describe", "get", "show", "ls"].contains(word)
                || word.starts_with("list-")
                || word.starts_with("describe-")
        });
        return if operands.contains(part) && !reads { of_verb(None) } else { None };
    }
    if has_word("docker podman nerdctl", program) {
        let is_image = |word: &&str| {
            let name = word.rsplit('/').next().unwrap_or(word).split([':', '@']).next().unwrap_or_default();
            ["kubectl", "helm", "k9s", "argocd"].contains(&name)
        };
        let runs = operands.contains(&"run") && operands.iter().any(is_image);
        return if runs { of_verb(None) } else { None };
    }
    if has_word(REQUEST_PROGRAMS, program) {
        let is_interface =
            |text: &str| text.contains("/api/v1/namespaces/") || text.contains("://kubernetes.default");
        let changes = arguments.iter().any(|word| {
            word.is_none_or(|word| {
                word.starts_with("-X")
                    || word.starts_with("--request")
                    || word.starts_with("-d")
                    || word.starts_with("--data")
                    || ["POST", "PUT", "PATCH", "DELETE", "-T"].contains(&word)
            })
        });
        let verb = if changes { None } else { Some("get") };
        return if command.texts().any(is_interface) { of_verb(verb) } else { None };
    }
    let is_meant = context.is_some() && !has_word(OTHER_CONTEXTS, program);
    if is_meant { of_verb(None) } else { None }
}

fn reads(program: &str, operands: &[&str]) -> bool {
    let own = OWN_CLUSTERS.iter().find(|(name, _)| *name == program).map_or("", |(_, own)| *own);
    let is_harmless = |word: &str| has_word(READS, word) || has_word(own, word);
    match operands {
        [first, ..] if is_harmless(first) => true,
        [first, second, ..] => {
            has_word(NOUNS, first) && is_harmless(second) || has_word(own, &format!("{first}-{second}"))
        }
        _ => false,
    }
}

/// The context that an option names.
fn context_of(arguments: &[Option<&str>]) -> Option<String> {
    let found = arguments.iter().enumerate().find_map(|(at, word)| {
        let word = (*word)?;
        let (option, attached) =
            word.split_once('=').map_or((word, None), |(option, value)| (option, Some(value)));
        let value = has_word(CONTEXT_OPTIONS, option)
            .then(|| attached.or_else(|| arguments.get(at + 1).copied().flatten()))?;
        value.filter(|value| value.contains(char::is_alphabetic))
    });
    found.map(str::to_owned)
}
