// A command line, divided into simple commands for reading. It is a display: the server's parser decides what matches.

/** @typedef {{ kind: "program" | "word" | "quoted" | "operator" | "expansion" | "comment" | "space", text: string }} Piece */

/** The longest line that is divided, in characters. A longer one is shown as text. */
export const MOST = 20_000;

const OPERATOR = /^(?:&&|\|\||;;|\|&|>>|<<<|<<-?|&>>?|[0-9]?[<>]&?|[;|&(){}])/;
/** The operators after which a new simple command starts on a new line. */
const ENDS_COMMAND = new Set(["&&", "||", ";", "|", "|&", "&", ";;"]);

/**
 * Divides a command line into lines of pieces: one line for each simple command.
 * @param {string} text @returns {Piece[][]}
 */
export function divideCommandLine(text) {
  /** @type {Piece[][]} */
  const lines = [[]];
  let isStart = true;
  const push = (/** @type {Piece} */ piece) => lines[lines.length - 1]?.push(piece);
  const breakLine = () => {
    if (lines[lines.length - 1]?.length) lines.push([]);
    isStart = true;
  };
  for (let at = 0; at < text.length; ) {
    const rest = text.slice(at);
    const piece = readPiece(rest, isStart);
    at += piece.text.length;
    if (piece.kind === "space" && piece.text.includes("\n")) {
      breakLine();
      continue;
    }
    if (piece.kind === "space" && isStart && lines[lines.length - 1]?.length === 0) continue;
    push(piece);
    if (piece.kind === "operator") {
      isStart = ENDS_COMMAND.has(piece.text) || /^[(){}]$/.test(piece.text);
      if (ENDS_COMMAND.has(piece.text)) breakLine();
    } else if (piece.kind !== "space" && !/^[A-Za-z_][A-Za-z0-9_]*=/.test(piece.text)) {
      isStart = false;
    }
  }
  return lines.filter((line) => line.length > 0);
}

/** @param {string} rest @param {boolean} isStart @returns {Piece} */
function readPiece(rest, isStart) {
  const space = /^\s+/.exec(rest);
  if (space) return { kind: "space", text: space[0] };
  const comment = /^#[^\n]*/.exec(rest);
  if (comment) return { kind: "comment", text: comment[0] };
  const quoted = /^(?:'[^']*'?|\$?"(?:\\[\s\S]|[^"\\])*"?|`(?:\\[\s\S]|[^`\\])*`?)/.exec(rest);
  if (quoted) return { kind: isStart ? "program" : "quoted", text: quoted[0] };
  const expansion = /^\$(?:\{[^}]*\}?|\w+|[?@*#!$-])/.exec(rest);
  if (expansion) return { kind: "expansion", text: expansion[0] };
  if (rest.startsWith("$(")) return { kind: "expansion", text: "$(" };
  const operator = OPERATOR.exec(rest);
  if (operator) return { kind: "operator", text: operator[0] };
  const word = /^(?:\\[\s\S]|[^\s'"`$;|&<>(){}])+/.exec(rest);
  const text = word ? word[0] : rest.slice(0, 1);
  return { kind: isStart ? "program" : "word", text };
}
