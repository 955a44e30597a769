// Shows what models and tools wrote unchanged, but makes hidden characters and letters of other alphabets visible.

import { html } from "./vendor/lit-html/lit-html.js";

// The same characters as `hiddenCharacters` of the API: control characters except line breaks and tabs, formats (zero
// width, direction), spaces other than the usual one, characters without an agreed look, and the braille blank.
const HIDDEN =
  /(?![ \n\t]|\r\n)[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Zs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/** Words that may mix alphabets: those with a character beyond ASCII. */
const WORD = /[\p{L}\p{M}\p{N}]*[\p{L}--\p{ASCII}][\p{L}\p{M}\p{N}]*/gv;

/** The alphabets whose letters look alike. A word belongs to the first one that it has a letter of. */
const ALPHABETS = [/\p{Script=Latin}/u, /\p{Script=Cyrillic}/u, /\p{Script=Greek}/u, /\p{Script=Armenian}/u, /\p{Script=Cherokee}/u];

/** Letters that languages of East Asia combine with Latin letters, and letters of every alphabet. */
const COMBINED = /\p{scx=Han}|\p{scx=Hiragana}|\p{scx=Katakana}|\p{scx=Bopomofo}|\p{scx=Hangul}|\p{Script=Common}|\p{Script=Inherited}/u;

/** The visible notation for a hidden character. @param {string} character */
const nameOf = (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;

/** Returns true if the text has hidden characters. @param {string} text */
export function hasHidden(text) {
  HIDDEN.lastIndex = 0;
  return HIDDEN.test(text);
}

/** The text with hidden characters in notation, as plain text. @param {string} text */
export const escapeHidden = (text) => text.replace(HIDDEN, nameOf);

/** The letters of a word that are of another alphabet than its first one. @param {string} word */
function* findForeign(word) {
  const own = ALPHABETS.find((alphabet) => alphabet.test(word));
  if (!own) return;
  let at = 0;
  for (const letter of word) {
    if (/\p{L}/u.test(letter) && !own.test(letter) && !COMBINED.test(letter)) yield { at, letter };
    at += letter.length;
  }
}

/** The marks of a string, in order. @param {string} text @returns {{ at: number, letter: string, isForeign: boolean }[]} */
function findMarks(text) {
  const marks = [...text.matchAll(HIDDEN)].map(({ index, 0: letter }) => ({ at: index, letter, isForeign: false }));
  if (/^\p{ASCII}*$/u.test(text)) return marks;
  for (const word of text.matchAll(WORD)) {
    for (const { at, letter } of findForeign(word[0])) marks.push({ at: word.index + at, letter, isForeign: true });
  }
  return marks.sort((a, b) => a.at - b.at);
}

/** Renders text with each hidden character as a marked notation, and each letter of another alphabet marked. @param {string} text */
export function renderText(text) {
  const parts = [];
  let from = 0;
  for (const { at, letter, isForeign } of findMarks(text)) {
    parts.push(text.slice(from, at));
    parts.push(isForeign
      ? html`<mark class="foreign" title=${`a letter of another alphabet, ${nameOf(letter)}`}>${letter}</mark>`
      : html`<mark class="hidden" title="a character that is invisible">${nameOf(letter)}</mark>`);
    from = at + letter.length;
  }
  parts.push(text.slice(from));
  // `bdi` keeps letters of right-to-left scripts from reordering what is around the text.
  return html`<bdi>${parts}</bdi>`;
}
