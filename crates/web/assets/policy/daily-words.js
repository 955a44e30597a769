// The review of a day in words.

import { countWords } from "../count-words.js";

/** @import { DailyReview } from "../types.d.ts" */

/** The date at an offset from UTC, such as 2026-01-31. @param {number} now In milliseconds. @param {number} offset In minutes east. */
export const dateOf = (now, offset) => new Date(now + offset * 60_000).toISOString().slice(0, 10);

/** The day's calls in one sentence. @param {DailyReview} review */
export function countDay({ calls, asked, askedAllowed, askedDenied }) {
  const parts = [countWords(calls, "call"), `${asked} asked`];
  if (askedAllowed > 0) parts.push(`${askedAllowed} allowed`);
  if (askedDenied > 0) parts.push(`${askedDenied} denied`);
  return `Yesterday: ${parts.join(", ")}.`;
}

/** How many prompts the rules would have saved. @param {DailyReview} review */
export function describeSaved({ saved, asked, rules }) {
  const which = saved === asked ? (saved === 1 ? "It" : `All ${saved}`) : `${saved} of them`;
  return `${which} would not have been asked with ${rules.length === 1 ? "this rule" : `these ${rules.length} rules`}.`;
}

/** What speaks for the rules. @param {DailyReview} review */
export function describeProof({ refused, since, log, rules }) {
  const part = log.complete ? "" : " Not all calls since then could be compared in time.";
  if (refused === 0) return `No call was refused since ${since.slice(0, 10)}.${part}`;
  return `${rules.length === 1 ? "It" : "They"} would have allowed nothing that was refused: none of ${countWords(refused, "call")} since ${since.slice(0, 10)}.${part}`;
}

/** What an observing policy would have asked. @param {DailyReview} review */
export const describeObserved = ({ observed, calls }) =>
  `The policy only observes. Otherwise, people would have been asked about ${observed === calls ? "all" : observed} of ${countWords(calls, "call")}.`;
