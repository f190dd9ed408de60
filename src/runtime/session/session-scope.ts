import { RunRecorder } from "../../call/recorder.ts";
import type { RunScope } from "../../words/call.ts";
import { ToolError, toError } from "../../words/errors.ts";
import type { Shared } from "../shared.ts";
import type { Patience, Unclaimed } from "./session-claim.ts";
import type { ReadSession } from "./session-options.ts";

/** Budgets are of whoever opened the session here; what counts against them is common to all. */
export const withBudget = ({ budget }: ReadSession, scope: RunScope): RunScope =>
  budget === undefined ? scope : Object.freeze({ ...scope, budget });

/**
 * For calls that are declined because the session is not to be had: nobody but its holder writes for its run, so they have
 * one of their own. The log finds them by the session's id all the same.
 */
export const unclaimedScope = ({ tools }: Shared, { principal }: ReadSession): RunScope =>
  Object.freeze({ id: tools.newId("run"), agent: principal.agent, tally: new RunRecorder() });

/** Of the session's run, for whoever only looks: nobody writes under it. */
export const readScope = ({ runId, principal }: ReadSession): RunScope =>
  Object.freeze({ id: runId, agent: principal.agent, tally: new RunRecorder() });

export const patienceOf = ({ waitMs }: ReadSession): Patience => ({ waitMs, signal: undefined });

/** Why a session is not to be had, as an error. */
export const toToolError = <E extends ToolError>(error: E | Unclaimed): E | ToolError =>
  error instanceof ToolError ? error : toError(error);
