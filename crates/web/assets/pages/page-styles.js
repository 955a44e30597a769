// The styles that the pages share.

import { css } from "../element.js";

export const pageStyles = css`
  :host { display: block; min-height: 100%; }
  .page { max-width: max(1120px, min(64vw, 2000px)); margin: 0 auto; padding: 28px 32px 48px; display: grid; gap: 20px; align-content: start; }
  .page-header { display: flex; flex-wrap: wrap; align-items: center; gap: 8px 16px; }
  .page-header .actions { margin-left: auto; display: flex; flex-wrap: wrap; gap: 8px; }
  h1 { font-size: 20px; line-height: 1.3; font-weight: 650; letter-spacing: -0.01em; overflow-wrap: anywhere; min-width: 0; outline: none; }
  h2 { font-size: 15px; line-height: 1.4; font-weight: 650; }
  .lead { color: var(--cs-muted); max-width: 70ch; }
  .panel { background: var(--cs-surface); border: 1px solid var(--cs-line); border-radius: var(--cs-radius); box-shadow: var(--cs-shadow); min-width: 0; }
  .empty { display: grid; gap: 8px; justify-items: center; text-align: center; padding: 56px 24px; }
  a { color: var(--cs-accent); text-underline-offset: 3px; }
  @media (max-width: 760px) {
    .page { padding: 16px 16px 32px; gap: 16px; }
    button, .button { min-height: 44px; }
  }
`;
