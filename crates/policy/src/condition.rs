//! Conditions in CEL: compiled when the policy is read, bounded in what they may look at, and never a
//! reason to widen when they fail.

use crate::{
    annotation::{ToolHint, ToolHints},
    outcome::SelectorHit,
    spelling::did_you_mean,
    subject::JudgedCall,
    value::{JsonPointer, OrderedValue},
};
use cel::{
    common::ast::{CallExpr, EntryExpr, Expr, IdedExpr, LiteralValue},
    objects,
};
use std::{
    collections::{HashMap, HashSet},
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, LazyLock},
};

/// The longest condition, in bytes.
pub(crate) const MAX_SOURCE: usize = 2 * 1024;
/// The most that a condition may look at: what is larger has it fail.
const MAX_INPUT: usize = 64 * 1024;
/// The longest list that a condition may look at.
const MAX_LIST: usize = 1_000;
/// How deep `all`, `exists`, `map` and `filter` may stand in each other.
const MAX_NESTING: usize = 2;
/// How many operators, dots and brackets a condition may have: its parser recurses over them.
const MAX_OPERATORS: usize = 200;

/// What a condition may name.
const VARIABLES: &[&str] = &["args", "tool", "thread", "principal", "annotations", "impact"];
/// What a condition may call, besides the operators and the macros.
const FUNCTIONS: &[&str] = &[
    "size",
    "contains",
    "startsWith",
    "endsWith",
    "matches",
    "string",
    "int",
    "uint",
    "double",
    "bool",
    "bytes",
    "type",
    "dyn",
];

/// The functions of the language are the same for every policy.
static LANGUAGE: LazyLock<Arc<cel::Env>> = LazyLock::new(|| Arc::new(cel::Env::stdlib()));

/// A condition that has been compiled.
#[derive(Debug, Clone)]
pub(crate) struct CompiledCondition {
    expression: Arc<IdedExpr>,
    /// The arguments it looks at, step by step.
    looks_at: Vec<Vec<String>>,
    /// Whether it takes the agent's word for anything.
    pub(crate) uses_impact: bool,
}

impl CompiledCondition {
    /// Compiles it, or says what is wrong.
    pub(crate) fn compile(source: &str) -> Result<Self, String> {
        if source.len() > MAX_SOURCE {
            return Err(format!(
                "a condition has at most {MAX_SOURCE} bytes, and this one has {}",
                source.len()
            ));
        }
        let operators = |c: &char| !c.is_alphanumeric() && !c.is_whitespace() && *c != '_' && *c != '"';
        if source.chars().filter(operators).count() > MAX_OPERATORS {
            return Err(format!("a condition has at most {MAX_OPERATORS} operators, dots and brackets"));
        }
        let compiled = catch_unwind(|| LANGUAGE.compile(source).map_err(|e| e.to_string()));
        let program = compiled.map_err(|_| "the condition cannot be parsed".to_owned())?;
        let program = program.map_err(|why| format!("the condition cannot be parsed: {}", stumble(&why)))?;
        let mut walk = ConditionWalk::default();
        walk.expression(program.expression(), 0)?;
        let uses_impact = walk.named.contains("impact");
        let mut expression = program.expression().clone();
        in_order(&mut expression);
        Ok(Self { expression: Arc::new(expression), looks_at: walk.looks_at, uses_impact })
    }

    /// Whether it looks at what the pointer leads to, or at something in or around it.
    pub(crate) fn touches(&self, pointer: &JsonPointer) -> bool {
        self.looks_at.iter().any(|path| pointer.touches_path(path))
    }

    pub(crate) fn evaluate(&self, input: &cel::Context<'_, '_>) -> SelectorHit {
        // A fault in the interpreter is a condition that fails, and not the end of the process.
        let outcome = catch_unwind(AssertUnwindSafe(|| input.resolve(&self.expression)));
        match outcome {
            Ok(Ok(cel::Value::Bool(true))) => SelectorHit::Yes("the condition holds".to_owned()),
            Ok(Ok(cel::Value::Bool(false))) => SelectorHit::No,
            Ok(Ok(other)) => {
                SelectorHit::Failed(format!("condition failed: it yields {}, not a bool", other.type_of()))
            }
            Ok(Err(why)) => SelectorHit::Failed(format!("condition failed: {}", story(&why))),
            Err(_) => SelectorHit::Failed("condition failed: it cannot be evaluated".to_owned()),
        }
    }
}

/// Why it failed, in a line, and without the arguments themselves, which may hold secrets.
fn story(why: &cel::ExecutionError) -> String {
    use cel::ExecutionError as E;
    match why {
        E::NoSuchKey(key) => format!("no such key: {key}"),
        E::UndeclaredReference(name) => format!("there is no `{name}`"),
        E::NoSuchOverload(error) => error_types(error),
        E::DivisionByZero(_) | E::RemainderByZero(_) => "division by zero".to_owned(),
        E::Overflow(..) => "a number is too large".to_owned(),
        E::IndexOutOfBounds(_) => "an index is out of bounds".to_owned(),
        E::FunctionError { function, .. } => format!("`{function}` fails"),
        _ => "its values do not fit together".to_owned(),
    }
}

fn error_types(error: &cel::OverloadError) -> String {
    format!("`{}` cannot take ({})", error.function(), error.argument_types().join(", "))
}

/// Where the parser stumbled, and over what; what it would rather have seen fills a page.
fn stumble(text: &str) -> String {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or("it makes no sense");
    let line = line.strip_prefix("ERROR: <input>:").unwrap_or(line);
    let line = line.split(" expecting ").next().unwrap_or(line);
    line.replacen(": Syntax error:", ":", 1)
}

/// What a condition looks at, and whether it stays within bounds.
#[derive(Default)]
struct ConditionWalk {
    looks_at: Vec<Vec<String>>,
    named: HashSet<String>,
    own: Vec<String>,
}

impl ConditionWalk {
    fn expression(&mut self, node: &IdedExpr, nesting: usize) -> Result<(), String> {
        if let Some(path) = path(&node.expr) {
            return self.look(path);
        }
        match &node.expr {
            Expr::Unspecified | Expr::Ident(_) | Expr::Literal(_) => Ok(()),
            Expr::Select(select) => self.expression(&select.operand, nesting),
            Expr::Call(call) => {
                check_call(call)?;
                let parts = call.target.iter().map(AsRef::as_ref).chain(&call.args);
                parts.into_iter().try_for_each(|part| self.expression(part, nesting))
            }
            Expr::List(list) => list.elements.iter().try_for_each(|part| self.expression(part, nesting)),
            Expr::Map(map) => map.entries.iter().try_for_each(|entry| self.entry(entry, nesting)),
            Expr::Struct(_) => Err("a condition makes no objects".to_owned()),
            Expr::Comprehension(loops) => {
                if nesting == MAX_NESTING {
                    return Err(format!("all, exists, map and filter nest at most {MAX_NESTING} deep"));
                }
                self.expression(&loops.iter_range, nesting)?;
                self.expression(&loops.accu_init, nesting)?;
                let before = self.own.len();
                self.own.extend([loops.iter_var.clone(), loops.accu_var.clone()]);
                self.own.extend(loops.iter_var2.clone());
                for part in [&loops.loop_cond, &loops.loop_step, &loops.result] {
                    self.expression(part, nesting + 1)?;
                }
                self.own.truncate(before);
                Ok(())
            }
        }
    }

    fn entry(&mut self, entry: &cel::common::ast::IdedEntryExpr, nesting: usize) -> Result<(), String> {
        match &entry.expr {
            EntryExpr::MapEntry(entry) => {
                self.expression(&entry.key, nesting)?;
                self.expression(&entry.value, nesting)
            }
            EntryExpr::StructField(_) => Err("a condition makes no objects".to_owned()),
        }
    }

    /// Notes a path from a variable, such as `args.to.name`.
    fn look(&mut self, mut path: Vec<String>) -> Result<(), String> {
        let root = path.remove(0);
        if self.own.contains(&root) {
            return Ok(());
        }
        if !VARIABLES.contains(&root.as_str()) {
            let hint = did_you_mean(&root, VARIABLES);
            return Err(format!("a condition knows no `{root}`{hint}"));
        }
        if root == "args" {
            self.looks_at.push(path);
        }
        self.named.insert(root);
        Ok(())
    }
}

/// Whether a condition may call that, in that way.
fn check_call(call: &cel::common::ast::CallExpr) -> Result<(), String> {
    let name = call.func_name.as_str();
    let known = FUNCTIONS.contains(&name) || !name.starts_with(char::is_alphabetic);
    if !known {
        return Err(format!("there is no function `{name}`{}", did_you_mean(name, FUNCTIONS)));
    }
    if name == "matches" {
        let Some(Expr::Literal(LiteralValue::String(pattern))) = call.args.last().map(|last| &last.expr)
        else {
            return Err("matches takes a pattern that is written out".to_owned());
        };
        regex::Regex::new(pattern.inner()).map_err(|e| format!("the pattern of matches is wrong: {e}"))?;
    }
    Ok(())
}

/// What no condition can call by itself.
const IN_ORDER: &str = "@in_order";

/// Has every loop over an object go through its keys in order. By themselves they come in another one each
/// time, so that `args.map(key, key)[0]` would be left to chance.
fn in_order(node: &mut IdedExpr) {
    match &mut node.expr {
        Expr::Unspecified | Expr::Ident(_) | Expr::Literal(_) | Expr::Struct(_) => {}
        Expr::Select(select) => in_order(&mut select.operand),
        Expr::Call(call) => {
            call.target.iter_mut().map(AsMut::as_mut).chain(&mut call.args).for_each(in_order);
        }
        Expr::List(list) => list.elements.iter_mut().for_each(in_order),
        Expr::Map(map) => {
            for entry in &mut map.entries {
                if let EntryExpr::MapEntry(entry) = &mut entry.expr {
                    in_order(&mut entry.key);
                    in_order(&mut entry.value);
                }
            }
        }
        Expr::Comprehension(loops) => {
            for part in [&mut loops.accu_init, &mut loops.loop_cond, &mut loops.loop_step, &mut loops.result]
            {
                in_order(part);
            }
            let mut range = std::mem::take(&mut loops.iter_range);
            in_order(&mut range);
            let call = CallExpr { func_name: IN_ORDER.to_owned(), target: None, args: vec![range] };
            loops.iter_range.expr = Expr::Call(call);
        }
    }
}

/// The keys of an object in order, and anything else as it is.
fn keys_in_order(value: cel::Value) -> cel::Value {
    let cel::Value::Map(map) = value else { return value };
    let mut keys: Vec<_> = map.map.keys().cloned().collect();
    keys.sort();
    keys.into()
}

/// The path that an expression spells out, from its variable on.
fn path(expression: &Expr) -> Option<Vec<String>> {
    match expression {
        Expr::Ident(name) => Some(vec![name.clone()]),
        Expr::Select(select) => {
            let mut path = path(&select.operand.expr)?;
            path.push(select.field.clone());
            Some(path)
        }
        Expr::Call(call) if call.func_name == cel::common::ast::operators::INDEX => {
            let [operand, index] = call.args.as_slice() else { return None };
            let mut path = path(&operand.expr)?;
            let Expr::Literal(LiteralValue::String(key)) = &index.expr else { return None };
            path.push(key.inner().to_owned());
            Some(path)
        }
        _ => None,
    }
}

/// The call, as conditions read it.
pub(crate) struct ConditionInput<'a> {
    pub(crate) subject: JudgedCall<'a>,
    /// The arguments; none if they cannot be read.
    pub(crate) args: Option<&'a OrderedValue>,
    pub(crate) hints: ToolHints,
    pub(crate) impact: Option<&'a OrderedValue>,
}

/// What conditions are given to look at, or why they fail.
pub(crate) fn input(call: &ConditionInput<'_>) -> Result<cel::Context<'static, 'static>, String> {
    let subject = call.subject;
    let size = subject.arguments.as_str().len() + subject.impact.map_or(0, |impact| impact.as_str().len());
    if size > MAX_INPUT {
        return Err(format!("the call has {size} bytes, and a condition looks at {MAX_INPUT} at most"));
    }
    let args = call.args.ok_or("the arguments cannot be read")?;
    let mut context = cel::Context::with_env(Arc::clone(&LANGUAGE));
    context.add_function(IN_ORDER, keys_in_order).map_err(|e| e.to_string())?;
    context.add_variable_from_value("args", value(args)?);
    context.add_variable_from_value("tool", subject.tool.as_str());
    context.add_variable_from_value("thread", subject.thread.as_str());
    context.add_variable_from_value("principal", subject.principal.as_str());
    let hints = call.hints;
    let hints: HashMap<_, _> = ToolHint::ALL.map(|hint| (hint.as_str(), hints.value(hint))).into();
    context.add_variable_from_value("annotations", hints);
    let nothing = OrderedValue::Map(Vec::new());
    context.add_variable_from_value("impact", value(call.impact.unwrap_or(&nothing))?);
    Ok(context)
}

/// A value as the language sees it. A number that it could not hold exactly has the condition fail.
fn value(json: &OrderedValue) -> Result<cel::Value, String> {
    Ok(match json {
        OrderedValue::Null => cel::Value::Null,
        OrderedValue::Bool(yes) => cel::Value::Bool(*yes),
        OrderedValue::Text(text) => text.as_str().into(),
        OrderedValue::Number(number) => match (number.to_i64(), number.is_whole(), number.to_f64()) {
            (Some(whole), ..) => cel::Value::Int(whole),
            (None, false, Some(double)) => cel::Value::Float(double),
            _ => return Err("an argument is a number that no condition can hold".to_owned()),
        },
        OrderedValue::List(values) if values.len() > MAX_LIST => {
            return Err(format!("a list has {} elements, and a condition looks at {MAX_LIST}", values.len()));
        }
        OrderedValue::List(values) => values.iter().map(value).collect::<Result<Vec<_>, _>>()?.into(),
        OrderedValue::Map(members) => {
            let member = |(key, json): &(String, OrderedValue)| Ok((key.clone(), value(json)?));
            let map: HashMap<String, cel::Value> =
                members.iter().map(member).collect::<Result<_, String>>()?;
            cel::Value::Map(objects::Map::from(map))
        }
    })
}
