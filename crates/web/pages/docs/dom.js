// Small builders of elements. All content is set as text, never as HTML.

export function create(tag, properties = {}, ...children) {
  const { attributes = {}, ...rest } = properties;
  const element = Object.assign(document.createElement(tag), rest);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children.flat().filter((child) => child !== undefined && child !== ""));
  return element;
}

// Text in which `code` stands between backticks.
export function inline(text) {
  return text.split("`").map((part, at) => (at % 2 ? create("code", { textContent: part }) : part));
}

// Paragraphs that empty lines separate.
export function prose(text) {
  return (text ?? "").split(/\n{2,}/).filter(Boolean).map((part) => create("p", {}, inline(part)));
}

// Details whose content is made when they open for the first time: schemas may contain themselves.
export function lazyDetails(title, make) {
  const details = create("details", {}, create("summary", {}, title));
  details.addEventListener("toggle", () => details.append(...[make()].flat()), { once: true });
  return details;
}

// A block of code, with a button to copy it where the browser permits that.
export function codeBlock(title, text) {
  // Wide code scrolls, so it can have the focus.
  const code = create("pre", { tabIndex: 0, attributes: { role: "region", "aria-label": title } }, create("code", { textContent: text }));
  const head = create("div", { className: "block-head" }, create("span", { textContent: title }));
  if (navigator.clipboard) {
    const copy = create("button", { type: "button", textContent: "Copy", attributes: { "aria-label": `Copy: ${title}` } });
    copy.addEventListener("click", async () => {
      await navigator.clipboard.writeText(text).then(() => { copy.textContent = "Copied"; }, () => { copy.textContent = "Not copied"; });
    });
    head.append(copy);
  }
  return create("div", { className: "block" }, head, code);
}
