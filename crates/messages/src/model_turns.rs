//! The turns of model input: messages without approvals, each with the calls that it makes and their results.

use crate::{
    call_names::{CallNames, NameRules, rename, replacement},
    is_client_tool,
    neutral::{NeutralCall, NeutralMessage, NeutralPart, PartContent},
    written::WrittenMessages,
};
use countersign_events::EventType;
use std::collections::{HashMap, HashSet};

/// A message in the model input, and the results of its calls.
pub(crate) struct ModelTurn {
    pub(crate) position: u32,
    pub(crate) message: NeutralMessage,
    pub(crate) slots: Vec<ResultSlot>,
    /// The calls whose results belong into the message.
    pub(crate) hosted: Vec<ResultSlot>,
}

/// A call and its result.
pub(crate) struct ResultSlot {
    /// The call as it was sent.
    pub(crate) call: NeutralCall,
    /// The call as it is written.
    pub(crate) written: NeutralCall,
    /// Whether an earlier call has its id, so that the log may know another one.
    pub(crate) is_repeated: bool,
    pub(crate) result: Option<NeutralPart>,
}

/// How the target format has calls.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CallForm {
    pub(crate) names: Option<NameRules>,
    pub(crate) keeps_hosted_results: bool,
}

/// Leaves out approvals and the calls of clients, and puts each result to its call.
pub(crate) fn collect_turns(
    messages: Vec<(u32, NeutralMessage)>,
    form: CallForm,
    out: &mut WrittenMessages,
) -> Vec<ModelTurn> {
    let mut collector = TurnCollector {
        turns: Vec::new(),
        slots: HashMap::new(),
        replaced: HashMap::new(),
        names: CallNames::new(form.names),
        keeps_hosted: form.keeps_hosted_results,
        client_calls: HashSet::new(),
    };
    for (position, message) in messages {
        // Notes of the program are for people.
        if message.kind != EventType::LocalSystemMessage {
            collector.add(position, message, out);
        }
    }
    collector.turns
}

/// The turns so far, and where the last calls with each id are.
struct TurnCollector {
    turns: Vec<ModelTurn>,
    slots: HashMap<String, SlotsOfId>,
    /// The ids of calls by those that may stand for them in another view.
    replaced: HashMap<String, String>,
    names: CallNames,
    keeps_hosted: bool,
    client_calls: HashSet<String>,
}

/// The calls with one id in one turn. Results fill them in their order.
struct SlotsOfId {
    turn: usize,
    slots: Vec<usize>,
    filled: usize,
    is_hosted: bool,
}

impl TurnCollector {
    fn add(&mut self, position: u32, mut message: NeutralMessage, out: &mut WrittenMessages) {
        let count = message.parts.len();
        let mut results = Vec::new();
        let (mut slots, mut hosted) = (Vec::new(), Vec::new());
        for mut part in std::mem::take(&mut message.parts) {
            match &part.content {
                PartContent::Request { .. } | PartContent::Answer(_) => continue,
                PartContent::Call(call) if is_client_tool(&call.name) => {
                    self.client_calls.insert(call.id.clone());
                    continue;
                }
                PartContent::Call(call) => {
                    let place = format!("{position}_{}", slots.len() + hosted.len());
                    let slot = self.new_slot(call, &place);
                    message.is_changed |= write_call(&mut part, &slot);
                    let is_hosted = self.keeps_hosted && slot.call.is_hosted;
                    if is_hosted { &mut hosted } else { &mut slots }.push(slot);
                }
                PartContent::Result(_) => {
                    results.push(part);
                    continue;
                }
                _ => {}
            }
            message.parts.push(part);
        }
        message.is_changed |= message.parts.len() != count;
        let is_blank =
            |part: &NeutralPart| matches!(&part.content, PartContent::Text(text) if text.is_empty());
        if !message.parts.iter().all(is_blank) {
            self.note_slots(&slots, false);
            self.note_slots(&hosted, true);
            self.turns.push(ModelTurn { position, message, slots, hosted });
        }
        // A result may be in the same message as its call.
        for part in results {
            out.position = position;
            self.place_result(part, out);
        }
    }

    fn new_slot(&mut self, call: &NeutralCall, place: &str) -> ResultSlot {
        let written = self.names.choose(call, place);
        let is_repeated = self.slots.contains_key(&call.id);
        if written.id != call.id {
            self.replaced.insert(written.id.clone(), call.id.clone());
        }
        self.replaced.insert(replacement(&call.id), call.id.clone());
        ResultSlot { call: call.clone(), written, is_repeated, result: None }
    }

    fn note_slots(&mut self, slots: &[ResultSlot], is_hosted: bool) {
        let turn = self.turns.len();
        for (index, slot) in slots.iter().enumerate() {
            let new = || SlotsOfId { turn, slots: Vec::new(), filled: 0, is_hosted };
            let of_id = self.slots.entry(slot.call.id.clone()).or_insert_with(new);
            if of_id.turn != turn || of_id.is_hosted != is_hosted {
                *of_id = new();
            }
            of_id.slots.push(index);
        }
    }

    /// Puts a result to the last call with its id: to the first without a result if there is one. The last result counts.
    fn place_result(&mut self, part: NeutralPart, out: &mut WrittenMessages) {
        let PartContent::Result(result) = &part.content else { return };
        let id = if self.slots.contains_key(&result.id) { None } else { self.replaced.get(&result.id) };
        let Some(of_id) = self.slots.get_mut(id.unwrap_or(&result.id)) else {
            if !self.client_calls.contains(&result.id) {
                out.leave_out(&format!("result of {:?}, which no message calls", result.id));
            }
            return;
        };
        let index = of_id.filled.min(of_id.slots.len() - 1);
        of_id.filled += 1;
        let Some(turn) = self.turns.get_mut(of_id.turn) else { return };
        let slots = if of_id.is_hosted { &mut turn.hosted } else { &mut turn.slots };
        if let Some(slot) = of_id.slots.get(index).and_then(|slot| slots.get_mut(*slot)) {
            slot.result = Some(part);
        }
    }
}

/// Gives a part the id and the name with which its call is written, and returns true if that changes it.
fn write_call(part: &mut NeutralPart, slot: &ResultSlot) -> bool {
    if slot.written == slot.call {
        return false;
    }
    if let Some(original) = &mut part.original {
        rename(original, &slot.call, &slot.written);
    }
    part.content = PartContent::Call(slot.written.clone());
    true
}
