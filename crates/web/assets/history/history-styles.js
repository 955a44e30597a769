// Styles for the history.

import { css } from "../element.js";

export const historyStyles = css`
  :host { height: 100%; }
  .history { display: flex; flex-direction: column; gap: 16px; height: 100%; padding: 24px 28px 0; }
  header { display: grid; gap: 14px; flex: none; }
  .search { display: flex; flex-wrap: wrap; gap: 8px 12px; align-items: center; }
  .search > input { flex: 1 1 280px; width: auto; min-width: 0; }
  .segments { display: inline-flex; padding: 2px; border-radius: var(--cs-radius-small); background: var(--cs-sunken); border: 1px solid var(--cs-line); }
  .segments button { min-height: 28px; padding: 2px 12px; font-size: 13px; }
  .segments [aria-pressed="true"] { background: var(--cs-surface); color: var(--cs-text); font-weight: 600; box-shadow: var(--cs-shadow); }
  .date { display: inline-flex; align-items: center; gap: 6px; font-size: 13px; color: var(--cs-muted); }
  .date input:not([type="checkbox"], [type="radio"]) { width: auto; color: var(--cs-text); }
  .table { display: flex; flex-direction: column; flex: 1; min-height: 0; background: var(--cs-surface); border: 1px solid var(--cs-line); border-bottom: 0; border-radius: var(--cs-radius) var(--cs-radius) 0 0; overflow: hidden; }
  .row { display: grid; grid-template-columns: 164px 84px minmax(0, 2.6fr) minmax(0, 1.1fr) minmax(0, 1.6fr) 92px; gap: 16px; align-items: center; padding: 0 16px; }
  .columns { flex: none; min-height: 36px; border-bottom: 1px solid var(--cs-line); font-size: 12px; font-weight: 600; color: var(--cs-muted); }
  .rows { flex: 1; min-height: 0; overflow: auto; scrollbar-gutter: stable; }
  .columns { scrollbar-gutter: stable; overflow: hidden; }
  .rows ul { position: relative; list-style: none; }
  .rows li { position: absolute; left: 0; right: 0; }
  .rows a { height: 100%; color: inherit; text-decoration: none; border-bottom: 1px solid var(--cs-line); font-size: 13px; }
  .rows a:hover { background: var(--cs-hover); }
  .rows a:focus-visible { outline-offset: -2px; }
  .row > * { min-width: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
  .row bdi { overflow-wrap: normal; }
  .call strong { font: 600 13px var(--cs-mono, monospace); }
  .summary { font: 12.5px var(--cs-mono, monospace); color: var(--cs-muted); margin-left: 6px; }
  .state { color: var(--cs-muted); }
  .state:is(.failed, .unknown) { color: var(--cs-deny); font-weight: 600; }
  .when { text-align: right; font-variant-numeric: tabular-nums; }
  @media (max-width: 900px) { .row { grid-template-columns: 164px 84px minmax(0, 1fr) 90px 84px; } .from, .columns span:nth-child(5) { display: none; } }
  @media (max-width: 760px) {
    .history { padding: 16px 12px 0; gap: 12px; }
    .columns { display: none; }
    .row { grid-template: "call call call when" 22px "what state by by" 22px / auto auto minmax(0, 1fr) auto; gap: 2px 10px; align-content: center; padding: 0 12px; }
    .decision { grid-area: what; }
    .state { grid-area: state; font-size: 12px; }
    .call { grid-area: call; }
    .when { grid-area: when; font-size: 12px; }
    .by { grid-area: by; font-size: 12px; text-align: right; }
    .segments button { min-height: 40px; }
    .search > input { flex-basis: 100%; }
    .date { flex: 1 1 120px; }
    .date input:not([type="checkbox"], [type="radio"]) { width: 100%; min-width: 0; }
  }
`;
