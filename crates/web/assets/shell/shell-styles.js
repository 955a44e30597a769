// Styles for the navigation and the application's dialogs.

import { css } from "../element.js";

export const navigationStyles = css`
  :host { display: flex; flex-direction: column; gap: 18px; padding: 14px 10px; border-right: 1px solid var(--cs-line); background: var(--cs-ground); min-width: 0; }
  .brand { display: flex; align-items: center; gap: 9px; padding: 2px 8px; font-weight: 650; font-size: 15px; letter-spacing: -0.01em; color: var(--cs-text); text-decoration: none; border-radius: var(--cs-radius-small); }
  ul { list-style: none; display: grid; gap: 2px; }
  nav a { display: flex; align-items: center; gap: 10px; min-height: 34px; padding: 0 9px; border-radius: var(--cs-radius-small); color: var(--cs-muted); text-decoration: none; font-weight: 500; }
  nav a:hover { background: var(--cs-hover); color: var(--cs-text); }
  nav a[aria-current] { background: var(--cs-accent-ground); color: var(--cs-accent); font-weight: 600; }
  svg { width: 18px; height: 18px; flex: none; fill: none; stroke: currentcolor; stroke-width: 1.7; stroke-linecap: round; stroke-linejoin: round; }
  .count { margin-left: auto; min-width: 20px; padding: 0 6px; border-radius: 99px; font-size: 12px; line-height: 20px; font-weight: 650; text-align: center; font-variant-numeric: tabular-nums; background: var(--cs-accent); color: var(--cs-on-accent); }
  .foot { margin-top: auto; display: grid; gap: 10px; }
  .search { justify-content: space-between; border-color: var(--cs-line); color: var(--cs-muted); font-size: 13px; width: 100%; }
  .who { display: flex; align-items: center; gap: 9px; padding: 6px 8px; border-radius: var(--cs-radius-small); color: var(--cs-text); text-decoration: none; min-width: 0; }
  .who:hover { background: var(--cs-hover); }
  .who .name { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; font-size: 13px; font-weight: 550; }
  .who bdi { overflow-wrap: normal; }
  .initial { display: grid; place-items: center; flex: none; width: 24px; height: 24px; border-radius: 50%; background: var(--cs-accent-ground); color: var(--cs-accent); font-size: 12px; font-weight: 650; text-transform: uppercase; }
  .state { margin-left: auto; flex: none; width: 7px; height: 7px; border-radius: 50%; background: var(--cs-allow); }
  .state.away { background: var(--cs-warn); }
  .solo { margin: 0 8px; padding: 3px 10px; border-radius: var(--cs-radius-small); background: var(--cs-warn-ground); color: var(--cs-warn); font-size: 12px; font-weight: 600; }
  /* A rail of icons. */
  @media (min-width: 761px) and (max-width: 1100px) {
    :host { align-items: center; padding-inline: 8px; }
    .brand span, nav .label, .search, .who .name, .solo span, .who .state { display: none; }
    nav a { width: 40px; min-height: 40px; padding: 0; justify-content: center; position: relative; }
    .count { position: absolute; top: 1px; right: -2px; min-width: 16px; padding: 0 4px; font-size: 10px; line-height: 16px; }
    .solo { margin: 0; padding: 2px 6px; font-size: 11px; }
    .foot { justify-items: center; }
    .initial { width: 28px; height: 28px; }
  }
  /* A bar at the lower edge. */
  @media (max-width: 760px) {
    :host { padding: 0; border: 0; border-top: 1px solid var(--cs-line); background: var(--cs-surface); padding-bottom: env(safe-area-inset-bottom); }
    .brand, .foot { display: none; }
    ul { grid-auto-flow: column; grid-auto-columns: minmax(0, 1fr); gap: 0; }
    nav a { flex-direction: column; justify-content: center; gap: 2px; min-height: 54px; padding: 0; border-radius: 0; font-size: 11px; line-height: 1.2; position: relative; }
    nav a[aria-current] { background: none; box-shadow: inset 0 2px var(--cs-accent); }
    nav a:focus-visible { outline-offset: -3px; }
    svg { width: 21px; height: 21px; }
    .count { position: absolute; top: 4px; left: calc(50% + 6px); margin: 0; min-width: 16px; padding: 0 4px; font-size: 10px; line-height: 16px; }
  }
`;

export const dialogStyles = css`
  dialog { width: min(560px, calc(100vw - 24px)); max-height: min(560px, calc(100dvh - 48px)); margin: 12vh auto auto; padding: 0; border: 1px solid var(--cs-line); border-radius: 12px; background: var(--cs-surface); color: var(--cs-text); box-shadow: 0 16px 60px rgb(0 0 0 / 30%); overflow: hidden; }
  dialog[open] { display: flex; flex-direction: column; }
  dialog::backdrop { background: rgb(0 0 0 / 35%); }
  dialog input.query { flex: none; width: 100%; min-height: 52px; padding: 0 18px; border: 0; border-bottom: 1px solid var(--cs-line); border-radius: 0; font-size: 16px; outline: none; }
  .options { overflow: auto; list-style: none; padding: 6px; }
  .options li { display: flex; align-items: center; gap: 10px; min-height: 40px; padding: 4px 12px; border-radius: var(--cs-radius-small); cursor: pointer; }
  .options li[aria-selected="true"] { background: var(--cs-accent-ground); color: var(--cs-accent); }
  .options .hint { margin-left: auto; font-size: 12px; color: var(--cs-muted); white-space: nowrap; }
  .options strong { font-weight: 550; min-width: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
  .empty { padding: 20px; }
  .head { display: flex; align-items: center; justify-content: space-between; padding: 14px 14px 6px 20px; }
  .head h2 { font-size: 16px; }
  .help { overflow: auto; padding: 4px 20px 20px; display: grid; gap: 16px; }
  .help h3 { font-size: 12px; font-weight: 600; color: var(--cs-muted); margin-bottom: 4px; }
  .help dl { display: grid; gap: 0; }
  .help dl > div { display: flex; gap: 12px; align-items: center; justify-content: space-between; min-height: 30px; border-bottom: 1px solid var(--cs-line); }
  .help dd { display: flex; gap: 4px; flex: none; }
  .help kbd { font-size: 12px; padding: 3px 6px; color: var(--cs-text); }
`;
