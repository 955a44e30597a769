//! The programs of clouds, and what they call their verbs.

/// A program whose operands are a service, a verb and a resource.
pub(super) struct CloudProgram {
    pub(super) programs: &'static str,
    pub(super) provider: &'static str,
    /// How many first operands name a service, whatever they are.
    pub(super) services: usize,
    /// Words before the verb. Another word is a verb, and if it is not known, it may do anything.
    pub(super) groups: &'static str,
    /// Verbs and services that concern this machine alone.
    pub(super) local: &'static str,
    /// Verbs of this program, besides those that most programs have.
    pub(super) reads: &'static str,
    pub(super) writes: &'static str,
    pub(super) deletes: &'static str,
    /// The verb if the command line has none.
    pub(super) alone: Option<&'static str>,
    pub(super) account: &'static str,
    pub(super) resource: &'static str,
    /// Options with a value, including those of accounts and resources.
    pub(super) values: &'static str,
    pub(super) flags: &'static str,
}

/// Verbs that only read.
pub(super) const READS: &str = "describe get head history list log logs lookup ls search show tail query scan validate versions view filter info status ps";
/// Verbs that create or change.
pub(super) const WRITES: &str = "add apply associate attach cancel clone copy create deploy enable execute import insert invoke mb modify move patch promote publish put \
    reboot register renew replace reset resize restart restore resume rollback rotate run scale send set start stop suspend sync tag transfer undelete untag \
    update upgrade upload write";
/// Verbs that delete, end, or take away.
pub(super) const DELETES: &str = "abandon delete deregister destroy detach disable disassociate drop empty purge rb release remove revoke rm schedule terminate unpublish \
    unset unlink wipe";

/// Words in the names of MCP servers, with their provider.
pub(super) const SERVER_WORDS: &[(&str, &str)] = &[
    ("aws", "aws"),
    ("awslabs", "aws"),
    ("cloudflare", "cloudflare"),
    ("wrangler", "cloudflare"),
    ("gcp", "gcloud"),
    ("gcloud", "gcloud"),
    ("azure", "azure"),
    ("digitalocean", "digitalocean"),
    ("heroku", "heroku"),
    ("vercel", "vercel"),
    ("netlify", "netlify"),
    ("supabase", "supabase"),
    ("fly", "fly"),
    ("terraform", "terraform"),
    ("pulumi", "pulumi"),
    ("railway", "railway"),
    ("render", "render"),
];

const NONE: CloudProgram = CloudProgram {
    programs: "",
    provider: "",
    services: 0,
    groups: "",
    local: "",
    reads: "",
    writes: "",
    deletes: "",
    alone: None,
    account: "",
    resource: "",
    values: "",
    flags: "",
};

pub(super) const CLOUD_PROGRAMS: &[CloudProgram] = &[
    CloudProgram {
        programs: "aws awslocal",
        provider: "aws",
        services: 1,
        groups: "",
        local: "configure help sso login logout history",
        reads: "wait help",
        account: "--profile",
        resource: "--bucket --instance-ids --instance-id --db-instance-identifier --db-cluster-identifier --function-name --stack-name --table-name --cluster --cluster-name \
            --user-name --role-name --secret-id --name --queue-url --topic-arn --key-id --resource-arn --log-group-name --volume-id --group-id --vpc-id --hosted-zone-id",
        values: "--profile --region --output --query --endpoint-url --bucket --key --instance-ids --instance-id --db-instance-identifier --db-cluster-identifier \
            --function-name --stack-name --table-name --cluster --cluster-name --user-name --role-name --secret-id --name --queue-url --topic-arn --key-id --resource-arn \
            --log-group-name --volume-id --group-id --vpc-id --hosted-zone-id --filters --exclude --include --acl --policy-arn --service --desired-count --body --value --cli-input-json --max-items",
        flags: "--debug --no-cli-pager --no-paginate --no-verify-ssl --recursive --force --dryrun --quiet --delete --dry-run --skip-final-snapshot",
        ..NONE
    },
    CloudProgram {
        programs: "gcloud",
        provider: "gcloud",
        groups: "alpha beta ai app apps artifacts backups billing bigtable buckets builds certificates cloudbuild cluster-instances clusters compute connectors \
            container data-catalog databases dataflow dataproc datastore deploy disks dns docker domains endpoints eventarc events firestore firewall-rules firewalls folders \
            forwarding-rules functions iam iap images instance-groups instance-templates instances jobs keyrings keys kms logging machine-types managed managed-zones memcache \
            monitoring networks node-pools objects operations organizations packages policies projects pubsub quotas record-sets redis regions repositories resource-manager \
            roles routers routes run scheduler secrets service-accounts services snapshots source spanner sql storage subnets subscriptions tasks topics triggers users versions \
            vpn-gateways workflows zones",
        local: "auth components config cheat-sheet feedback help init topic version",
        reads: "get-iam-policy read-file",
        writes: "add-iam-policy-binding set-iam-policy ssh scp connect submit call failover",
        deletes: "remove-iam-policy-binding",
        account: "--project",
        values: "--project --account --zone --region --configuration --format --filter --limit --impersonate-service-account --location --cluster --instance --service --member --role \
            --image --sort-by --organization --folder --billing-project --log-level --verbosity --source",
        flags: "--quiet -q --async --no-async --all --recursive -r",
        ..NONE
    },
    CloudProgram {
        programs: "gsutil",
        provider: "gcloud",
        reads: "cat du hash ls stat version acl-get",
        writes: "acl cors defacl iam label lifecycle mb notification rewrite setmeta web",
        deletes: "rb rm",
        local: "config help version test",
        values: "-h -o -p -c -l",
        flags: "-m -q -D -DD",
        ..NONE
    },
    CloudProgram {
        programs: "az",
        provider: "azure",
        groups: "acr ad afd aks apim app appconfig appservice backup batch blob cdn cognitiveservices containerapp container cosmosdb database databricks db deployment disk dns \
            eventgrid eventhubs extension-image file fileshare functionapp group identity image iot keyvault key lb lock logic managedapp mariadb message monitor mysql netappfiles \
            network nic nodepool nsg plan policy postgres private-dns private-endpoint public-ip queue rdbms record-set redis repository resource role rule secret security server \
            servicebus share signalr snapshot sp sql staticwebapp storage subnet synapse table tag user vault vm vmss vnet webapp zone account-key assignment definition flexible-server \
            storage-account storageaccount container-registry",
        local: "account bicep cache cloud config configure extension feedback find help interactive login logout self-test upgrade version",
        reads: "exists list-keys wait",
        writes: "assign deallocate invoke-action purge-deleted redeploy ssh up",
        account: "--subscription",
        resource: "--name -n --ids --vault-name --account-name",
        values: "--subscription --name -n --ids --resource-group -g --output -o --query --location -l --vault-name --account-name --container-name -c --server -s --admin-user \
            --image --size --sku --tags --scope --role --assignee --file -f",
        flags: "--yes -y --no-wait --verbose --debug --only-show-errors",
        ..NONE
    },
    CloudProgram {
        programs: "terraform tofu terragrunt",
        provider: "terraform",
        groups: "state workspace run-all",
        local: "console fmt get graph help init login logout metadata modules providers test validate version",
        reads: "list output plan pull select show",
        writes: "apply force-unlock import mv new push refresh replace-provider taint untaint",
        deletes: "destroy delete rm",
        resource: "-target",
        values: "",
        flags: "-auto-approve -no-color -json -upgrade -destroy -lock",
        ..NONE
    },
    CloudProgram {
        programs: "pulumi",
        provider: "pulumi",
        groups: "stack state config",
        local: "about convert gen-completion help install login logout new package plugin policy schema version whoami",
        reads: "get graph history logs ls output preview select stack-output console",
        writes: "cancel import init refresh rename set up update watch",
        deletes: "destroy rm rm-all delete",
        account: "-s --stack",
        values: "-s --stack -C --cwd --color -m --message -t --target -c --config",
        flags: "-y --yes --non-interactive --skip-preview --json",
        ..NONE
    },
    CloudProgram {
        programs: "doctl",
        provider: "digitalocean",
        groups: "1-click account apps balance billing-history cdn certificate compute container-registry database databases db droplet droplet-action domain firewall floating-ip image \
            image-action kubernetes cluster load-balancer monitoring node-pool plugin projects records region registry reserved-ip serverless snapshot spaces ssh-key tag uptime user users \
            volume volume-action vpcs",
        local: "auth completion help version",
        account: "--context",
        values: "--context -t --access-token -o --output --region --size --image --format --tag-name -c --config",
        flags: "-f --force --no-header -v --verbose --wait",
        ..NONE
    },
    CloudProgram {
        programs: "fly flyctl",
        provider: "fly",
        groups: "app apps certs checks consul extensions ext image ips litefs-cloud machine machines mpg mysql orgs pg postgres redis regions registry secrets services storage tigris tokens \
            volume volumes vm wireguard",
        local: "auth completion doctor docs help settings version agent",
        reads: "dashboard open platform releases config-show snapshots",
        writes: "allocate-v4 allocate-v6 cordon console detach-wait exec extend fork kill launch proxy sftp ssh uncordon failover",
        account: "-a --app",
        values: "-a --app -o --org -r --region -c --config -t --access-token --image -i --vm-size",
        flags: "-y --yes --json -j --verbose --remote-only --local-only --detach",
        ..NONE
    },
    CloudProgram {
        programs: "heroku",
        provider: "heroku",
        groups: "pg-backups",
        local: "auth autocomplete commands help login logout plugins version whoami",
        reads: "apps addons config domains releases buildpacks features labs keys members pipelines regions spaces teams certs ps wait",
        writes: "promote scale fork join leave maintenance on off psql rename resize exec kill push pull upgrade rollback",
        account: "-a --app",
        values: "-a --app -r --remote -t --team -n --num -s --stack --confirm",
        flags: "--json --force -f",
        ..NONE
    },
    CloudProgram {
        programs: "vercel vc now",
        provider: "vercel",
        groups: "alias blob cache certs dns domains edge-config env project projects secret secrets target targets team teams webhooks",
        local: "bisect build dev git help init link login logout pull switch telemetry whoami",
        reads: "inspect list",
        writes: "alias buy issue promote redeploy rollback",
        alone: Some("deploy"),
        account: "-S --scope -T --team",
        values: "-S --scope -T --team -t --token -e --env -b --build-env -A --local-config -Q --global-config --cwd -m --meta",
        flags: "--prod --yes -y --force -f --debug -d --prebuilt",
        ..NONE
    },
    CloudProgram {
        programs: "wrangler",
        provider: "cloudflare",
        groups: "ai bucket bulk cert containers d1 deployments dispatch-namespace hyperdrive key kv kv:bulk kv:key kv:namespace lifecycle mtls-certificate namespace object pages deployment \
            pipelines project queues r2 route secret secrets-store consumer tail-worker triggers vectorize versions workflows domain migrations worker",
        local: "dev docs help init login logout types version whoami telemetry check complete",
        reads: "info export tail",
        account: "--account-id",
        resource: "--name --binding --bucket --project-name --namespace-id",
        values: "--account-id --name -n --binding --bucket --project-name --namespace-id -c --config -e --env --command --file --branch",
        flags: "--remote --local -y --yes --force --json",
        ..NONE
    },
    CloudProgram {
        programs: "netlify ntl",
        provider: "netlify",
        groups: "api-call blob blobs database db env functions sites teams",
        local: "build completion dev help init link login logout open recipes serve switch unlink watch status",
        reads: "env-list",
        account: "-s --site",
        values: "-s --site -a --auth --alias -d --dir -f --functions --filter -m --message",
        flags: "-p --prod --prod-if-unlocked --json --build --force",
        ..NONE
    },
    CloudProgram {
        programs: "firebase",
        provider: "firebase",
        groups: "",
        local: "emulators:start emulators:exec emulators help login logout init use serve",
        account: "-P --project",
        values: "-P --project --only --except --token -m --message --config --account",
        flags: "--force -f --debug --json --non-interactive",
        ..NONE
    },
    CloudProgram {
        programs: "supabase",
        provider: "supabase",
        groups: "branches db domains encryption functions inspect migration network-bans network-restrictions orgs postgres-config projects secrets snippets ssl-enforcement storage vanity-subdomains",
        local: "bootstrap completion gen help init link login services start status stop test unlink",
        reads: "diff dump lint",
        writes: "new pull push repair squash up",
        account: "--project-ref",
        values: "--project-ref --workdir --profile -p --password -s --schema --db-url -o --output",
        flags: "--debug --linked --local --yes",
        ..NONE
    },
    CloudProgram {
        programs: "railway",
        provider: "railway",
        groups: "environment variables variable service domain volume",
        local: "completion docs help init link login logout open shell unlink whoami",
        writes: "connect down redeploy ssh up",
        account: "-p --project",
        values: "-p --project -e --environment -s --service",
        flags: "-d --detach --ci -y --yes --json",
        ..NONE
    },
    CloudProgram {
        programs: "cdk sam serverless sls copilot eb",
        provider: "aws",
        groups: "app env svc job pipeline local",
        local: "acknowledge build docs doctor help init local notices package synth synthesize synthesise",
        reads: "diff events health",
        writes: "bootstrap gc migrate terminate-protection",
        account: "--profile",
        values: "--profile -c --context -a --app -o --output --region --stack-name -s --stage -e --env -n --name --require-approval",
        flags: "--all -f --force -v --verbose --yes",
        ..NONE
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn each_verb_has_one_change() {
        let all = std::iter::once([READS, WRITES, DELETES]);
        let own = CLOUD_PROGRAMS.iter().map(|program| [program.reads, program.writes, program.deletes]);
        for lists in all.chain(own) {
            let mut seen = HashSet::new();
            for verb in lists.iter().flat_map(|list| list.split_ascii_whitespace().collect::<HashSet<_>>()) {
                assert!(seen.insert(verb), "{verb} is in two lists of {lists:?}");
            }
        }
    }

    #[test]
    fn no_read_of_a_program_changes_elsewhere() {
        for program in CLOUD_PROGRAMS {
            for verb in program.reads.split_ascii_whitespace() {
                let is_known = |list: &str| list.split_ascii_whitespace().any(|known| known == verb);
                assert!(!is_known(WRITES) && !is_known(DELETES), "{}: {verb}", program.programs);
            }
        }
    }
}
