// Styles for the inbox.

import { css } from "./element.js";

export const inboxStyles = css`
  :host { height: 100%; min-height: 0; }
  .layout { display: grid; grid-template-columns: minmax(280px, clamp(380px, 18vw, 680px)) minmax(0, 1fr); height: 100%; min-height: 0; }
  .list { display: flex; flex-direction: column; min-height: 0; border-right: 1px solid var(--cs-line); background: var(--cs-ground); }
  .toolbar { display: grid; gap: 6px; padding: 12px; border-bottom: 1px solid var(--cs-line); }
  inbox-rows { flex: 1; min-height: 120px; }
  .line { display: flex; align-items: center; gap: 8px; min-height: 34px; }
  .line .quiet { margin-left: auto; font-size: 13px; }
  .count { font-weight: 600; font-variant-numeric: tabular-nums; }
  .to-decision { position: absolute; width: 1px; height: 1px; min-height: 0; padding: 0; overflow: hidden; clip-path: inset(50%); }
  .to-decision:focus { position: static; width: auto; min-height: 34px; padding: 4px 12px; margin: 6px 12px; clip-path: none; flex: none; }
  .recent { border-top: 1px solid var(--cs-line); max-height: 30%; overflow: auto; padding-bottom: 6px; flex: none; }
  .recent h2 { font-size: 12px; color: var(--cs-muted); padding: 8px 12px 2px; }
  .recent .row { height: 46px; }
  .detail { min-width: 0; overflow: auto; background: var(--cs-surface); display: flex; flex-direction: column; }
  .detail tool-approval-card, .detail bulk-review { flex: 1; width: 100%; max-width: max(920px, min(60vw, 1800px)); }
  .detail-bar { display: flex; align-items: center; gap: 4px; padding: 8px 20px 0; min-height: 46px; font-size: 13px; flex-wrap: wrap; flex: none; max-width: max(920px, min(60vw, 1800px)); }
  .detail last-decision { max-width: max(920px, min(60vw, 1800px)); }
  .detail-bar .similar { color: var(--cs-accent); }
  .stop { margin-left: auto; }
  .back, .review-checked { display: none; }
  .empty { display: grid; gap: 8px; place-content: center; text-align: center; min-height: 60vh; padding: 24px; }
  .empty h2 { font-size: 18px; }
  @media (max-width: 760px) {
    .layout { grid-template-columns: minmax(0, 1fr); }
    .detail { display: none; }
    .layout.open .list { display: none; }
    .layout.open .detail { display: flex; }
    .list { border-right: 0; }
    .back, .review-checked { display: inline-flex; }
    .line .review-checked { color: var(--cs-accent); }
    .detail-bar { padding: 8px 12px 0; }
    .detail-bar kbd { display: none; }
    button.quiet { min-height: 44px; }
  }
`;

/** The rows of calls: of those that wait, and of those that were decided lately. */
export const rowStyles = css`
  .rows { height: 100%; overflow: auto; }
  .rows ul { position: relative; list-style: none; }
  .rows li { position: absolute; left: 0; right: 0; height: var(--cs-row, 64px); display: flex; align-items: center; border-bottom: 1px solid var(--cs-line); }
  .rows li.group { padding: 0 12px; gap: 8px; align-items: end; padding-bottom: 6px; background: var(--cs-ground); }
  .rows li.group h3 { font-size: 12px; font-weight: 650; min-width: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
  .rows li.group .quiet { margin-left: auto; min-height: 28px; font-size: 12px; flex: none; }
  .rows li.selected, .recent .selected { background: var(--cs-accent-ground); box-shadow: inset 3px 0 var(--cs-accent); }
  .rows li > input { margin: 0 0 0 12px; width: 16px; height: 16px; flex: none; accent-color: var(--cs-accent); }
  .row { display: grid; gap: 0; justify-items: start; justify-content: stretch; text-align: left; border: 0; border-radius: 0; background: none; width: 100%; height: var(--cs-row, 64px); padding: 4px 12px; align-content: center; min-width: 0; line-height: 17px; }
  .row:focus-visible { outline-offset: -2px; }
  .row > * { max-width: 100%; min-width: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
  .top { display: flex; gap: 8px; width: 100%; align-items: center; }
  .top strong { font: 600 13px var(--cs-mono, monospace); overflow: hidden; text-overflow: ellipsis; }
  .top .badge { font-size: 11px; padding: 0 6px; }
  .age { margin-left: auto; font-size: 12px; color: var(--cs-muted); flex: none; }
  .summary { font: 12.5px/17px var(--cs-mono, monospace); width: 100%; }
  .summary bdi, .from bdi { overflow-wrap: normal; }
  .from { font-size: 12px; color: var(--cs-muted); width: 100%; }
`;

export const stopStyles = css`
  :host { padding: 12px 20px 0; }
  section { display: grid; gap: 10px; padding: 14px 16px; border: 1px solid var(--cs-deny); border-radius: var(--cs-radius-small); max-width: 880px; }
  h2 { font-size: 15px; overflow-wrap: anywhere; }
  ul { list-style: none; display: grid; gap: 4px; max-height: 40vh; overflow: auto; }
  li { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; font-size: 13px; }
  li strong, .summary { font-family: var(--cs-mono, monospace); }
  .buttons { display: flex; flex-wrap: wrap; gap: 8px; justify-content: flex-end; }
`;

export const reviewStyles = css`
  :host { padding: 16px 20px 0; display: grid; gap: 16px; align-content: start; }
  h2 { font-size: 18px; }
  h3 { font-size: 14px; overflow-wrap: anywhere; }
  article { display: grid; gap: 8px; padding-bottom: 16px; border-bottom: 1px solid var(--cs-line); }
  .arguments-section.folded { max-height: 200px; overflow: hidden; mask-image: linear-gradient(#000 60%, transparent); }
  .unfold { justify-self: start; border-color: var(--cs-accent); color: var(--cs-accent); }
  .bar { position: sticky; bottom: 0; display: flex; flex-wrap: wrap; gap: 8px; align-items: center; justify-content: flex-end; padding: 12px 0 16px; background: var(--cs-surface); border-top: 1px solid var(--cs-line); }
  .bar .note { margin-right: auto; }
  .bar input { flex: 1 1 100%; }
  .armed { outline: 2px solid currentcolor; outline-offset: 2px; }
`;
