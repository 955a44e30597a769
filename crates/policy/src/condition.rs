//! Conditions in CEL. They are compiled when the policy is read, and their input is limited in size. A
//! condition that fails never makes a verdict less strict.

use crate::{
    JudgedCall,
    annotation::{ToolHint, ToolHints},
    effects::{CallEffects, EFFECT_LISTS},
    outcome::SelectorHit,
    spelling::did_you_mean,
    value::{JsonPointer, OrderedValue},
};
use countersign_cel::{
    BinaryOperator, CelValue, CelVariables, EvaluationBudget, EvaluationError, Expression, FUNCTION_NAMES,
    LoopExpression, MapKey, ParseError, evaluate, parse,
};
use countersign_events::{Place, Verdict};
use std::{collections::HashSet, sync::Arc};

/// The longest condition, in bytes.
pub(crate) const MAX_SOURCE: usize = 2 * 1024;
/// The maximum condition input, in bytes. A condition fails if the input is larger.
const MAX_INPUT: usize = 64 * 1024;
/// The maximum list length in condition input.
const MAX_LIST: usize = 1_000;
/// How deep `all`, `exists`, `map` and `filter` may be nested.
const MAX_NESTING: usize = 2;
/// How many operators, dots and brackets a condition may have.
const MAX_OPERATORS: usize = 200;
/// The budget units for evaluating all policy conditions on one call. One unit takes less than a microsecond. All
/// strings that the conditions build have at most 12 MiB, because a unit pays for 64 bytes.
pub(crate) const MAX_UNITS: i64 = 200_000;

/// The variables that a condition may use.
const VARIABLES: &[&str] =
    &["args", "tool", "thread", "principal", "place", "agent", "project", "annotations", "impact", "effects"];

/// A compiled condition.
#[derive(Debug, Clone)]
pub(crate) struct CompiledCondition {
    expression: Arc<Expression>,
    /// The argument paths that it reads.
    argument_paths: Vec<Vec<String>>,
    /// Whether it reads `impact`, which the agent claims.
    pub(crate) uses_impact: bool,
    /// Whether it reads nothing of the call.
    is_constant: bool,
    /// The lists of `effects` that it reads.
    pub(crate) effects: Vec<String>,
}

impl CompiledCondition {
    /// Compiles a condition, or describes the error.
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
        let expression = parse(source).map_err(|why| match &why {
            ParseError::UnknownFunction(name) => format!("{why}{}", did_you_mean(name, FUNCTION_NAMES)),
            _ => why.to_string(),
        })?;
        let mut walk = ConditionWalk::default();
        walk.visit(&expression, 0)?;
        let uses_impact = walk.variables.contains("impact");
        let ConditionWalk { argument_paths, effects, variables, .. } = walk;
        let is_constant = variables.is_empty();
        Ok(Self { expression: Arc::new(expression), argument_paths, uses_impact, is_constant, effects })
    }

    /// The argument paths that it reads; an empty path means all arguments.
    pub(crate) fn argument_paths(&self) -> &[Vec<String>] {
        &self.argument_paths
    }

    /// Returns true if it reads the value at the pointer, a part of that value, or a value that contains it.
    pub(crate) fn reads(&self, pointer: &JsonPointer) -> bool {
        self.argument_paths.iter().any(|path| pointer.touches_path(path))
    }

    /// How the condition keeps every call from a rule with this verdict, if it reads nothing of the call. A condition that fails
    /// lets a rule match that restricts.
    pub(crate) fn find_constant_failure(&self, verdict: Verdict) -> Option<&'static str> {
        if !self.is_constant {
            return None;
        }
        let input =
            ConditionContext { variables: CelVariables::from([]), budget: EvaluationBudget::new(MAX_UNITS) };
        match self.evaluate(&input) {
            SelectorHit::No => Some("is false"),
            SelectorHit::Failed(_) if verdict == Verdict::Allow => Some("fails"),
            _ => None,
        }
    }

    pub(crate) fn evaluate(&self, input: &ConditionContext) -> SelectorHit {
        match evaluate(&self.expression, &input.variables, &input.budget) {
            Ok(CelValue::Bool(true)) => SelectorHit::Yes("the condition holds".to_owned()),
            Ok(CelValue::Bool(false)) => SelectorHit::No,
            Ok(other) => SelectorHit::Failed(format!(
                "condition failed: its result is {}, not a bool",
                other.type_name()
            )),
            Err(EvaluationError::BudgetExhausted) => {
                SelectorHit::Failed(format!("condition failed: it needs more than {MAX_UNITS} steps"))
            }
            Err(why) => SelectorHit::Failed(format!("condition failed: {why}")),
        }
    }
}

/// Collects the values that a condition reads, and checks its limits.
#[derive(Default)]
struct ConditionWalk {
    argument_paths: Vec<Vec<String>>,
    effects: Vec<String>,
    variables: HashSet<String>,
    loop_variables: Vec<String>,
}

impl ConditionWalk {
    fn visit(&mut self, node: &Expression, nesting: usize) -> Result<(), String> {
        if let Some(path) = variable_path(node) {
            return self.record_path(path);
        }
        let mut visit_all =
            |nodes: &[Expression]| nodes.iter().try_for_each(|node| self.visit(node, nesting));
        match node {
            Expression::Literal(_) | Expression::Variable(_) => Ok(()),
            Expression::Select { operand, .. }
            | Expression::Has { operand, .. }
            | Expression::Unary(_, operand)
            | Expression::Matches(operand, _) => self.visit(operand, nesting),
            Expression::Binary(_, operands) => visit_all(&**operands),
            Expression::Conditional(parts) => visit_all(&**parts),
            Expression::List(nodes) | Expression::Call(_, nodes) => visit_all(nodes),
            Expression::Map(entries) => visit_all(entries.as_flattened()),
            Expression::Loop(details) => self.visit_loop(details, nesting),
        }
    }

    fn visit_loop(&mut self, details: &LoopExpression, nesting: usize) -> Result<(), String> {
        if nesting == MAX_NESTING {
            return Err(format!("all, exists, map and filter may be nested at most {MAX_NESTING} deep"));
        }
        self.visit(&details.range, nesting)?;
        self.loop_variables.push(details.variable.clone());
        for part in details.filter.iter().chain([&details.body]) {
            self.visit(part, nesting + 1)?;
        }
        self.loop_variables.pop();
        Ok(())
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
        if root == "effects" {
            let Some(list) = path.first().filter(|list| EFFECT_LISTS.contains(&list.as_str())) else {
                let hint = did_you_mean(path.first().map_or("", String::as_str), EFFECT_LISTS);
                return Err(format!("`effects` has the lists {}{hint}", EFFECT_LISTS.join(", ")));
            };
            self.effects.push(list.clone());
        }
        if root == "args" {
            self.argument_paths.push(path);
        }
        self.variables.insert(root);
        Ok(())
    }
}

/// The path that an expression names, starting with its variable, or `None` for any other expression.
fn variable_path(expression: &Expression) -> Option<Vec<String>> {
    let (operand, field) = match expression {
        Expression::Variable(name) => return Some(vec![name.clone()]),
        Expression::Select { operand, field } | Expression::Has { operand, field } => (&**operand, &**field),
        Expression::Binary(BinaryOperator::Index, operands) => match &**operands {
            [operand, Expression::Literal(CelValue::Text(field))] => (operand, &**field),
            _ => return None,
        },
        _ => return None,
    };
    let mut path = variable_path(operand)?;
    path.push(field.to_owned());
    Some(path)
}

/// The call parts that conditions can read.
pub(crate) struct ConditionInput<'a> {
    pub(crate) subject: JudgedCall<'a>,
    /// The arguments, or `None` if they cannot be read.
    pub(crate) args: Option<&'a OrderedValue>,
    pub(crate) hints: ToolHints,
    pub(crate) impact: Option<&'a OrderedValue>,
    /// The effects, for a condition that reads them.
    pub(crate) effects: Option<&'a CallEffects>,
}

/// The variables for evaluating conditions on one call, and the shared budget.
pub(crate) struct ConditionContext {
    variables: CelVariables,
    budget: EvaluationBudget,
}

/// Builds the variables for conditions, or returns the reason why every condition fails.
pub(crate) fn build_context(call: &ConditionInput<'_>) -> Result<ConditionContext, String> {
    let subject = call.subject;
    let size = subject.arguments.as_str().len() + subject.impact.map_or(0, |impact| impact.as_str().len());
    if size > MAX_INPUT {
        return Err(format!("the call has {size} bytes, but a condition can read at most {MAX_INPUT}"));
    }
    let args = call.args.ok_or("the arguments cannot be read")?;
    let hints = call.hints;
    let hints =
        ToolHint::ALL.map(|hint| (MapKey::Text(hint.as_str().into()), CelValue::Bool(hints.value(hint))));
    let nothing = OrderedValue::Map(Vec::new());
    let mut variables = CelVariables::from([
        ("args", to_cel_value(args)?),
        ("tool", subject.tool.as_str().into()),
        ("thread", subject.thread.as_str().into()),
        ("principal", subject.principal.as_str().into()),
        ("place", place_variable(subject.place)),
        ("agent", agent_variable(subject.place)),
        ("annotations", CelValue::Map(Arc::new(hints.into()))),
        ("impact", to_cel_value(call.impact.unwrap_or(&nothing))?),
        ("effects", effects_variable(call.effects)),
    ]);
    // A condition that reads a project that no one named fails, like one that reads a missing field.
    if let Some(project) = subject.place.and_then(|place| place.project.as_deref()) {
        variables.insert("project", project.into());
    }
    Ok(ConditionContext { variables, budget: EvaluationBudget::new(MAX_UNITS) })
}

/// The lists of what the call does. A list has at most as many elements as a condition can read.
fn effects_variable(effects: Option<&CallEffects>) -> CelValue {
    let entry = |name: &&'static str| {
        let texts = effects.map(|effects| effects.list(name).found).unwrap_or_default();
        let texts: Vec<CelValue> = texts.iter().take(MAX_LIST).map(|text| text.as_str().into()).collect();
        (MapKey::Text((*name).into()), texts.into())
    };
    CelValue::Map(Arc::new(EFFECT_LISTS.iter().map(entry).collect()))
}

/// The place with the fields that its proposer named. A condition that reads another field fails.
fn place_variable(place: Option<&Place>) -> CelValue {
    to_cel_map(place.into_iter().flat_map(Place::fields))
}

/// The agent that the place names: its kind, and its name with the sub-agent.
fn agent_variable(place: Option<&Place>) -> CelValue {
    let name = place.and_then(|place| place.agent.as_deref()).map(|name| ("name", name));
    to_cel_map(place.and_then(Place::agent_kind).map(|kind| ("kind", kind)).into_iter().chain(name))
}

fn to_cel_map<'a>(fields: impl Iterator<Item = (&'static str, &'a str)>) -> CelValue {
    CelValue::Map(Arc::new(fields.map(|(name, text)| (MapKey::Text(name.into()), text.into())).collect()))
}

/// Converts a value to CEL. A number that CEL cannot represent exactly makes the condition fail.
fn to_cel_value(json: &OrderedValue) -> Result<CelValue, String> {
    Ok(match json {
        OrderedValue::Null => CelValue::Null,
        OrderedValue::Bool(yes) => CelValue::Bool(*yes),
        OrderedValue::Text(text) => text.as_str().into(),
        OrderedValue::Number(number) => match (number.to_i64(), number.is_whole(), number.to_f64()) {
            (Some(whole), ..) => CelValue::Int(whole),
            (None, false, Some(double)) => CelValue::Double(double),
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
            let member = |(key, json): &(String, OrderedValue)| {
                Ok((MapKey::Text(key.as_str().into()), to_cel_value(json)?))
            };
            CelValue::Map(Arc::new(members.iter().map(member).collect::<Result<_, String>>()?))
        }
    })
}
