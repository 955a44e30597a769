// What to do while no call was ever proposed.

import { html } from "./vendor/lit-html/lit-html.js";

/** The two commands that produce a first call. */
export const renderFirstCall = () => html`<div class="first-call">
  <p class="muted">For a first call, run one of these in a terminal:</p>
  <pre class="text" tabindex="0"><code>countersign run -- git --version
countersign install claude-code</code></pre>
  <p class="muted note">The first asks for one command; the second puts Claude Code's tools behind approvals.
    <code>countersign install</code> lists the other agents.</p>
</div>`;
