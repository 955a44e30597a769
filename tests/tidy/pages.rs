//! The documentation's pages: every page is in the navigation, every link leads to a file and a heading, and JSON is
//! valid.

use super::{files_ending, read, root};
use std::{collections::BTreeMap, path::Path};

/// The book's navigation.
const NAVIGATION: &str = "docs/SUMMARY.md";
/// The map of all pages.
const MAP: &str = "docs/map.md";
/// The examples' index. The book adds an index's pages to the navigation.
const EXAMPLES: &str = "examples/README.md";
/// The decisions' index.
const DECISIONS: &str = "docs/decisions/README.md";

/// A page link: its line, and its target as it is written.
struct PageLink {
    line: usize,
    target: String,
}

/// Returns the page lines outside of code blocks, with their numbers.
fn text_lines(page: &str) -> Vec<(usize, &str)> {
    let mut fence: Option<String> = None;
    let mut is_after_blank = true;
    let mut lines = Vec::new();
    for (index, line) in page.lines().enumerate() {
        let marks: String = line.trim_start().chars().take_while(|c| *c == '`').collect();
        if let Some(open) = &fence {
            if marks.len() >= open.len() && line.trim() == marks {
                fence = None;
            }
            continue;
        }
        if marks.len() >= 3 {
            fence = Some(marks);
            continue;
        }
        let is_code = line.starts_with("    ") && is_after_blank;
        is_after_blank = line.trim().is_empty() || is_code;
        if !is_code {
            lines.push((index + 1, line));
        }
    }
    lines
}

/// Removes code in a line: everything between backticks.
fn without_code(line: &str) -> String {
    let mut text = String::new();
    let mut rest = line;
    while let Some(start) = rest.find('`') {
        let marks = rest[start..].chars().take_while(|c| *c == '`').count();
        text.push_str(&rest[..start]);
        let after = &rest[start + marks..];
        let Some(end) = after.find(&"`".repeat(marks)) else { break };
        rest = &after[end + marks..];
    }
    text + rest
}

fn links(page: &str) -> Vec<PageLink> {
    let in_line = |(line, text): (usize, &str)| {
        let text = without_code(text);
        let targets = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
        targets.map(|target| PageLink { line, target: target.to_owned() }).collect::<Vec<_>>()
    };
    text_lines(page).into_iter().flat_map(in_line).collect()
}

/// Returns the path in the repository that a link in `page` leads to, and the heading name. `None` for a link to
/// another host.
fn resolve_link(page: &str, target: &str) -> Option<(String, String)> {
    if target.contains("://") || target.starts_with("mailto:") {
        return None;
    }
    let (file, heading) = target.split_once('#').unwrap_or((target, ""));
    if file.is_empty() {
        return Some((page.to_owned(), heading.to_owned()));
    }
    let mut parts: Vec<&str> =
        Path::new(page).parent().and_then(Path::to_str).unwrap_or_default().split('/').collect();
    parts.retain(|part| !part.is_empty());
    for part in file.trim_end_matches('/').split('/') {
        match part {
            "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    Some((parts.join("/"), heading.to_owned()))
}

/// Returns the heading names in a page, as a code host and mdBook make them.
fn headings(page: &str) -> Vec<String> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let titles = text_lines(page).into_iter().filter_map(|(_, line)| {
        let title = line.trim_start_matches('#');
        (title.len() < line.len()).then(|| title.strip_prefix(' ')).flatten()
    });
    let mut names = Vec::new();
    for title in titles {
        let name = heading_name(title);
        let count = counts.entry(name.clone()).or_default();
        names.push(if *count == 0 { name } else { format!("{name}-{count}") });
        *count += 1;
    }
    names
}

fn heading_name(title: &str) -> String {
    // Of a link, only the text counts.
    let text: String = title
        .split('[')
        .enumerate()
        .map(|(index, part)| match part.split_once("](") {
            Some((text, rest)) if index > 0 => {
                text.to_owned() + rest.split_once(')').map_or("", |(_, after)| after)
            }
            _ => part.to_owned(),
        })
        .collect();
    let kept = text.trim().chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect::<String>().to_lowercase()
}

fn is_page(path: &str) -> bool {
    Path::new(path).extension().is_some_and(|end| end == "md")
}

/// Returns the pages that a page links to.
fn linked_pages(page: &str) -> Vec<String> {
    links(&read(page))
        .into_iter()
        .filter_map(|link| Some(resolve_link(page, &link.target)?.0))
        .filter(|path| is_page(path))
        .collect()
}

#[test]
fn links_have_targets() {
    let mut broken = Vec::new();
    let mut count = 0;
    for page in files_ending(".md") {
        for PageLink { line, target } in links(&read(&page)) {
            let Some((path, heading)) = resolve_link(&page, &target) else { continue };
            count += 1;
            if !root().join(&path).exists() {
                broken.push(format!("{page}:{line}: {path} does not exist"));
            } else if !heading.is_empty() && is_page(&path) && !headings(&read(&path)).contains(&heading) {
                broken.push(format!("{page}:{line}: {path} has no heading #{heading}"));
            }
        }
    }
    assert!(broken.is_empty(), "these links have no target: {broken:#?}");
    assert!(count > 500, "{count} links were found");
}

#[test]
fn every_decision_record_has_a_status() {
    let records: Vec<_> = files_ending(".md")
        .into_iter()
        .filter(|page| page.starts_with("docs/decisions/") && page != DECISIONS)
        .collect();
    for record in &records {
        let text = read(record);
        let status = text.lines().nth(2).unwrap_or_default();
        let accepted =
            ["**Status.** Accepted.", "**Status.** Accepted, changed by [", "**Status.** Superseded by ["];
        assert!(
            accepted.iter().any(|start| status.starts_with(start)),
            "{record}: its third line must begin with one of {accepted:?}"
        );
    }
    assert!(records.len() > 80, "{} records were found", records.len());
}

#[test]
fn every_page_is_in_the_navigation() {
    let (navigation, map, decisions) = (linked_pages(NAVIGATION), linked_pages(MAP), linked_pages(DECISIONS));
    for page in files_ending(".md").into_iter().filter(|path| path.starts_with("docs/")) {
        if page == NAVIGATION {
            continue;
        }
        if page.starts_with("docs/decisions/") && page != DECISIONS {
            assert!(decisions.contains(&page), "{page} is not in {DECISIONS}: add a line for it");
            continue;
        }
        assert!(navigation.contains(&page), "{page} is not in {NAVIGATION}: add a line for it");
        assert!(page == MAP || map.contains(&page), "{page} is not in {MAP}: add a line for it");
    }
    let has_index = navigation.iter().any(|page| page == EXAMPLES);
    let examples = if has_index { linked_pages(EXAMPLES) } else { Vec::new() };
    for readme in files_ending("/README.md") {
        if ["clients/", "examples/"].iter().any(|folder| readme.starts_with(folder)) {
            let is_named = navigation.contains(&readme) || examples.contains(&readme);
            assert!(is_named, "{readme} is not in {NAVIGATION} or {EXAMPLES}: add a line for it");
        }
    }
}

#[test]
fn every_page_names_its_kind_once() {
    let kinds = ["**Tutorial.** ", "**How-to.** ", "**Reference.** ", "**Explanation.** "];
    let is_kind = |line: &&str| kinds.iter().any(|kind| line.starts_with(kind));
    let is_record = |page: &str| page.starts_with("docs/decisions/") && page != DECISIONS;
    for page in files_ending(".md").into_iter().filter(|path| path.starts_with("docs/")) {
        if page == NAVIGATION || is_record(&page) {
            continue;
        }
        let text = read(&page);
        let beginning = text.split("\n## ").next().unwrap_or_default();
        assert_eq!(text.lines().filter(is_kind).count(), 1, "{page} names its kind once: {kinds:?}");
        assert!(
            beginning.lines().any(|line| is_kind(&line)),
            "{page} names its kind before its first section"
        );
    }
}

#[test]
fn navigation_names_a_page_once() {
    let mut pages = linked_pages(NAVIGATION);
    let count = pages.len();
    pages.sort();
    pages.dedup();
    assert_eq!(pages.len(), count, "{NAVIGATION} names a page twice");
}

#[test]
fn json_in_pages_is_valid() {
    let mut count = 0;
    for page in files_ending(".md") {
        for block in read(&page).split("\n```json\n").skip(1) {
            let block = block.split("\n```").next().unwrap_or_default();
            let parsed = serde_json::from_str::<serde_json::Value>(block);
            assert!(parsed.is_ok(), "{page}: {}\n{block}", parsed.expect_err("checked"));
            count += 1;
        }
    }
    assert!(count > 2, "{count} blocks were found");
}

#[test]
fn links_in_code_are_ignored() {
    let page = "# A `b` [c](d.md)\n\n[x](y.md#z) and `[a](b.md)`\n\n    [code](c.md)\n\n```text\n[d](e.md)\n```\n## A `b` c\n";
    let targets: Vec<_> = links(page).into_iter().map(|link| (link.line, link.target)).collect();
    assert_eq!(targets, [(1, "d.md".to_owned()), (3, "y.md#z".to_owned())]);
    assert_eq!(headings(page), ["a-b-c", "a-b-c-1"]);
    let resolved = resolve_link("docs/guides/mcp.md", "../../clients/python/README.md#errors");
    assert_eq!(resolved, Some(("clients/python/README.md".to_owned(), "errors".to_owned())));
}
