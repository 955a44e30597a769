// How long an approval of later calls lasts, and for how many calls. The terminal offers the same choices.

/** @import { GrantLimits } from "../types.d.ts" */

/** The choices, in the order in which they are offered. @type {{ says: string, limits: GrantLimits }[]} */
export const LIMIT_CHOICES = [
  { says: "for 30 minutes", limits: { expiresInSeconds: 1_800 } },
  { says: "for 1 hour", limits: { expiresInSeconds: 3_600 } },
  { says: "for 8 hours", limits: { expiresInSeconds: 28_800 } },
  { says: "for the next 3 calls within 1 hour", limits: { expiresInSeconds: 3_600, uses: 3 } },
  { says: "while the thread is open", limits: {} },
];

/** The usual choice: people forget what they have allowed. */
export const USUAL_LIMITS = 1;
