//! Whether a call stays inside of its project, or of other folders.

use crate::{command_operand::CommandOperand, facts::CallFacts, outcome::SelectorHit, value::OrderedValue};
use countersign_patterns::{MatchAnswer, ParsedPath, command::PathBounds, path};

/// Arguments that name the folder in which a command runs.
pub(crate) const FOLDER_ARGUMENTS: [&str; 6] =
    ["cwd", "workdir", "working_directory", "workingDirectory", "directory", "dir_path"];

/// The folders in which all paths of a call must be.
#[derive(Debug, Clone, Default)]
pub(crate) struct InsideSelector {
    /// Whether the call's project is one of them.
    pub(crate) project: bool,
    /// The others, absolute and in normal form.
    pub(crate) folders: Vec<String>,
}

impl CallFacts<'_> {
    /// Matches if every path of the call, also in its commands, is in one of the folders. Paths are compared as text.
    pub(crate) fn match_inside(&self, inside: &InsideSelector) -> SelectorHit {
        let failed = |why: &str| SelectorHit::Failed(why.to_owned());
        let place = self.subject.place;
        let absolute = |text: &str| path::normalise(text).filter(|path| path.starts_with('/'));
        let mut roots = inside.folders.clone();
        if inside.project {
            let project = place.and_then(|place| place.project.as_deref()).and_then(absolute);
            match project {
                Some(project) => roots.extend(self.settings.project_folders.iter().cloned().chain([project])),
                None => return failed("the call does not say in which project it runs"),
            }
        }
        let Some(start) = place.and_then(|place| place.folder.as_deref()).and_then(absolute) else {
            return failed("the call does not say in which folder it runs");
        };
        let Some(folder) = self.folder_of_call(PathBounds { roots: &roots, folder: &start }) else {
            return SelectorHit::No;
        };
        let bounds = PathBounds { roots: &roots, folder: &folder };
        match self.find_path_outside(bounds).or_else(|| self.find_command_outside(bounds)) {
            Some(hit) => hit,
            None if bounds.depth(&folder).is_none() => SelectorHit::No,
            None => SelectorHit::Yes("all paths are inside".to_owned()),
        }
    }

    /// The folder in which the call runs: the start, or what one argument names. `None` if that may be outside.
    fn folder_of_call(&self, bounds: PathBounds<'_>) -> Option<String> {
        let mut folder = bounds.folder.to_owned();
        for key in FOLDER_ARGUMENTS {
            match self.args()?.get(key) {
                None | Some(OrderedValue::Null) => {}
                Some(OrderedValue::Text(named)) if bounds.contain(named) == MatchAnswer::Yes => {
                    folder = path::normalise(&bounds.resolve(named))?;
                }
                Some(_) => return None,
            }
        }
        Some(folder)
    }

    fn find_path_outside(&self, bounds: PathBounds<'_>) -> Option<SelectorHit> {
        let operands = self.paths();
        let outside = |path: &ParsedPath| {
            let answer = if path.normal().is_some() || path.as_str().starts_with("..") {
                bounds.contain(path.as_str())
            } else {
                MatchAnswer::Unclear
            };
            match answer {
                MatchAnswer::Yes => None,
                MatchAnswer::No => Some(SelectorHit::No),
                MatchAnswer::Unclear => Some(SelectorHit::Unclear(format!(
                    "the target of path `{}` is unknown",
                    self.redact_and_shorten(path.as_str())
                ))),
            }
        };
        operands.gap.clone().or_else(|| operands.found.iter().find_map(outside))
    }

    fn find_command_outside(&self, bounds: PathBounds<'_>) -> Option<SelectorHit> {
        let operands = self.commands();
        let is_outside =
            |command: &CommandOperand| command.scripts().any(|script| script.find_outside(bounds).is_some());
        operands.gap.clone().or_else(|| operands.found.iter().any(is_outside).then_some(SelectorHit::No))
    }
}
