//! Tokens: who may create them, what they may be, and when they end.

use super::*;
use crate::{
    access::{PageKey, TokenDirectory, TokenRejection, TokenSecret},
    admissibility::AdmissibilityCheck,
    registry::{LONGEST_LINK, MAX_ADDRESSES},
};
use countersign_events::{Event, ProviderAccount, Role, TokenCreated, TokenKind, TokenRevoked, TokenUsed};

fn secret(number: u8) -> TokenSecret {
    TokenSecret::from_random(&[number; TokenSecret::RANDOM_BYTES])
}

/// The cookie with this number, and the key of its pages.
fn session_secret(number: u8) -> TokenSecret {
    secret(number).bound_to(&page_key(number))
}

fn page_key(number: u8) -> PageKey {
    PageKey::from_random(&[number; PageKey::RANDOM_BYTES])
}

fn token(number: u8, role: Role) -> TokenCreated {
    let secret = secret(number);
    TokenCreated {
        id: secret.id().to_owned(),
        kind: TokenKind::Token,
        name: "ada".to_owned(),
        role,
        level: None,
        groups: Vec::new(),
        threads: Vec::new(),
        hash: secret.hash(),
        expires_at: None,
        ends_at: None,
        parent: None,
        account: None,
        sign_in: None,
        web_origin: None,
    }
}

fn session(story: &DecisionStory, number: u8, parent: &TokenCreated) -> TokenCreated {
    let secret = session_secret(number);
    TokenCreated {
        id: secret.id().to_owned(),
        hash: secret.hash(),
        kind: TokenKind::Session,
        expires_at: Some(story.now.after(Duration::from_mins(1))),
        ends_at: Some(story.now.after(Duration::from_mins(10))),
        parent: Some(parent.id.clone()),
        ..parent.clone()
    }
}

fn link(story: &DecisionStory, number: u8) -> TokenCreated {
    let expires_at = Some(story.now.after(LONGEST_LINK));
    TokenCreated { kind: TokenKind::Link, expires_at, ..token(number, Role::Approver) }
}

impl DecisionStory {
    fn tokens(&mut self, command: LogCommand) -> Result<Vec<String>, Refused> {
        self.execute(CommandTarget::Log, ApprovalCommand::Log(command))
    }

    fn creates(&mut self, token: &TokenCreated) -> Result<Vec<String>, Refused> {
        self.tokens(LogCommand::Record(vec![Body::TokenCreated(token.clone())]))
    }

    fn revokes(&mut self, token: &TokenCreated) -> Result<Vec<String>, Refused> {
        self.tokens(LogCommand::Record(vec![Body::TokenRevoked(TokenRevoked {
            id: token.id.clone(),
            reason: None,
        })]))
    }

    fn directory(&self) -> TokenDirectory {
        let mut directory = TokenDirectory::default();
        for event in &self.log {
            directory.evolve(event, &Body::read(event.seq, event.kind, &event.data).expect("reads"));
        }
        directory
    }

    fn authenticates(&self, number: u8, kind: TokenKind) -> Result<String, TokenRejection> {
        let directory = self.directory();
        let secret = if kind == TokenKind::Session { session_secret(number) } else { secret(number) };
        let found = directory.authenticate(&secret, kind, self.now)?;
        Ok(found.created.id.clone())
    }

    fn token_findings(&self) -> Vec<String> {
        check_log(self.log.iter().cloned())
    }
}

fn check_log(log: impl Iterator<Item = Event>) -> Vec<String> {
    let mut check = AdmissibilityCheck::default();
    let mut findings: Vec<_> = log.flat_map(|event| check.check(event)).collect();
    findings.extend(check.finish());
    findings.into_iter().map(|finding| format!("{}: {}", finding.seq, finding.reason)).collect()
}

#[test]
fn agent_cannot_create_or_revoke_tokens() {
    let mut story = given("");
    let own = token(1, Role::Agent);
    assert!(matches!(story.agent().creates(&own), Err(Refused::NotAnApprover(_))));
    story.person("root").creates(&own).expect("a person creates it");
    let other = TokenCreated { name: "other".to_owned(), ..token(2, Role::Approver) };
    story.creates(&other).expect("a person creates it");
    assert!(matches!(story.agent().revokes(&other), Err(Refused::NotAnApprover(_))));
}

#[test]
fn service_creates_only_the_first_tokens() {
    let mut story = given("");
    story.set_by(Principal::system("first-start"));
    let both = vec![token(1, Role::Agent), link(&story, 2)];
    assert_eq!(story.tokens(LogCommand::CreateFirstTokens(both)).expect("the log has none").len(), 2);
    let late = LogCommand::CreateFirstTokens(vec![token(3, Role::Admin)]);
    assert_eq!(story.tokens(late).expect("the log has some"), Vec::<String>::new());
    assert!(matches!(story.creates(&token(3, Role::Admin)), Err(Refused::NotAnApprover(_))));
    assert_eq!(story.token_findings(), Vec::<String>::new());
}

/// The time of a row is what its writer says, so it does not make a row a part of the first command.
#[test]
fn backdated_token_of_the_service_is_named() {
    let mut story = given("");
    story.set_by(Principal::system("first-start"));
    let first = vec![token(1, Role::Agent), link(&story, 2)];
    story.tokens(LogCommand::CreateFirstTokens(first)).expect("the log has none");
    story.now = story.now.after(Duration::from_secs(1));
    story.person("root").revokes(&token(1, Role::Agent)).expect("revoked");
    let forged = Event {
        seq: 4,
        data: Body::TokenCreated(token(3, Role::Admin)).data().expect("serialises"),
        ..story.log[1].clone()
    };
    let found = check_log(story.log.iter().cloned().chain([forged]));
    assert_eq!(found, ["4: system:first-start is not a person, and only people decide"]);
}

#[test]
fn token_that_breaks_a_rule_is_refused() {
    let mut story = given("");
    story.person("root");
    let field = |refused: Refused| match refused {
        Refused::Invalid { field, .. } => field.to_owned(),
        other => other.code().to_owned(),
    };
    let agent = || token(1, Role::Agent);
    let ends = Some(story.now);
    let bad = [
        ("name", TokenCreated { name: "ada (solo)".to_owned(), ..agent() }),
        ("name", TokenCreated { name: "b\u{43e}b".to_owned(), ..agent() }),
        ("threads", TokenCreated { threads: vec!["ci/*".to_owned()], ..token(1, Role::Admin) }),
        ("threads", TokenCreated { threads: vec!["[".to_owned()], ..agent() }),
        ("level", TokenCreated { level: Some("admin".to_owned()), ..agent() }),
        ("level", TokenCreated { groups: vec!["ops".to_owned()], ..token(1, Role::Auditor) }),
        ("role", TokenCreated { role: Role::Other, ..agent() }),
        ("role", TokenCreated { kind: TokenKind::Link, ..agent() }),
        ("expiresAt", TokenCreated { expires_at: ends, ..agent() }),
        ("expiresAt", TokenCreated { expires_at: None, ..link(&story, 1) }),
        ("parent", TokenCreated { parent: Some("x".to_owned()), ..agent() }),
        ("kind", TokenCreated { kind: TokenKind::Session, ..token(1, Role::Approver) }),
    ];
    for (expected, token) in bad {
        assert_eq!(story.creates(&token).map_err(field), Err(expected.to_owned()), "{token:?}");
    }
    assert!(story.log.is_empty());
}

#[test]
fn revocation_ends_everything_made_from_it() {
    let mut story = given("");
    let origin = token(1, Role::Approver);
    story.person("root").creates(&origin).expect("created");
    let first = session(&story, 2, &origin);
    let second = TokenCreated { parent: Some(first.id.clone()), ..session(&story, 3, &first) };
    story.set_by(Principal::system("sign-in"));
    story.creates(&first).expect("signs in");
    story.creates(&second).expect("continues");
    assert!(story.authenticates(3, TokenKind::Session).is_ok());
    story.person("root").revokes(&origin).expect("revoked");
    for (number, kind) in [(1, TokenKind::Token), (2, TokenKind::Session), (3, TokenKind::Session)] {
        assert_eq!(story.authenticates(number, kind), Err(TokenRejection::Revoked));
    }
    assert_eq!(story.revokes(&origin), Ok(Vec::new()), "a repetition changes nothing");
    assert_eq!(story.token_findings(), Vec::<String>::new());
}

#[test]
fn cookie_without_its_page_key_is_rejected() {
    let mut story = given("");
    let origin = token(1, Role::Approver);
    story.person("root").creates(&origin).expect("created");
    story.set_by(Principal::system("sign-in"));
    let first = session(&story, 2, &origin);
    story.creates(&first).expect("signs in");
    let rejected = |secret: &TokenSecret, kind| story.directory().authenticate(secret, kind, story.now).err();
    assert_eq!(rejected(&secret(2), TokenKind::Session), Some(TokenRejection::Unknown), "the cookie alone");
    let other = secret(2).bound_to(&page_key(3));
    assert_eq!(rejected(&other, TokenKind::Session), Some(TokenRejection::Unknown), "another page's key");
    assert_eq!(rejected(&session_secret(2), TokenKind::Session), None);
    let unbound = TokenCreated { hash: secret(4).hash(), ..session(&story, 4, &origin) };
    story.set_by(Principal::system("sign-in"));
    story.creates(&unbound).expect("an older version wrote it");
    let directory = story.directory();
    let found = directory.authenticate(&secret(4), TokenKind::Session, story.now).err();
    assert_eq!(found, Some(TokenRejection::WrongKind), "a session of an older version");
    let found = directory.authenticate(&secret(1).bound_to(&page_key(1)), TokenKind::Token, story.now).err();
    assert_eq!(found, Some(TokenRejection::Unknown));
}

#[test]
fn session_stays_at_its_origin() {
    let mut story = given("");
    let at = |origin: &str| Some(origin.to_owned());
    let origin = token(1, Role::Approver);
    story.person("root").creates(&origin).expect("created");
    story.set_by(Principal::system("sign-in"));
    let first = TokenCreated { web_origin: at("https://a.example"), ..session(&story, 2, &origin) };
    story.creates(&first).expect("signs in");
    let moved = TokenCreated { web_origin: at("https://b.example"), ..session(&story, 3, &first) };
    assert!(matches!(story.creates(&moved), Err(Refused::Invalid { field: "webOrigin", .. })));
    let odd = TokenCreated { web_origin: at("https://a.example/x"), ..session(&story, 3, &origin) };
    assert!(matches!(story.creates(&odd), Err(Refused::Invalid { field: "webOrigin", .. })));
    story.creates(&session(&story, 4, &first)).expect("it stays");
    let on_token = TokenCreated { web_origin: at("https://a.example"), ..token(5, Role::Approver) };
    let refused = story.person("root").creates(&on_token);
    assert!(matches!(refused, Err(Refused::Invalid { field: "webOrigin", .. })));
    assert_eq!(story.token_findings(), Vec::<String>::new());
}

#[test]
fn link_signs_in_once() {
    let mut story = given("");
    let link = link(&story, 1);
    story.person("root").creates(&link).expect("created");
    assert_eq!(story.authenticates(1, TokenKind::Token), Err(TokenRejection::WrongKind));
    story.set_by(Principal::system("sign-in"));
    let (first, second) = (session(&story, 2, &link), session(&story, 3, &link));
    story.creates(&first).expect("the first use");
    assert_eq!(story.creates(&second), Err(Refused::LinkUsed));
}

#[test]
fn session_has_exactly_the_rights_of_its_parent() {
    let mut story = given("");
    let origin = TokenCreated { threads: vec!["ci/*".to_owned()], ..token(1, Role::Approver) };
    story.person("root").creates(&origin).expect("created");
    story.set_by(Principal::system("sign-in"));
    let wider = TokenCreated { threads: Vec::new(), ..session(&story, 2, &origin) };
    let other = TokenCreated { role: Role::Admin, ..session(&story, 2, &origin) };
    let nobody = TokenCreated { parent: Some("nobody".to_owned()), ..session(&story, 2, &origin) };
    for session in [wider, other, nobody] {
        assert!(story.creates(&session).is_err(), "{session:?}");
    }
    let own = session(&story, 2, &origin);
    assert!(story.person("ada").creates(&own).is_err(), "only the service makes sessions");
}

#[test]
fn wrong_secret_with_a_known_id_is_unknown() {
    let mut story = given("");
    let known = token(1, Role::Approver);
    let forged = TokenCreated { hash: secret(9).hash(), ..known };
    story.person("root").creates(&forged).expect("created");
    assert_eq!(story.authenticates(1, TokenKind::Token), Err(TokenRejection::Unknown));
}

#[test]
fn expired_token_is_rejected() {
    let mut story = given("");
    let expires_at = Some(story.now.after(Duration::from_mins(1)));
    story.person("root").creates(&TokenCreated { expires_at, ..token(1, Role::Agent) }).expect("created");
    assert!(story.authenticates(1, TokenKind::Token).is_ok());
    story.now = story.now.after(Duration::from_mins(1));
    assert_eq!(story.authenticates(1, TokenKind::Token), Err(TokenRejection::Expired));
}

#[test]
fn use_is_recorded_once_per_address() {
    let mut story = given("");
    let agent = TokenCreated { name: "bot".to_owned(), ..token(1, Role::Agent) };
    story.person("root").creates(&agent).expect("created");
    let use_from = |story: &mut DecisionStory, address: String| {
        story
            .agent()
            .tokens(LogCommand::Record(vec![Body::TokenUsed(TokenUsed { id: agent.id.clone(), address })]))
    };
    assert_eq!(use_from(&mut story, "10.0.0.1".to_owned()).expect("recorded").len(), 1);
    assert_eq!(use_from(&mut story, "10.0.0.1".to_owned()), Ok(Vec::new()));
    for address in 0..MAX_ADDRESSES + 10 {
        use_from(&mut story, format!("address-{address}")).expect("accepted");
    }
    assert_eq!(story.log.len(), 1 + MAX_ADDRESSES);
    let stranger = TokenUsed { id: agent.id.clone(), address: "x".to_owned() };
    assert_eq!(
        story.person("eve").tokens(LogCommand::Record(vec![Body::TokenUsed(stranger)])),
        Err(Refused::UnknownToken)
    );
}

/// A session for the account `subject`, which signs in as `name`. The number makes the sign-in unique.
fn account_session(story: &DecisionStory, number: u8, subject: &str, name: &str) -> TokenCreated {
    let account = ProviderAccount { issuer: "https://login.example".to_owned(), subject: subject.to_owned() };
    let sign_in = Some(countersign_events::Sha256::digest(&[number]));
    let origin = TokenCreated { name: name.to_owned(), ..token(number, Role::Approver) };
    TokenCreated { parent: None, account: Some(account), sign_in, ..session(story, number, &origin) }
}

#[test]
fn name_belongs_to_one_account() {
    let mut story = given("");
    story.set_by(Principal::system("sign-in"));
    story.creates(&account_session(&story, 1, "1", "ada")).expect("the first sign-in");
    story.creates(&account_session(&story, 2, "1", "ada")).expect("the second sign-in");
    let thief = account_session(&story, 3, "2", "ada");
    assert_eq!(story.creates(&thief), Err(Refused::NameTaken(Principal::user("ada"))));
    let renamed = account_session(&story, 4, "1", "eve");
    assert!(matches!(story.creates(&renamed), Err(Refused::Invalid { field: "name", .. })));
    let mut elsewhere = account_session(&story, 5, "2", "ada");
    elsewhere.account.iter_mut().for_each(|account| account.issuer = "https://new.example".to_owned());
    story.creates(&elsewhere).expect("the operator trusts another provider now");
    assert_eq!(story.token_findings(), Vec::<String>::new());
}

#[test]
fn sign_in_at_a_provider_makes_one_session() {
    let mut story = given("");
    story.set_by(Principal::system("sign-in"));
    let first = account_session(&story, 1, "1", "ada");
    story.creates(&first).expect("signs in");
    let replayed = TokenCreated { sign_in: first.sign_in, ..account_session(&story, 2, "1", "ada") };
    assert_eq!(story.creates(&replayed), Err(Refused::SignInUsed));
    let continued = TokenCreated { parent: Some(first.id.clone()), ..replayed };
    story.creates(&continued).expect("a continuation has the same account");
    let own = account_session(&story, 3, "3", "eve");
    assert!(story.person("eve").creates(&own).is_err(), "only the service makes sessions");
    let unnamed = TokenCreated { sign_in: None, ..own.clone() };
    story.set_by(Principal::system("sign-in"));
    assert!(matches!(story.creates(&unnamed), Err(Refused::Invalid { field: "signIn", .. })));
    let with_account = TokenCreated { account: own.account, ..link(&story, 4) };
    assert!(matches!(story.creates(&with_account), Err(Refused::Invalid { field: "account", .. })));
    let signed_in = TokenCreated { sign_in: own.sign_in, ..link(&story, 4) };
    assert!(matches!(story.creates(&signed_in), Err(Refused::Invalid { field: "signIn", .. })));
}

#[test]
fn ended_sessions_leave_the_directory() {
    let mut story = given("");
    let origin = token(1, Role::Approver);
    story.person("root").creates(&origin).expect("created");
    story.set_by(Principal::system("sign-in"));
    let first = session(&story, 2, &origin);
    story.creates(&first).expect("signs in");
    // It ends with the first one, ten minutes after the start.
    story.now = story.now.after(Duration::from_secs(30));
    let second =
        TokenCreated { parent: Some(first.id.clone()), ends_at: first.ends_at, ..session(&story, 3, &first) };
    story.creates(&second).expect("continues");
    let use_origin = |story: &mut DecisionStory, address: &str| {
        let used = TokenUsed { id: token(1, Role::Approver).id, address: address.to_owned() };
        story.person("ada").tokens(LogCommand::Record(vec![Body::TokenUsed(used)])).expect("recorded");
    };
    let kept = |story: &DecisionStory| {
        [&origin, &first, &second].map(|token| story.directory().find(&token.id).is_some())
    };
    story.now = story.now.after(Duration::from_mins(65));
    use_origin(&mut story, "10.0.0.1");
    assert_eq!(kept(&story), [true, true, true], "another clock may be late");
    story.now = story.now.after(Duration::from_mins(10));
    use_origin(&mut story, "10.0.0.2");
    assert_eq!(kept(&story), [true, false, false]);
    assert_eq!(story.authenticates(3, TokenKind::Session), Err(TokenRejection::Unknown));
    assert_eq!(story.token_findings(), Vec::<String>::new());
}

#[test]
fn signing_out_everywhere_ends_only_own_sessions() {
    let mut story = given("");
    let (ada, bob) =
        (token(1, Role::Approver), TokenCreated { name: "bob".to_owned(), ..token(2, Role::Approver) });
    story.person("root").creates(&ada).expect("created");
    story.creates(&bob).expect("created");
    let sessions = [session(&story, 3, &ada), session(&story, 4, &ada), session(&story, 5, &bob)];
    story.set_by(Principal::system("sign-in"));
    for session in &sessions {
        story.creates(session).expect("signs in");
    }
    story.person("ada").tokens(LogCommand::EndSessions("ada".to_owned())).expect("ends them");
    let states = [3, 4, 5].map(|number| story.authenticates(number, TokenKind::Session).is_ok());
    assert_eq!(states, [false, false, true]);
    assert!(story.authenticates(1, TokenKind::Token).is_ok(), "the token itself stays");
}

#[test]
fn verify_names_tokens_that_rules_would_refuse() {
    let mut story = given("");
    story.person("root").creates(&token(1, Role::Approver)).expect("created");
    story.revokes(&token(1, Role::Approver)).expect("revoked");
    let forged = story.log.iter().cloned().map(|event| Event { principal: Principal::agent("bot"), ..event });
    let findings = check_log(forged);
    assert_eq!(findings.len(), 2, "{findings:?}");
}

#[test]
fn token_in_another_spelling_is_refused() {
    let mut story = given("");
    story.person("root");
    let named =
        |number: u8, role: Role, name: &str| TokenCreated { name: name.to_owned(), ..token(number, role) };
    story.creates(&named(1, Role::Approver, "ada")).expect("created");
    story.creates(&named(2, Role::Approver, "ada")).expect("a person has several tokens");
    story.creates(&named(3, Role::Agent, "Ada")).expect("an agent is another actor");
    for name in ["Ada", "\u{ff41}da", "ADA", "Root"] {
        assert_eq!(code(story.creates(&named(4, Role::Approver, name))), "name_taken", "{name}");
    }
    let both = vec![named(5, Role::Approver, "zoe"), named(6, Role::Approver, "Zoe")];
    assert_eq!(
        code(story.tokens(LogCommand::Record(both.into_iter().map(Body::TokenCreated).collect()))),
        "name_taken"
    );
    assert!(matches!(
        story.creates(&named(7, Role::Approver, "x,ada")),
        Err(Refused::Invalid { field: "name", .. })
    ));
    assert_eq!(story.token_findings(), Vec::<String>::new());
}

#[test]
fn account_in_another_spelling_is_refused() {
    let mut story = given("");
    story.set_by(Principal::system("sign-in"));
    story.creates(&account_session(&story, 1, "1", "ada@example.com")).expect("signs in");
    let other = account_session(&story, 2, "2", "ada@EXAMPLE.com");
    assert_eq!(code(story.creates(&other)), "name_taken");
    story.creates(&account_session(&story, 3, "1", "ada@example.com")).expect("signs in again");
}
