// What mdBook's pages lack for keyboards and screen readers.
"use strict";

// Code and tables that are wider than the page scroll, so a keyboard must reach them.
for (const wide of document.querySelectorAll("pre > code, .table-wrapper, .cs-diagram-frame")) wide.tabIndex = 0;

// A column without a heading is not one that has an empty heading.
for (const heading of document.querySelectorAll("th")) {
  if (heading.textContent.trim() === "" && heading.childElementCount === 0) heading.replaceWith(document.createElement("td"));
}

// The bar at the top is a landmark, and what opens the table of contents is a button, which a label cannot be.
document.getElementById("mdbook-menu-bar")?.setAttribute("role", "banner");
const label = document.getElementById("mdbook-sidebar-toggle");
const anchor = document.getElementById("mdbook-sidebar-toggle-anchor");
if (label && anchor) {
  const button = document.createElement("button");
  for (const { name, value } of label.attributes) if (name !== "for") button.setAttribute(name, value);
  button.type = "button";
  button.append(...label.childNodes);
  button.addEventListener("click", () => anchor.click());
  const show = () => button.setAttribute("aria-expanded", String(anchor.checked));
  anchor.addEventListener("change", show);
  label.replaceWith(button);
  show();
}
