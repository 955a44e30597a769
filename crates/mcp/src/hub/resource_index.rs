//! Which server has a resource: the one that listed it, or whose template fits.

use std::collections::HashMap;

/// The most addresses of resources that a hub remembers.
const MAX_URIS: usize = 20_000;

/// The resources of all servers that are known so far.
#[derive(Debug, Default)]
pub(crate) struct ResourceIndex {
    owners: HashMap<String, usize>,
    templates: Vec<(usize, String)>,
    /// Whether all servers were asked for their resources and templates.
    pub(crate) is_complete: bool,
}

impl ResourceIndex {
    /// Remembers which server has a resource. If several servers have it, it belongs to the first of them.
    pub(crate) fn add(&mut self, uri: &str, server: usize) {
        if let Some(owner) = self.owners.get_mut(uri) {
            *owner = server.min(*owner);
        } else if self.owners.len() < MAX_URIS {
            self.owners.insert(uri.to_owned(), server);
        }
    }

    /// Remembers which server has a template.
    pub(crate) fn add_template(&mut self, template: &str, server: usize) {
        if self.templates.len() < MAX_URIS
            && !self.templates.iter().any(|known| known.0 == server && known.1 == template)
        {
            self.templates.push((server, template.to_owned()));
        }
    }

    /// The server that has a resource or a template with exactly this URI; otherwise the first whose template fits.
    pub(crate) fn owner(&self, uri: &str) -> Option<usize> {
        let listed = self.owners.get(uri).copied();
        listed
            .or_else(|| self.first_template(|template| template == uri))
            .or_else(|| self.first_template(|template| fits_template(uri, template)))
    }

    fn first_template(&self, fits: impl Fn(&str) -> bool) -> Option<usize> {
        self.templates.iter().filter(|(_, template)| fits(template)).map(|(server, _)| *server).min()
    }

    /// Forgets a server, or the lists of all servers because one of them has changed.
    pub(crate) fn forget(&mut self, server: usize) {
        self.owners.retain(|_, owner| *owner != server);
        self.templates.retain(|(owner, _)| *owner != server);
        self.is_complete = false;
    }
}

/// Returns true if an address may come from a template (RFC 6570): its literal parts between the expressions appear
/// in this order.
fn fits_template(uri: &str, template: &str) -> bool {
    let mut literals = Vec::new();
    let mut rest = template;
    while let Some((literal, after)) = rest.split_once('{') {
        literals.push(literal);
        let Some((_, after)) = after.split_once('}') else { return false };
        rest = after;
    }
    let Some((first, between)) = literals.split_first() else { return uri == template };
    let Some(mut uri) = uri.strip_prefix(first) else { return false };
    for literal in between {
        let Some(at) = uri.find(literal) else { return false };
        uri = &uri[at + literal.len()..];
    }
    uri.ends_with(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates_fit_their_addresses() {
        for (uri, template, fits) in [
            ("demo://r/1", "demo://r/{id}", true),
            ("demo://r/1/x", "demo://r/{id}/x", true),
            ("demo://r/1/y", "demo://r/{id}/x", false),
            ("file:///a/b", "file:///{+path}", true),
            ("https://h/a?q=1", "https://h/{a}{?q}", true),
            ("demo://r/1", "demo://s/{id}", false),
            ("demo://r", "demo://r", true),
            ("x", "{", false),
        ] {
            assert_eq!(fits_template(uri, template), fits, "{uri} {template}");
        }
    }

    #[test]
    fn first_server_owns_what_several_have() {
        let mut index = ResourceIndex::default();
        index.add("a://1", 2);
        index.add("a://1", 1);
        index.add_template("a://{x}", 1);
        index.add_template("a://{y}", 0);
        assert_eq!(
            (index.owner("a://1"), index.owner("a://2"), index.owner("a://{x}")),
            (Some(1), Some(0), Some(1))
        );
        index.forget(0);
        assert_eq!((index.owner("a://2"), index.owner("b://1")), (Some(1), None));
    }
}
