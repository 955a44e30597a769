//! What a call does in a Kubernetes cluster.

use super::{cluster_programs, cluster_use::KubernetesUse, tool_name::ToolNameWords, word_list::has_word};
use countersign_patterns::command::CommandWords;

const KUBECTL: &str = "kubectl k kubecolor oc";
/// Programs with a `kubectl` of their own.
const WRAPPERS: &str = "k0s k3s microk8s minikube rke2";
/// Subcommands of Helm that only read, and those that use no cluster.
const HELM_READS: &str = "diff get history ls list status";
const HELM_LOCAL: &str = "completion create dependency dep env fetch help lint package pull push registry repo search show inspect \
    template verify version";
/// The options with a value.
const VALUE_OPTIONS: &str = "--as --as-group --as-uid --cache-dir --certificate-authority --client-certificate --client-key --cluster \
    --container --context --field-selector --filename --kube-apiserver --kube-as-user --kube-ca-file --kube-context --kube-token \
    --kubeconfig --kuberc --log-dir --log-file --namespace --output --password --profile-output --request-timeout --selector --server \
    --since --tail --tls-server-name --token --user --username --v --vmodule -c -f -l -n -o -s -v";
/// The options without one that may precede the verb, or the kind.
const FLAGS: &str = "--all --all-namespaces --debug --disable-compression --dry-run --follow --force --help --ignore-not-found \
    --insecure-skip-tls-verify --kube-insecure-skip-tls-verify --match-server-version --no-headers --now --previous --recursive \
    --show-labels --stdin --tty --wait --warnings-as-errors --watch -- -A -R -h -i -it -ti -p -t -w";
/// What a command says about the local settings, or about the program itself.
const LOCAL_VERBS: &str = "completion explain help options plugin version";
/// The most objects of one command.
const MAX_OBJECTS: usize = 32;

/// The options and operands of a command to a cluster.
#[derive(Default)]
struct ClusterCommand<'a> {
    context: Option<&'a str>,
    cluster: Option<&'a str>,
    namespace: Option<&'a str>,
    every_namespace: bool,
    /// Whether a file of settings or an address says which cluster a name means.
    has_other_settings: bool,
    /// How it is only tried, if it is.
    dry_run: Option<&'a str>,
    /// The operands, up to the first that may also be an option's value.
    operands: Vec<Option<&'a str>>,
    /// Whether further operands may follow that are not read.
    is_open: bool,
}

/// The uses that a command makes of clusters.
pub(super) fn uses_of_command(command: CommandWords<'_>) -> Vec<KubernetesUse> {
    let program = command.program();
    let mut arguments: Vec<Option<&str>> = command.arguments().collect();
    let changes_settings = |text: &str| text.starts_with("KUBECONFIG=");
    if has_word("export declare env setx", program) && command.texts().any(changes_settings) {
        return vec![KubernetesUse::default()];
    }
    let is_plugin = program.starts_with("kubectl-");
    let is_helm = has_word("helm helm2 helm3", program);
    let own = arguments.iter().position(|word| word.is_some_and(|word| has_word("kubectl helm", word)));
    if let Some(at) = own.filter(|_| has_word(WRAPPERS, program)) {
        arguments.drain(..=at);
    } else if !is_helm && !is_plugin && !has_word(KUBECTL, program) {
        return cluster_programs::use_of_command(command).into_iter().collect();
    }
    let mut read = ClusterCommand::read(&arguments);
    read.has_other_settings |= command.assignments().any(|(name, _)| name == "KUBECONFIG");
    let mut found = read.uses(is_helm, is_plugin);
    if read.has_other_settings {
        let other = found.iter().filter(|used| used.context.is_some()).cloned().collect::<Vec<_>>();
        found.extend(other.into_iter().map(|used| KubernetesUse { context: None, ..used }));
    }
    found
}

impl<'a> ClusterCommand<'a> {
    fn read(arguments: &[Option<&'a str>]) -> Self {
        let mut found = Self::default();
        let mut arguments = arguments.iter().peekable();
        while let Some(word) = arguments.next() {
            let Some(word) = *word else {
                found.operands.push(None);
                continue;
            };
            if !word.starts_with('-') {
                found.operands.push(Some(word));
                continue;
            }
            let (option, attached) =
                word.split_once('=').map_or((word, None), |(option, value)| (option, Some(value)));
            let short = word.strip_prefix("-n").filter(|rest| !rest.is_empty() && attached.is_none());
            let value = match attached.or(short) {
                Some(value) => Some(value),
                None if has_word(VALUE_OPTIONS, option) => arguments.next().copied().flatten(),
                // It may have a value that looks like an operand.
                None if !has_word(FLAGS, option)
                    && arguments
                        .peek()
                        .is_some_and(|next| next.is_none_or(|next| !next.starts_with('-'))) =>
                {
                    found.is_open |= found.operands.len() < 2;
                    None
                }
                None => None,
            };
            found.add_option(option, value);
            if found.is_open {
                found.read_options(arguments.copied());
                break;
            }
        }
        found
    }

    /// Reads the options alone of the words that are left.
    fn read_options(&mut self, words: impl Iterator<Item = Option<&'a str>>) {
        let words: Vec<_> = words.collect();
        for (at, word) in words.iter().enumerate() {
            let Some(word) = word.filter(|word| word.starts_with("--")) else { continue };
            let (option, value) = match word.split_once('=') {
                Some((option, value)) => (option, Some(value)),
                None => (word, words.get(at + 1).copied().flatten()),
            };
            self.add_option(option, value);
        }
    }

    fn add_option(&mut self, option: &str, value: Option<&'a str>) {
        match option {
            "--context" | "--kube-context" => self.context = value,
            "--cluster" => self.cluster = value,
            "-A" | "--all-namespaces" => self.every_namespace = true,
            _ if option == "--namespace" || option.starts_with("-n") && !option.starts_with("--") => {
                self.namespace = value;
            }
            "--dry-run" => {
                self.dry_run = value.or(Some("client")).filter(|way| !matches!(*way, "none" | "false"));
            }
            // Another file of settings has other clusters by the same names.
            "--kubeconfig" | "--server" | "-s" | "--kube-apiserver" => self.has_other_settings = true,
            _ => {}
        }
    }

    fn uses(&self, is_helm: bool, is_plugin: bool) -> Vec<KubernetesUse> {
        let given = [self.context, self.cluster].into_iter().flatten();
        // The context of a cloud may be an address that ends with the name.
        let ends = given.clone().filter_map(|name| name.rsplit_once('/')).map(|(_, end)| end);
        let names = given.chain(ends);
        let contexts: Vec<_> = names.map(|name| Some(name.to_owned())).collect();
        let contexts = if contexts.is_empty() { vec![None] } else { contexts };
        let namespace = self.namespace.filter(|_| !self.every_namespace).map(str::to_owned);
        let Some(first) = self.operands.first().copied() else {
            let is_used = is_plugin || self.is_open;
            let of_context =
                |context| KubernetesUse { context, namespace: namespace.clone(), ..KubernetesUse::default() };
            return contexts.into_iter().filter(|_| is_used).map(of_context).collect();
        };
        let verb = match first {
            Some(verb) if is_helm && has_word(HELM_READS, verb) => Some("get"),
            Some(verb) if is_helm && has_word(HELM_LOCAL, verb) || has_word(LOCAL_VERBS, verb) => {
                return Vec::new();
            }
            Some(_) if self.dry_run.is_some() => Some("get"),
            verb => verb.filter(|_| !is_plugin),
        };
        let base = KubernetesUse { namespace, verb: verb.map(str::to_owned), ..KubernetesUse::default() };
        if verb == Some("config") {
            return config_uses(&base, &self.operands[1..]);
        }
        let objects = self.objects();
        let uses = contexts.iter().flat_map(|context| {
            objects.iter().map(|(kind, name)| {
                let names_namespace = matches!(kind.as_deref(), Some("ns" | "namespace" | "namespaces"));
                let namespace = if names_namespace { name.clone() } else { base.namespace.clone() };
                KubernetesUse {
                    context: context.clone(),
                    namespace,
                    kind: kind.clone(),
                    name: name.clone(),
                    ..base.clone()
                }
            })
        });
        uses.collect()
    }

    /// The kinds and names of the objects. Several kinds stand in one word with commas.
    fn objects(&self) -> Vec<(Option<String>, Option<String>)> {
        let operands = &self.operands[1..];
        if self.is_open || operands.contains(&None) || operands.len() > MAX_OBJECTS || operands.is_empty() {
            let kind = operands.first().copied().flatten().filter(|_| !self.is_open);
            let (kind, name) = kind.map_or((None, None), |kind| {
                kind.split_once('/').map_or((Some(kind), None), |(kind, name)| (Some(kind), Some(name)))
            });
            let name = name.filter(|_| operands.len() == 1).map(str::to_owned);
            return vec![(kind.map(plain_kind), name)];
        }
        let words: Vec<_> = operands.iter().flatten().copied().collect();
        if words[0].contains('/') {
            let pairs = words.iter().filter_map(|word| word.split_once('/'));
            return pairs.map(|(kind, name)| (Some(plain_kind(kind)), Some(name.to_owned()))).collect();
        }
        let names: Vec<_> = words[1..].iter().map(|name| Some((*name).to_owned())).collect();
        let names = if names.is_empty() { vec![None] } else { names };
        let kinds = words[0].split(',').map(plain_kind);
        kinds.flat_map(|kind| names.iter().map(move |name| (Some(kind.clone()), name.clone()))).collect()
    }
}

/// The kind without its interface group, in lower case.
fn plain_kind(kind: &str) -> String {
    kind.split('.').next().unwrap_or(kind).to_lowercase()
}

/// `kubectl config` changes which cluster later commands use, or what a name means.
fn config_uses(base: &KubernetesUse, operands: &[Option<&str>]) -> Vec<KubernetesUse> {
    let of_context = |context: Option<&str>| {
        let verb = operands.first().copied().flatten().map(str::to_owned);
        KubernetesUse { verb, context: context.map(str::to_owned), ..base.clone() }
    };
    match operands.first().copied() {
        None | Some(Some("current-context" | "get-clusters" | "get-contexts" | "get-users" | "view")) => {
            Vec::new()
        }
        Some(Some("use-context" | "use")) => vec![of_context(operands.get(1).copied().flatten())],
        _ => operands.iter().skip(1).copied().chain([None]).map(of_context).collect(),
    }
}

/// The use that a tool for clusters makes, by its own name and arguments.
pub(super) fn use_of_tool(
    tool: &str,
    name_words: &ToolNameWords,
    argument: impl Fn(&str) -> Option<String>,
    says_it_changes: bool,
) -> Option<KubernetesUse> {
    let full = tool.to_lowercase();
    let is_named = |word: &String| {
        has_word("aks argo argocd eks flux fluxcd gke istio knative openshift rancher tekton", word)
    };
    let is_image = |image: String| ["kubectl", "helm", "k9s"].iter().any(|part| image.contains(part));
    let is_cluster_tool = ["kube", "k8s", "helm", "cluster"].iter().any(|word| full.contains(word))
        || name_words.server.iter().chain(&name_words.own).any(is_named)
        || argument("image").is_some_and(is_image);
    let context = argument("context").or_else(|| argument("cluster")).or_else(|| argument("kubeContext"));
    let namespace = argument("namespace");
    if !is_cluster_tool && (context.is_none() || namespace.is_none()) {
        return None;
    }
    let changes =
        "delete apply create update patch scale exec restart drain rollback install uninstall sync run set";
    let words: Vec<_> = name_words.own.iter().map(String::as_str).collect();
    let is_change = says_it_changes || words.iter().any(|word| has_word(changes, word));
    let reads = ["get", "list", "describe", "logs", "log", "watch", "top"];
    let read = words.iter().find(|word| reads.contains(word) && !is_change).map(|word| (*word).to_owned());
    let (kind, name) = (argument("kind").or_else(|| argument("resourceType")), argument("name"));
    Some(KubernetesUse { context, namespace, verb: read, kind, name })
}
