//! The demo's data: files, calls and answers, as `script.toml` lists them.

use countersign_api::{self as api, ErrorCode, GateError};
use serde::Deserialize;
use std::{collections::BTreeMap, fs, path::Path};

#[derive(Deserialize)]
pub(crate) struct DemoScript {
    pub(crate) introduction: String,
    pub(crate) policy: String,
    files: BTreeMap<String, String>,
    pub(crate) steps: Vec<DemoStep>,
}

/// A call, and the scripted person's answer. Without one, a rule, a grant or the expiry decides.
#[derive(Deserialize)]
pub(crate) struct DemoStep {
    pub(crate) list: String,
    pub(crate) call: api::ProposeRequest,
    pub(crate) answer: Option<api::DecisionRequest>,
}

impl DemoScript {
    /// The script for a demo in the folder `desk`. With the scripted person, unanswered calls expire soon.
    pub(crate) fn read(desk: &Path, is_auto: bool) -> anyhow::Result<Self> {
        let folder = desk.to_str().ok_or_else(|| {
            let message = format!("{}: the folder's name must be Unicode", desk.display());
            GateError::new(ErrorCode::BadUrl, message)
        })?;
        let data: serde_json::Value = toml::from_str(include_str!("script.toml"))?;
        let data = data.to_string().replace(r#""$DESK""#, &serde_json::to_string(folder)?);
        let mut script: Self = serde_json::from_str(&data)?;
        for step in script.steps.iter_mut().filter(|_| is_auto) {
            step.call.expires_in_seconds = step.call.expires_in_seconds.map(|_| 1);
        }
        Ok(script)
    }

    /// Creates the demo's files.
    pub(crate) fn furnish(&self, desk: &Path) -> std::io::Result<()> {
        for (name, content) in &self.files {
            let path = desk.join(name);
            fs::create_dir_all(path.parent().unwrap_or(desk))?;
            fs::write(path, content)?;
        }
        Ok(())
    }
}
