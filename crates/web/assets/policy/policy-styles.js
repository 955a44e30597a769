// Styles for the policy page.

import { css } from "../element.js";

export const policyStyles = css`
  .section { padding: 16px; display: grid; gap: 12px; min-width: 0; }
  .section-head { display: flex; flex-wrap: wrap; gap: 2px 16px; align-items: baseline; }
  .section > button { justify-self: start; }
  .trouble { padding: 12px 16px; border-radius: var(--cs-radius); background: var(--cs-warn-ground); overflow-wrap: anywhere; }
  .trouble strong { color: var(--cs-warn); }
  .facts { display: flex; flex-wrap: wrap; gap: 12px 40px; padding: 14px 16px; }
  .facts dt { font-size: 12px; color: var(--cs-muted); }
  .facts dd { overflow-wrap: anywhere; font-variant-numeric: tabular-nums; }
  .facts > div { min-width: 0; }
  table { border-collapse: collapse; width: 100%; }
  th, td { text-align: left; vertical-align: top; padding: 8px 8px 8px 0; border-bottom: 1px solid var(--cs-line); font-weight: 400; }
  tbody tr:last-child > * { border-bottom: 0; }
  thead th { font-size: 12px; color: var(--cs-muted); padding-block: 4px; }
  .rules td:first-child { width: 72px; }
  .name { font-weight: 550; margin-right: 6px; }
  .where { display: block; font-size: 12px; color: var(--cs-muted); overflow-wrap: anywhere; }
  th.hits, td.hits { text-align: right; width: 64px; padding-right: 0; font-variant-numeric: tabular-nums; white-space: nowrap; }
  tbody th { overflow-wrap: anywhere; }
  button.remove { min-height: 26px; padding: 0 8px; margin-left: -8px; font-size: 13px; }
  .confirm { display: flex; gap: 8px; margin-top: 6px; }
  .suggestions { list-style: none; display: grid; margin: 0 -16px -16px; }
  .suggestions > li { border-top: 1px solid var(--cs-line); }
  summary { cursor: pointer; width: fit-content; max-width: 100%; overflow-wrap: anywhere; }
  .warnings ul { padding: 8px 0 0 18px; font-size: 13px; color: var(--cs-warn); overflow-wrap: anywhere; }
  .history { list-style: none; display: grid; margin: 0; padding: 0; }
  .history li { display: grid; grid-template-columns: 56px minmax(0, 1fr) auto; gap: 4px 12px; padding: 8px 0; border-bottom: 1px solid var(--cs-line); align-items: baseline; }
  .history li:last-child { border-bottom: 0; }
  .history .event { color: var(--cs-muted); font-variant-numeric: tabular-nums; }
  .history .who { color: var(--cs-muted); font-size: 13px; }
  .history .what { overflow-wrap: anywhere; min-width: 0; }
  .file { margin: 8px 0 0; padding: 10px 0; border: 1px solid var(--cs-line); border-radius: var(--cs-radius-small); background: var(--cs-sunken); font-size: 13px; line-height: 1.55; }
  .file .row { display: grid; grid-template-columns: 48px minmax(0, 1fr); white-space: pre-wrap; overflow-wrap: anywhere; }
  .file .number { color: var(--cs-muted); text-align: right; padding-right: 12px; user-select: none; }
  @media (max-width: 560px) {
    .facts { gap: 10px 24px; }
    .history li { grid-template-columns: 40px minmax(0, 1fr); }
    .history .who { grid-column: 2; }
    .rules td:first-child { width: 60px; }
  }
`;

export const toolStyles = css`
  :host { display: block; min-width: 0; }
  form, .box { display: grid; gap: 12px; padding: 16px; }
  h2 { font-size: 15px; line-height: 1.4; font-weight: 650; }
  label { display: grid; gap: 4px; font-size: 12px; font-weight: 600; color: var(--cs-muted); min-width: 0; }
  textarea { font: 13px/1.55 var(--cs-mono, monospace); min-height: 84px; resize: vertical; color: var(--cs-text); font-weight: 400; padding: 8px 10px; }
  input, select { color: var(--cs-text); font-weight: 400; }
  input[type="file"] { padding: 4px; font-size: 13px; }
  .line { display: flex; flex-wrap: wrap; gap: 12px; align-items: end; }
  .line label { flex: 1 1 180px; }
  .line button { flex: none; }
  .head { display: flex; flex-wrap: wrap; gap: 2px 16px; align-items: baseline; }
  .answer { border-top: 1px solid var(--cs-line); padding-top: 12px; display: grid; gap: 10px; }
  .verdict { display: flex; flex-wrap: wrap; gap: 6px 12px; align-items: baseline; }
  .verdict .badge { font-size: 13px; padding: 2px 10px; }
  .verdict p { font-weight: 550; overflow-wrap: anywhere; min-width: 0; }
  ul { list-style: none; display: grid; gap: 6px; font-size: 13px; }
  li { display: grid; grid-template-columns: 56px minmax(0, 1fr); gap: 8px; align-items: baseline; overflow-wrap: anywhere; }
  table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: 13px; }
  th, td { text-align: right; padding: 5px 0 5px 20px; font-weight: 400; border-bottom: 1px solid var(--cs-line); }
  th:first-child { text-align: left; padding-left: 0; }
  thead th { color: var(--cs-muted); font-size: 12px; }
  td.changed { font-weight: 650; }
  .summary { font-weight: 550; }
  .case { display: grid; grid-template-columns: minmax(0, 1fr); gap: 1px; padding: 8px 0; border-bottom: 1px solid var(--cs-line); }
  .case a { color: var(--cs-accent); text-underline-offset: 3px; }
  .case .arguments { font-family: var(--cs-mono, monospace); font-size: 12px; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; color: var(--cs-muted); }
  details > summary { cursor: pointer; font-weight: 550; }
  details.danger > summary { color: var(--cs-deny); }
  @media (max-width: 760px) { button { min-height: 44px; } }
`;
