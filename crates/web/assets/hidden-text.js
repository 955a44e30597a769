// Shows what models and tools wrote unchanged, but makes hidden characters visible.

import { html } from "./vendor/lit-html/lit-html.js";

// The same characters as `hiddenCharacters` of the API: control characters except line breaks and tabs, formats (zero
// width, direction), spaces other than the usual one, characters without an agreed look, and the braille blank.
const HIDDEN =
  /(?![ \n\t]|\r\n)[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Zs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/** The visible notation for a hidden character. @param {string} character */
const nameOf = (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;

/** Returns true if the text has hidden characters. @param {string} text */
export function hasHidden(text) {
  HIDDEN.lastIndex = 0;
  return HIDDEN.test(text);
}

/** The text with hidden characters in notation, as plain text. @param {string} text */
export const escapeHidden = (text) => text.replace(HIDDEN, nameOf);

/** Renders text with each hidden character as a marked notation. @param {string} text */
export function renderText(text) {
  const parts = [];
  let from = 0;
  for (const match of text.matchAll(HIDDEN)) {
    parts.push(text.slice(from, match.index));
    parts.push(html`<mark class="hidden" title="a character that is invisible">${nameOf(match[0])}</mark>`);
    from = match.index + match[0].length;
  }
  parts.push(text.slice(from));
  // `bdi` keeps letters of right-to-left scripts from reordering what is around the text.
  return html`<bdi>${parts}</bdi>`;
}
