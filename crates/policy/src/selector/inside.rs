//! Whether a call stays inside of its project, or of other folders.

use crate::{
    command_operand::CommandOperand, facts::CallFacts, outcome::SelectorHit, tools::FOLDER_ARGUMENTS,
    value::OrderedValue,
};
use countersign_patterns::{
    MatchAnswer, ParsedPath,
    command::{OutsideKind, OutsidePath, PathBounds},
    path,
};

/// The folders in which all paths of a call must be.
#[derive(Debug, Clone, Default)]
pub(crate) struct InsideSelector {
    /// Whether the call's project is one of them.
    pub(crate) project: bool,
    /// The others, absolute and in normal form.
    pub(crate) folders: Vec<String>,
}

/// Why a call leaves the folders, in words. Empty for a call that stays inside.
type OutsideReason = String;

impl CallFacts<'_> {
    /// Matches if every path of the call, also in its commands, is in one of the folders. Paths are compared as text, and so are
    /// the targets of the symbolic links that the call's place names.
    pub(crate) fn match_inside(&self, inside: &InsideSelector) -> (SelectorHit, OutsideReason) {
        let failed = |why: &str| (SelectorHit::Failed(why.to_owned()), String::new());
        let place = self.subject.place;
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
        let where_to = inside.describe();
        let outside = |word: &str| {
            (SelectorHit::No, format!("`{}` is outside {where_to}", self.redact_and_shorten(word)))
        };
        let folder = match self.folder_of_call(PathBounds { roots: &roots, folder: &start }) {
            Ok(folder) => folder,
            Err(named) => return outside(&named),
        };
        let bounds = PathBounds { roots: &roots, folder: &folder };
        if let Some(found) =
            self.find_path_outside(bounds, &where_to).or_else(|| self.find_command_outside(bounds, &where_to))
        {
            return found;
        }
        if bounds.depth(&folder).is_none() {
            return outside(&folder);
        }
        let targets = place.iter().flat_map(|place| &place.link_targets);
        if let Some(target) = targets.into_iter().find(|target| bounds.contain(target) != MatchAnswer::Yes) {
            let target = self.redact_and_shorten(target);
            return (
                SelectorHit::No,
                format!("a symbolic link leads to `{target}`, which is outside {where_to}"),
            );
        }
        (SelectorHit::Yes("all paths are inside".to_owned()), String::new())
    }

    /// The folder in which the call runs: the start, or what one argument names. The error is a folder that may be outside.
    fn folder_of_call(&self, bounds: PathBounds<'_>) -> Result<String, String> {
        let mut folder = bounds.folder.to_owned();
        let args = self.args().ok_or_else(|| "arguments".to_owned())?;
        for key in FOLDER_ARGUMENTS {
            match args.get(key) {
                None | Some(OrderedValue::Null) => {}
                Some(OrderedValue::Text(named)) if bounds.contain(named) == MatchAnswer::Yes => {
                    folder = path::normalise(&bounds.resolve(named)).ok_or_else(|| named.clone())?;
                }
                Some(other) => return Err(other.text().unwrap_or(key).to_owned()),
            }
        }
        Ok(folder)
    }

    fn find_path_outside(
        &self,
        bounds: PathBounds<'_>,
        where_to: &str,
    ) -> Option<(SelectorHit, OutsideReason)> {
        let operands = self.paths();
        let outside = |path: &ParsedPath| {
            let answer = if path.normal().is_some() || path.as_str().starts_with("..") {
                bounds.contain(path.as_str())
            } else {
                MatchAnswer::Unclear
            };
            let shown = || self.redact_and_shorten(path.as_str());
            match answer {
                MatchAnswer::Yes => None,
                MatchAnswer::No => Some((SelectorHit::No, format!("`{}` is outside {where_to}", shown()))),
                MatchAnswer::Unclear => {
                    let why = format!("the target of path `{}` is unknown", shown());
                    Some((SelectorHit::Unclear(why), String::new()))
                }
            }
        };
        let gap = operands.gap.clone().map(|gap| (gap, String::new()));
        gap.or_else(|| operands.found.iter().find_map(outside))
    }

    fn find_command_outside(
        &self,
        bounds: PathBounds<'_>,
        where_to: &str,
    ) -> Option<(SelectorHit, OutsideReason)> {
        let operands = self.commands();
        let gap = operands.gap.clone().map(|gap| (gap, String::new()));
        let scripts = || operands.found.iter().flat_map(CommandOperand::scripts);
        gap.or_else(|| {
            let found = scripts().find_map(|script| script.find_outside(bounds))?;
            Some((SelectorHit::No, self.describe_outside(&found, where_to)))
        })
    }

    fn describe_outside(&self, found: &OutsidePath, where_to: &str) -> OutsideReason {
        let word = self.redact_and_shorten(&found.word);
        match found.kind {
            OutsideKind::Outside => format!("`{word}` is outside {where_to}"),
            OutsideKind::UnknownValue => {
                format!("the value of `{word}` is unknown, and may lead out of {where_to}")
            }
            OutsideKind::FarAddress => format!("`{word}` is the address of another machine"),
            OutsideKind::UnshownFolder => format!("`{word}` goes to a folder that the line does not show"),
            OutsideKind::UnshownArguments => format!("`{word}` gets paths that the line does not show"),
        }
    }
}

impl InsideSelector {
    /// The folders, for a reason.
    fn describe(&self) -> String {
        match (self.project, self.folders.first()) {
            (true, _) | (false, None) => "the project".to_owned(),
            (false, Some(folder)) => format!("`{folder}`"),
        }
    }
}

fn absolute(text: &str) -> Option<String> {
    path::normalise(text).filter(|path| path.starts_with('/'))
}
