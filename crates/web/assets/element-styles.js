// The styles that the elements share. Colours and sizes come from the design tokens of tokens.css.

import { css } from "./element.js";

export const baseStyles = css`
  :host {
    display: block;
    font: var(--cs-size, 14px) / 1.5 var(--cs-font, system-ui, sans-serif);
    color: var(--cs-text);
  }
  :host([hidden]) { display: none; }
  *, ::before, ::after { box-sizing: border-box; }
  h1, h2, h3, p, dl, dd, ul { margin: 0; padding: 0; }
  bdi { unicode-bidi: isolate; overflow-wrap: anywhere; }
  code, pre, .mono { font-family: var(--cs-mono, monospace); font-size: 0.93em; }
  .muted { color: var(--cs-muted); }
  .hidden { background: var(--cs-warn-ground); color: var(--cs-warn); border-radius: 3px; padding: 0 2px; font-family: var(--cs-mono, monospace); }
  .foreign { background: var(--cs-deny-ground); color: var(--cs-deny); border-radius: 3px; padding: 0 1px; font-weight: 700; text-decoration: underline; }
  button, input, select, textarea { font: inherit; color: inherit; }
  button {
    display: inline-flex; align-items: center; justify-content: center; gap: 6px; min-height: 34px; padding: 4px 12px;
    border: 1px solid var(--cs-line-strong); border-radius: var(--cs-radius-small); background: var(--cs-surface); cursor: pointer;
    white-space: nowrap;
  }
  button:hover:not(:disabled) { background: var(--cs-hover); }
  button:disabled { opacity: 0.55; cursor: not-allowed; }
  button.quiet { border-color: transparent; background: transparent; color: var(--cs-muted); }
  button.quiet:hover:not(:disabled) { background: var(--cs-hover); color: var(--cs-text); }
  button.allow { border-color: var(--cs-allow); background: var(--cs-allow); color: light-dark(#fff, #06210f); font-weight: 600; }
  button.allow:hover:not(:disabled) { background: var(--cs-allow); filter: brightness(1.08); }
  button.deny { border-color: var(--cs-deny); color: var(--cs-deny); font-weight: 600; }
  button.deny:hover:not(:disabled) { background: var(--cs-deny-ground); }
  :focus-visible { outline: 2px solid var(--cs-accent); outline-offset: 2px; }
  input:not([type="checkbox"], [type="radio"]), select, textarea {
    min-height: 34px; padding: 4px 10px; border: 1px solid var(--cs-line-strong); border-radius: var(--cs-radius-small);
    background: var(--cs-surface); width: 100%;
  }
  ::placeholder { color: var(--cs-muted); opacity: 1; }
  kbd {
    font: 11px/1 var(--cs-mono, monospace); padding: 2px 4px; border: 1px solid var(--cs-line); border-radius: 4px;
    color: var(--cs-muted); background: var(--cs-sunken);
  }
  button.allow kbd { color: inherit; background: transparent; border-color: currentcolor; opacity: 0.75; }
  .badge {
    display: inline-flex; align-items: center; gap: 4px; padding: 1px 8px; border-radius: 99px; font-size: 12px;
    font-weight: 600; background: var(--cs-sunken); color: var(--cs-muted); white-space: nowrap;
  }
  .badge.high, .badge.critical, .badge.denied, .badge.failed { background: var(--cs-deny-ground); color: var(--cs-deny); }
  .badge.medium, .badge.unknown, .badge.expired { background: var(--cs-warn-ground); color: var(--cs-warn); }
  .badge.allowed, .badge.running, .badge.done { background: var(--cs-allow-ground); color: var(--cs-allow); }
  .note { font-size: 13px; }
  .warning { color: var(--cs-warn); }
  .problem { color: var(--cs-deny); }
  .first-call { display: grid; gap: 8px; justify-items: center; margin-top: 12px; }
  .first-call pre { text-align: left; margin: 0; max-width: 100%; overflow: auto; }
  .visually-hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
  @media (prefers-reduced-motion: reduce) { *, ::before, ::after { animation: none !important; transition: none !important; } }
`;

export const argumentStyles = css`
  .arguments { display: grid; gap: 12px; }
  .arguments dl { display: grid; gap: 12px; }
  .argument { display: grid; gap: 4px; min-width: 0; }
  .argument.plain { grid-template-columns: minmax(5em, min(10em, 34%)) minmax(0, 1fr); gap: 2px 16px; align-items: baseline; padding: 6px 12px; border: 1px solid var(--cs-line); background: var(--cs-sunken); }
  .argument.plain dt { overflow-wrap: anywhere; }
  .argument.plain + .argument.plain { margin-top: -13px; }
  .argument.plain:first-child { border-radius: var(--cs-radius-small) var(--cs-radius-small) 0 0; }
  .argument.plain:last-child { border-radius: 0 0 var(--cs-radius-small) var(--cs-radius-small); }
  .argument.plain:only-child { border-radius: var(--cs-radius-small); }
  .argument.plain dd > code { padding: 0; border: 0; border-radius: 0; background: none; }
  .argument dt { font-size: 12px; font-weight: 600; color: var(--cs-muted); }
  .argument dd { min-width: 0; }
  dd > code, dd > .tree, .command, .diff, pre.text {
    display: block; padding: 10px 12px; border: 1px solid var(--cs-line); border-radius: var(--cs-radius-small);
    background: var(--cs-sunken); white-space: pre-wrap; overflow-wrap: anywhere; margin: 0;
    font-family: var(--cs-mono, monospace); font-size: 13px; line-height: 1.6; tab-size: 4;
  }
  .command, .diff, dd > .tree { white-space: normal; }
  .command .line, .diff .line span:last-child { white-space: pre-wrap; }
  .command .line { padding-left: 1.6em; text-indent: -1.6em; counter-increment: line; }
  .command .line::before { content: "$"; display: inline-block; width: 1.6em; text-indent: 0; color: var(--cs-muted); user-select: none; }
  .program { font-weight: 700; color: var(--cs-accent); }
  .quoted { color: var(--cs-allow); }
  .operator { font-weight: 700; color: var(--cs-deny); }
  .expansion { color: var(--cs-warn); font-weight: 600; }
  .comment { color: var(--cs-muted); }
  .diff { padding: 4px 0; }
  .diff .line { display: grid; grid-template-columns: 2em 1fr; padding-right: 12px; }
  .diff .sign { text-align: center; color: var(--cs-muted); user-select: none; }
  .diff .added { background: var(--cs-allow-ground); }
  .diff .removed { background: var(--cs-deny-ground); }
  .host { color: var(--cs-accent); text-decoration: underline; text-underline-offset: 3px; }
  .tree { list-style: none; display: grid; gap: 2px; padding-left: 14px; border-left: 1px solid var(--cs-line); }
  .tree .name { color: var(--cs-muted); font: 13px var(--cs-mono, monospace); }
  .tree .name::after { content: ":"; }
  .tree code { white-space: pre-wrap; overflow-wrap: anywhere; }
  .string { color: var(--cs-allow); }
  .literal { color: var(--cs-accent); }
  .masked { background: var(--cs-sunken); border: 1px dashed var(--cs-line-strong); border-radius: 4px; padding: 0 6px; color: var(--cs-muted); }
`;
