// Styles for the card and its decision.

import { css } from "../element.js";

export const cardStyles = css`
  article { display: grid; gap: 14px; padding: 20px; }
  header { display: flex; flex-wrap: wrap; align-items: center; gap: 10px; }
  h2 { font: 700 17px/1.3 var(--cs-mono, monospace); overflow-wrap: anywhere; min-width: 0; }
  .absent { padding: 20px; }
  .time { margin-left: auto; color: var(--cs-warn); font-variant-numeric: tabular-nums; font-size: 13px; }
  .meta { display: flex; flex-wrap: wrap; gap: 2px 14px; font-size: 13px; margin-top: -8px; }
  .meta a { color: inherit; }
  .problem.banner { background: var(--cs-deny-ground); }
  .arguments-section.folded { max-height: 260px; overflow: hidden; mask-image: linear-gradient(#000 60%, transparent); }
  .unfold { justify-self: start; border-color: var(--cs-accent); color: var(--cs-accent); font-weight: 600; }
  .result summary { cursor: pointer; font-weight: 600; padding: 4px 0; }
  .result pre { max-height: 320px; overflow: auto; }
  decision-panel { position: sticky; bottom: 0; background: var(--cs-surface); border-top: 1px solid var(--cs-line); margin: 0 -20px -20px; padding: 12px 20px 16px; }
  @media (max-width: 520px) { decision-panel { padding: 8px 20px; } }
`;

/** Styles for what stands beside the arguments, on the card and in a review. */
export const partStyles = css`
  .banner { padding: 8px 12px; border-radius: var(--cs-radius-small); background: var(--cs-warn-ground); }
  .definition { display: grid; gap: 10px; }
  .definition a { color: inherit; }
  .effects h3 { margin: 0 0 6px; font-size: 13px; color: var(--cs-muted); }
  .effects ul { margin: 0; padding-left: 20px; overflow-wrap: anywhere; }
  .claims { font-size: 12px; color: var(--cs-muted); display: grid; gap: 4px; padding-left: 10px; border-left: 3px solid var(--cs-line-strong); }
  .claims h3 { font-size: 12px; }
  .claims :is(dd, p) { white-space: pre-wrap; overflow-wrap: anywhere; }
  .claims dl > div { display: grid; grid-template-columns: 76px minmax(0, 1fr); gap: 8px; }
  .facts { display: grid; gap: 6px 24px; grid-template-columns: repeat(auto-fill, minmax(min(240px, 100%), 1fr)); font-size: 13px; padding-top: 12px; border-top: 1px solid var(--cs-line); }
  .facts dt { color: var(--cs-muted); }
  .facts dd { overflow-wrap: anywhere; }
`;

export const questionStyles = css`
  :host { display: grid; gap: 14px; }
  pre { margin: 0; white-space: pre-wrap; overflow-wrap: anywhere; }
  .message { font-size: 14px; }
  fieldset { border: 0; margin: 0; padding: 0; min-width: 0; display: grid; gap: 8px; }
  legend { padding: 0 0 6px; font-weight: 600; font-size: 15px; overflow-wrap: anywhere; }
  .option { display: flex; gap: 10px; align-items: baseline; padding: 8px 12px; border: 1px solid var(--cs-line); border-radius: var(--cs-radius-small); cursor: pointer; }
  .option:hover { background: var(--cs-hover); }
  .option.chosen { border-color: var(--cs-accent); background: var(--cs-sunken); }
  .option input { flex: none; }
  .option > span { display: grid; gap: 2px; min-width: 0; overflow-wrap: anywhere; }
  .preview { padding: 6px 8px; border-radius: var(--cs-radius-small); background: var(--cs-sunken); max-height: 220px; overflow: auto; }
  @media (max-width: 520px) { .option { min-height: 44px; } }
`;

export const panelStyles = css`
  .signed { margin-top: 8px; }
  .signed summary { cursor: pointer; font-size: 13px; color: var(--cs-muted); }
  .signed pre { margin-top: 6px; max-height: 220px; overflow: auto; }
  .details { display: flex; flex-wrap: wrap; gap: 8px; margin-bottom: 8px; }
  .details input { flex: 1 1 200px; width: auto; min-width: 0; }
  .details select { width: auto; flex: none; }
  .level { display: flex; flex: none; gap: 8px; align-items: center; font-size: 13px; color: var(--cs-muted); }
  .level select { color: var(--cs-text); }
  .buttons { display: flex; flex-wrap: wrap; gap: 8px; align-items: center; }
  .buttons .allow { margin-left: auto; }
  .more { display: grid; gap: 10px; margin-bottom: 12px; max-height: 50vh; overflow: auto; }
  .buttons + p { min-height: 20px; margin-top: 4px; }
  .more label { display: grid; gap: 4px; font-size: 13px; color: var(--cs-muted); }
  .more label > :is(input, select, textarea) { color: var(--cs-text); }
  textarea { min-height: 34px; resize: vertical; padding: 6px 10px; tab-size: 4; }
  textarea.whole { min-height: 180px; }
  textarea[aria-invalid="true"] { border-color: var(--cs-deny); }
  .tabs { display: flex; gap: 4px; }
  .tabs button { border-radius: var(--cs-radius-small); }
  .tabs button[aria-pressed="true"] { background: var(--cs-accent-ground); color: var(--cs-accent); font-weight: 600; }
  .more .box > span:first-child { font-weight: 600; }
  .more .box .kind { font-weight: 400; font-size: 11px; }
  .more .box .problem { color: var(--cs-deny); }
  .changes { display: grid; gap: 8px; }
  .changes dt { font-size: 12px; font-weight: 600; color: var(--cs-muted); }
  fieldset { border: 1px solid var(--cs-line); border-radius: var(--cs-radius-small); margin: 0; padding: 8px 12px; display: grid; gap: 6px; }
  legend { padding: 0 4px; font-size: 13px; color: var(--cs-muted); }
  .more .choice { display: flex; gap: 8px; align-items: baseline; color: var(--cs-text); }
  .more .choice input { flex: none; margin: 0; }
  .open-comment { display: none; }
  .armed { outline: 2px solid currentcolor; outline-offset: 2px; }
  @media (max-width: 760px) {
    kbd { display: none; }
  }
  /* The two decisions side by side, the other ways below them, and the comment only once it is wanted. */
  @media (max-width: 520px) {
    .buttons { gap: 4px 8px; }
    .buttons button { flex: 1 1 0; min-height: 44px; padding: 4px 8px; }
    .buttons .deny, .buttons .allow { order: -1; flex-basis: 40%; }
    .buttons .allow { margin-left: 0; }
    .open-comment { display: inline-flex; }
    .details:not(.open) #comment { display: none; }
    .details:not(.open):not(:has(select)) { display: none; }
    .buttons + p { min-height: 0; margin: 0; }
    .more { max-height: 40vh; margin-bottom: 8px; }
  }
`;
