// Texts of models and people, in a form that hides nothing.

// Control characters, marks of direction, characters without a width, unusual spaces, and those without an agreed look.
const HIDDEN = /(?![\n ])[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/gu;

// Writes hidden characters as \u{202e}.
export function escapeHidden(text) {
  return text.replace(HIDDEN, (character) => `\\u{${character.codePointAt(0).toString(16)}}`);
}

// The position after the value of JSON that begins at `start`.
function endOfValue(text, start) {
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    const character = text[at];
    if (character === '"') {
      at = endOfString(text, at) - 1;
      if (depth === 0) return at + 1;
    } else if (character === "{" || character === "[") {
      depth += 1;
    } else if (character === "}" || character === "]") {
      if (depth === 0) return at;
      depth -= 1;
      if (depth === 0) return at + 1;
    } else if (character === "," && depth === 0) {
      return at;
    }
  }
  return text.length;
}

function endOfString(text, start) {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
  return at + 1;
}

// The text of a member of an object, with every digit of its numbers.
export function memberText(text, name) {
  let at = text.indexOf("{") + 1;
  while (at > 0 && at < text.length) {
    const start = text.indexOf('"', at);
    if (start < 0) break;
    const end = endOfString(text, start);
    const value = text.indexOf(":", end) + 1;
    const after = endOfValue(text, value + text.slice(value).search(/\S/));
    if (JSON.parse(text.slice(start, end)) === name) return text.slice(value, after).trim();
    at = after;
  }
  return "";
}

// Puts each member and item of JSON on a line of its own, and changes nothing else.
export function formatJson(text) {
  let [out, depth] = ["", 0];
  const line = () => `\n${"  ".repeat(depth)}`;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === '"') {
      const end = endOfString(text, at);
      out += text.slice(at, end);
      at = end - 1;
    } else if (character === "{" || character === "[") {
      const next = text.slice(at + 1).search(/\S/) + at + 1;
      if (text[next] === "}" || text[next] === "]") {
        out += character + text[next];
        at = next;
      } else {
        depth += 1;
        out += character + line();
      }
    } else if (character === "}" || character === "]") {
      depth -= 1;
      out += line() + character;
    } else if (character === ",") {
      out += character + line();
    } else if (character === ":") {
      out += ": ";
    } else if (!/\s/.test(character)) {
      out += character;
    }
  }
  return out;
}
