// What a caller may do with calls.

/** @import { Caller } from "./types.d.ts" */

/** Returns true if the caller may decide. @param {Caller} caller */
export const mayDecide = (caller) => caller.solo || caller.roles.includes("approver");

/** Returns true if the caller may change the policy, threads and access. @param {Caller} caller */
export const isAdmin = (caller) => caller.solo || caller.roles.includes("admin");

/** The level up to which the caller may decide; empty if each. @param {Caller | null} caller */
export const levelOf = (caller) => caller?.decidesAt ?? "";

/** The person who may complain of calls; empty if the caller may not. @param {Caller | null} caller */
export const personWhoMayFlag = (caller) => (caller && mayDecide(caller) ? (caller.person ?? "") : "");
