// Styles for threads.

import { css } from "../element.js";

export const threadStyles = css`
  .thread { display: grid; grid-template-columns: minmax(0, 1fr) 300px; gap: 28px; align-items: start; }
  .calls { list-style: none; padding: 0; }
  .calls > li { border-bottom: 1px solid var(--cs-line); position: relative; }
  .calls > li:last-child { border-bottom: 0; }
  .day { padding: 14px 0 6px; font-size: 12px; font-weight: 600; color: var(--cs-muted); }
  .day:first-child { padding-top: 0; }
  .list { background: var(--cs-surface); border: 1px solid var(--cs-line); border-radius: var(--cs-radius); box-shadow: var(--cs-shadow); overflow: hidden; }
  button.call { display: grid; grid-template-columns: 58px minmax(0, 1fr) auto 16px; gap: 12px; width: 100%; min-height: 46px; padding: 6px 16px; border: 0; border-radius: 0; text-align: left; justify-content: stretch; background: none; }
  button.call:focus-visible { outline-offset: -2px; }
  button.call[aria-expanded="true"] { background: var(--cs-sunken); }
  .call time { font-size: 12px; color: var(--cs-muted); font-variant-numeric: tabular-nums; }
  .what { min-width: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
  .what strong { font: 600 13px var(--cs-mono, monospace); }
  .what span:not(.badge) { font: 12.5px var(--cs-mono, monospace); color: var(--cs-muted); margin-left: 6px; }
  .what bdi { overflow-wrap: normal; }
  .message { display: grid; grid-template-columns: 58px minmax(0, 1fr); gap: 12px; padding: 10px 16px; font-size: 14px; }
  .message.person { background: var(--cs-accent-ground); }
  .message time { font-size: 12px; line-height: 20px; color: var(--cs-muted); font-variant-numeric: tabular-nums; }
  .message strong { display: block; font-size: 12px; line-height: 20px; color: var(--cs-muted); }
  .message p { white-space: pre-wrap; overflow-wrap: anywhere; max-width: 80ch; }
  .message button { min-height: 28px; margin-top: 4px; padding: 2px 10px; font-size: 13px; }
  .badge.pending { background: var(--cs-accent-ground); color: var(--cs-accent); }
  .chevron { display: grid; place-items: center; width: 16px; height: 20px; line-height: 1; color: var(--cs-muted); }
  [aria-expanded="true"] .chevron { rotate: 90deg; }
  tool-approval-card { border-top: 1px solid var(--cs-line); }
  .more { margin-top: 12px; }
  aside { display: grid; gap: 20px; position: sticky; top: 20px; }
  aside section { display: grid; gap: 8px; }
  aside h2 { font-size: 13px; }
  aside ul { list-style: none; display: grid; gap: 8px; }
  .card { display: grid; gap: 6px; padding: 10px 12px; background: var(--cs-surface); border: 1px solid var(--cs-line); border-radius: var(--cs-radius-small); font-size: 13px; overflow-wrap: anywhere; }
  .card .line { display: flex; align-items: center; gap: 8px; justify-content: space-between; }
  .card button { min-height: 28px; padding: 2px 10px; font-size: 13px; }
  .new-tool { display: grid; grid-template-columns: minmax(0, 1fr) auto auto; gap: 6px; }
  .new-tool :is(input, select, button), .card select { width: auto; min-height: 32px; padding: 2px 8px; font-size: 13px; }
  .card .line select { flex: none; }
  .card .line select.limits { width: 104px; margin-left: auto; }
  .close { display: grid; gap: 8px; }
  .close .buttons { display: flex; gap: 8px; flex-wrap: wrap; }
  .nothing { display: grid; gap: 8px; justify-items: center; text-align: center; padding: 56px 24px; }
  @media (max-width: 1000px) { .thread { grid-template-columns: minmax(0, 1fr); } aside { position: static; } }
  @media (max-width: 760px) { button.call { padding: 6px 12px; gap: 8px; grid-template-columns: 46px minmax(0, 1fr) auto; } .message { padding: 10px 12px; gap: 8px; grid-template-columns: 46px minmax(0, 1fr); } .message button { min-height: 44px; } .chevron { display: none; } .card button, .close button { min-height: 44px; } }
`;
