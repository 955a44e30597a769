//! `countersign show`

use super::print_call;
use crate::{
    args::{Args, Show},
    exit::Exit,
    find, target,
};

pub(crate) async fn show(args: &Args, show: &Show) -> anyhow::Result<Exit> {
    let gate = target::gate(args).await?;
    print_call(args, &find::find(&gate, &show.which).await?)
}
