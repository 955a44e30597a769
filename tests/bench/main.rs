//! quick
use countersign_approvals::decide::*;
use countersign_approvals::event::*;
use countersign_approvals::*;
use countersign_store::*;
use std::sync::Arc;
use std::time::Instant;

fn main() {
    let rt = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    rt.block_on(async {
        let dir = tempfile::tempdir_in(std::env::var("BENCH_DIR").unwrap_or("/tmp".into())).unwrap();
        let store = Store::open(dir.path().join("b.db"), Options::default()).await.unwrap();
        let policy = Arc::new(Policy::ask_always());
        let n: u64 = std::env::var("N").map_or(300, |n| n.parse().unwrap());
        let start = Instant::now();
        let mut tasks = vec![];
        for w in 0..64 {
            let (store, policy) = (store.clone(), policy.clone());
            tasks.push(tokio::spawn(async move {
                let thread = ThreadId::new(&format!("thread-{w}")).unwrap();
                for i in 0..n {
                    let id = CallId::new(&format!("call_{i}")).unwrap();
                    let order = |wish: Command, by: Principal| Order {
                        thread_id: thread.clone(),
                        wish: Wish::Call(id.clone(), wish),
                        by,
                        now: store.clock().now(),
                        policy: policy.clone(),
                    };
                    let args = Arguments::new(
                        Json::parse("{\"command\":\"git status --short\",\"cwd\":\"/home/ada/project\"}")
                            .unwrap(),
                    )
                    .unwrap();
                    let hash = args.hash();
                    store
                        .carry_out(order(
                            Command::Propose(Propose {
                                id: id.clone(),
                                name: ToolName::new("bash").unwrap(),
                                arguments: args,
                                annotations: None,
                                impact: None,
                                description: None,
                                expires_in: None,
                            }),
                            Principal::agent("bot"),
                        ))
                        .await
                        .unwrap();
                    store
                        .carry_out(order(
                            Command::Respond(Respond { decision: Decision::AllowOnce, comment: None }),
                            Principal::user("ada"),
                        ))
                        .await
                        .unwrap();
                    store
                        .carry_out(order(
                            Command::Claim(Claim { executor: "w".into(), arguments_hash: hash, lease: None }),
                            Principal::agent("bot"),
                        ))
                        .await
                        .unwrap();
                    store
                        .carry_out(order(
                            Command::Finish(Finish {
                                status: Status::Success,
                                content: Json::string("ok"),
                                executor: None,
                            }),
                            Principal::agent("bot"),
                        ))
                        .await
                        .unwrap();
                }
            }));
        }
        for t in tasks {
            t.await.unwrap();
        }
        let s = start.elapsed().as_secs_f64();
        println!("{} cycles/s", (64 * n) as f64 / s);
        if std::env::var("N").is_ok() { return; }
        let r = store.verify(|_| {}).await.unwrap();
        println!("{r:?}");
    });
}
