//! Conditions in CEL. They are compiled when the policy is read, and their input is limited in size. A
//! condition that fails never makes a verdict less strict.

mod budget;

use crate::{
    annotation::{ToolHint, ToolHints},
    outcome::SelectorHit,
    spelling::did_you_mean,
    subject::JudgedCall,
    value::{JsonPointer, OrderedValue},
};
use budget::{CHARGE, ConditionBudget, MAX_UNITS, charge_expression};
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
/// The largest input of a condition, in bytes. A condition fails if the input is larger.
const MAX_INPUT: usize = 64 * 1024;
/// The longest list in the input of a condition.
const MAX_LIST: usize = 1_000;
/// How deep `all`, `exists`, `map` and `filter` may be nested.
const MAX_NESTING: usize = 2;
/// How many operators, dots and brackets a condition may have. The parser recurses over them, so a limit
/// protects the stack.
const MAX_OPERATORS: usize = 200;

/// The variables that a condition may use.
const VARIABLES: &[&str] = &["args", "tool", "thread", "principal", "annotations", "impact"];
/// The functions that a condition may call, besides operators and macros.
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

/// The CEL environment, which is the same for every policy.
static LANGUAGE: LazyLock<Arc<cel::Env>> = LazyLock::new(|| Arc::new(cel::Env::stdlib()));

/// A compiled condition.
#[derive(Debug, Clone)]
pub(crate) struct CompiledCondition {
    expression: Arc<IdedExpr>,
    /// The paths of the arguments that it reads.
    argument_paths: Vec<Vec<String>>,
    /// True if it reads `impact`, which the agent claims.
    pub(crate) uses_impact: bool,
}

impl CompiledCondition {
    /// Compiles a condition, or returns a description of the error.
    pub(crate) fn compile(source: &str) -> Result<Self, String> {
        if source.len() > MAX_SOURCE {
            return Err(format!(
                "a condition may have at most {MAX_SOURCE} bytes, but this one has {}",
                source.len()
            ));
        }
        let operators = |c: &char| !c.is_alphanumeric() && !c.is_whitespace() && *c != '_' && *c != '"';
        if source.chars().filter(operators).count() > MAX_OPERATORS {
            return Err(format!("a condition may have at most {MAX_OPERATORS} operators, dots and brackets"));
        }
        let compiled = catch_unwind(|| LANGUAGE.compile(source).map_err(|e| e.to_string()));
        let program = compiled.map_err(|_| "the condition cannot be parsed".to_owned())?;
        let program = program
            .map_err(|why| format!("the condition cannot be parsed: {}", shorten_parse_error(&why)))?;
        let mut walk = ConditionWalk::default();
        walk.visit(program.expression(), 0)?;
        let uses_impact = walk.variables.contains("impact");
        let mut expression = program.expression().clone();
        sort_loop_keys(&mut expression);
        charge_expression(&mut expression);
        Ok(Self { expression: Arc::new(expression), argument_paths: walk.argument_paths, uses_impact })
    }

    /// True if it reads the value at the pointer, a part of that value, or a value that contains it.
    pub(crate) fn reads(&self, pointer: &JsonPointer) -> bool {
        self.argument_paths.iter().any(|path| pointer.touches_path(path))
    }

    pub(crate) fn evaluate(&self, input: &ConditionContext) -> SelectorHit {
        // A panic of the interpreter counts as a failed condition, so that it does not end the process.
        let outcome = catch_unwind(AssertUnwindSafe(|| input.variables.resolve(&self.expression)));
        if input.budget.is_exhausted() {
            return SelectorHit::Failed(format!("condition failed: it needs more than {MAX_UNITS} steps"));
        }
        match outcome {
            Ok(Ok(cel::Value::Bool(true))) => SelectorHit::Yes("the condition holds".to_owned()),
            Ok(Ok(cel::Value::Bool(false))) => SelectorHit::No,
            Ok(Ok(other)) => SelectorHit::Failed(format!(
                "condition failed: its result is {}, not a bool",
                other.type_of()
            )),
            Ok(Err(why)) => SelectorHit::Failed(format!("condition failed: {}", describe_error(&why))),
            Err(_) => SelectorHit::Failed("condition failed: it cannot be evaluated".to_owned()),
        }
    }
}

/// Describes an error in one line. It omits the arguments, because they may contain secrets.
fn describe_error(why: &cel::ExecutionError) -> String {
    use cel::ExecutionError as E;
    match why {
        E::NoSuchKey(key) => format!("no such key: {key}"),
        E::UndeclaredReference(name) => format!("unknown variable `{name}`"),
        E::NoSuchOverload(error) => describe_types(error),
        E::DivisionByZero(_) | E::RemainderByZero(_) => "division by zero".to_owned(),
        E::Overflow(..) => "a number is too large".to_owned(),
        E::IndexOutOfBounds(_) => "an index is out of bounds".to_owned(),
        E::FunctionError { function, .. } => format!("`{function}` fails"),
        _ => "its values have incompatible types".to_owned(),
    }
}

fn describe_types(error: &cel::OverloadError) -> String {
    format!("`{}` does not accept ({})", error.function(), error.argument_types().join(", "))
}

/// Keeps the position and the unexpected token of a parse error. The list of expected tokens is too long to show.
fn shorten_parse_error(text: &str) -> String {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or("unknown syntax error");
    let line = line.strip_prefix("ERROR: <input>:").unwrap_or(line);
    let line = line.split(" expecting ").next().unwrap_or(line);
    line.replacen(": Syntax error:", ":", 1)
}

/// Collects the values that a condition reads, and checks its limits.
#[derive(Default)]
struct ConditionWalk {
    argument_paths: Vec<Vec<String>>,
    variables: HashSet<String>,
    loop_variables: Vec<String>,
}

impl ConditionWalk {
    fn visit(&mut self, node: &IdedExpr, nesting: usize) -> Result<(), String> {
        if let Some(path) = variable_path(&node.expr) {
            return self.record_path(path);
        }
        match &node.expr {
            Expr::Unspecified | Expr::Ident(_) | Expr::Literal(_) => Ok(()),
            Expr::Select(select) => self.visit(&select.operand, nesting),
            Expr::Call(call) => {
                check_call(call)?;
                let parts = call.target.iter().map(AsRef::as_ref).chain(&call.args);
                parts.into_iter().try_for_each(|part| self.visit(part, nesting))
            }
            Expr::List(list) => list.elements.iter().try_for_each(|part| self.visit(part, nesting)),
            Expr::Map(map) => map.entries.iter().try_for_each(|entry| self.visit_entry(entry, nesting)),
            Expr::Struct(_) => Err("a condition cannot create objects".to_owned()),
            Expr::Comprehension(loops) => {
                if nesting == MAX_NESTING {
                    return Err(format!(
                        "all, exists, map and filter may be nested at most {MAX_NESTING} deep"
                    ));
                }
                self.visit(&loops.iter_range, nesting)?;
                self.visit(&loops.accu_init, nesting)?;
                let before = self.loop_variables.len();
                self.loop_variables.extend([loops.iter_var.clone(), loops.accu_var.clone()]);
                self.loop_variables.extend(loops.iter_var2.clone());
                for part in [&loops.loop_cond, &loops.loop_step, &loops.result] {
                    self.visit(part, nesting + 1)?;
                }
                self.loop_variables.truncate(before);
                Ok(())
            }
        }
    }

    fn visit_entry(&mut self, entry: &cel::common::ast::IdedEntryExpr, nesting: usize) -> Result<(), String> {
        match &entry.expr {
            EntryExpr::MapEntry(entry) => {
                self.visit(&entry.key, nesting)?;
                self.visit(&entry.value, nesting)
            }
            EntryExpr::StructField(_) => Err("a condition cannot create objects".to_owned()),
        }
    }

    /// Records a path that starts at a variable, such as `args.to.name`.
    fn record_path(&mut self, mut path: Vec<String>) -> Result<(), String> {
        let root = path.remove(0);
        if self.loop_variables.contains(&root) {
            return Ok(());
        }
        if !VARIABLES.contains(&root.as_str()) {
            let hint = did_you_mean(&root, VARIABLES);
            return Err(format!("unknown variable `{root}` in a condition{hint}"));
        }
        if root == "args" {
            self.argument_paths.push(path);
        }
        self.variables.insert(root);
        Ok(())
    }
}

/// Rejects a call of an unknown function, and of `matches` with a pattern that cannot be checked now.
fn check_call(call: &cel::common::ast::CallExpr) -> Result<(), String> {
    let name = call.func_name.as_str();
    let known = FUNCTIONS.contains(&name) || !name.starts_with(char::is_alphabetic);
    if !known {
        return Err(format!("unknown function `{name}`{}", did_you_mean(name, FUNCTIONS)));
    }
    if name == "matches" {
        let Some(Expr::Literal(LiteralValue::String(pattern))) = call.args.last().map(|last| &last.expr)
        else {
            return Err("the pattern of `matches` must be a string literal".to_owned());
        };
        regex::Regex::new(pattern.inner())
            .map_err(|e| format!("the pattern of `matches` is invalid: {e}"))?;
    }
    Ok(())
}

/// An internal function. The source of a condition cannot contain its name.
const SORTED_KEYS: &str = "@in_order";

/// Makes every loop over an object visit the keys in sorted order. CEL objects are hash maps, so otherwise
/// the value of `args.map(key, key)[0]` would be random.
fn sort_loop_keys(node: &mut IdedExpr) {
    match &mut node.expr {
        Expr::Unspecified | Expr::Ident(_) | Expr::Literal(_) | Expr::Struct(_) => {}
        Expr::Select(select) => sort_loop_keys(&mut select.operand),
        Expr::Call(call) => {
            call.target.iter_mut().map(AsMut::as_mut).chain(&mut call.args).for_each(sort_loop_keys);
        }
        Expr::List(list) => list.elements.iter_mut().for_each(sort_loop_keys),
        Expr::Map(map) => {
            for entry in &mut map.entries {
                if let EntryExpr::MapEntry(entry) = &mut entry.expr {
                    sort_loop_keys(&mut entry.key);
                    sort_loop_keys(&mut entry.value);
                }
            }
        }
        Expr::Comprehension(loops) => {
            for part in [&mut loops.accu_init, &mut loops.loop_cond, &mut loops.loop_step, &mut loops.result]
            {
                sort_loop_keys(part);
            }
            let mut range = std::mem::take(&mut loops.iter_range);
            sort_loop_keys(&mut range);
            let call = CallExpr { func_name: SORTED_KEYS.to_owned(), target: None, args: vec![range] };
            loops.iter_range.expr = Expr::Call(call);
        }
    }
}

/// Returns the sorted keys of an object, and any other value unchanged.
fn sorted_keys(value: cel::Value) -> cel::Value {
    let cel::Value::Map(map) = value else { return value };
    let mut keys: Vec<_> = map.map.keys().cloned().collect();
    keys.sort();
    keys.into()
}

/// The path that an expression names, starting with its variable, or `None` for any other expression.
fn variable_path(expression: &Expr) -> Option<Vec<String>> {
    match expression {
        Expr::Ident(name) => Some(vec![name.clone()]),
        Expr::Select(select) => {
            let mut path = variable_path(&select.operand.expr)?;
            path.push(select.field.clone());
            Some(path)
        }
        Expr::Call(call) if call.func_name == cel::common::ast::operators::INDEX => {
            let [operand, index] = call.args.as_slice() else { return None };
            let mut path = variable_path(&operand.expr)?;
            let Expr::Literal(LiteralValue::String(key)) = &index.expr else { return None };
            path.push(key.inner().to_owned());
            Some(path)
        }
        _ => None,
    }
}

/// The parts of a call that conditions can read.
pub(crate) struct ConditionInput<'a> {
    pub(crate) subject: JudgedCall<'a>,
    /// The arguments, or `None` if they cannot be read.
    pub(crate) args: Option<&'a OrderedValue>,
    pub(crate) hints: ToolHints,
    pub(crate) impact: Option<&'a OrderedValue>,
}

/// The variables of the conditions on one call, and the budget that they share.
pub(crate) struct ConditionContext {
    variables: cel::Context<'static, 'static>,
    budget: ConditionBudget,
}

/// Builds the variables for conditions, or returns the reason why every condition fails.
pub(crate) fn build_context(call: &ConditionInput<'_>) -> Result<ConditionContext, String> {
    let subject = call.subject;
    let size = subject.arguments.as_str().len() + subject.impact.map_or(0, |impact| impact.as_str().len());
    if size > MAX_INPUT {
        return Err(format!("the call has {size} bytes, but a condition can read at most {MAX_INPUT}"));
    }
    let args = call.args.ok_or("the arguments cannot be read")?;
    let mut context = cel::Context::with_env(Arc::clone(&LANGUAGE));
    context.add_function(SORTED_KEYS, sorted_keys).map_err(|e| e.to_string())?;
    let budget = ConditionBudget::new();
    let paying = budget.clone();
    context.add_function(CHARGE, move |value: cel::Value| paying.charge(value)).map_err(|e| e.to_string())?;
    context.add_variable_from_value("args", to_cel_value(args)?);
    context.add_variable_from_value("tool", subject.tool.as_str());
    context.add_variable_from_value("thread", subject.thread.as_str());
    context.add_variable_from_value("principal", subject.principal.as_str());
    let hints = call.hints;
    let hints: HashMap<_, _> = ToolHint::ALL.map(|hint| (hint.as_str(), hints.value(hint))).into();
    context.add_variable_from_value("annotations", hints);
    let nothing = OrderedValue::Map(Vec::new());
    context.add_variable_from_value("impact", to_cel_value(call.impact.unwrap_or(&nothing))?);
    Ok(ConditionContext { variables: context, budget })
}

/// Converts a value to CEL. A number that CEL cannot represent exactly makes the condition fail.
fn to_cel_value(json: &OrderedValue) -> Result<cel::Value, String> {
    Ok(match json {
        OrderedValue::Null => cel::Value::Null,
        OrderedValue::Bool(yes) => cel::Value::Bool(*yes),
        OrderedValue::Text(text) => text.as_str().into(),
        OrderedValue::Number(number) => match (number.to_i64(), number.is_whole(), number.to_f64()) {
            (Some(whole), ..) => cel::Value::Int(whole),
            (None, false, Some(double)) => cel::Value::Float(double),
            _ => return Err("an argument is a number that CEL cannot represent exactly".to_owned()),
        },
        OrderedValue::List(values) if values.len() > MAX_LIST => {
            return Err(format!(
                "a list has {} elements, but a condition can read at most {MAX_LIST}",
                values.len()
            ));
        }
        OrderedValue::List(values) => values.iter().map(to_cel_value).collect::<Result<Vec<_>, _>>()?.into(),
        OrderedValue::Map(members) => {
            let member = |(key, json): &(String, OrderedValue)| Ok((key.clone(), to_cel_value(json)?));
            let map: HashMap<String, cel::Value> =
                members.iter().map(member).collect::<Result<_, String>>()?;
            cel::Value::Map(objects::Map::from(map))
        }
    })
}
