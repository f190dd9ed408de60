import { RunRecorder } from "../../pipeline/recorder.ts";
import type { RunScope } from "../../types/call.ts";
import { ToolError, toError } from "../../types/errors.ts";
import type { SharedRuntime } from "../shared-runtime.ts";
import type { ClaimWaitOptions, SessionClaimFailure } from "./session-claim.ts";
import type { ParsedSessionOptions } from "./session-options.ts";

/** Budgets are of whoever opened the session here; what counts against them is common to all. */
export const withBudget = ({ budget }: ParsedSessionOptions, scope: RunScope): RunScope =>
  budget === undefined ? scope : Object.freeze({ ...scope, budget });

/**
 * For calls that are declined because the session is not to be had: nobody but its holder writes for its run, so they have
 * one of their own. The log finds them by the session's id all the same.
 */
export const detachedScope = ({ tools }: SharedRuntime, { principal }: ParsedSessionOptions): RunScope =>
  Object.freeze({ id: tools.newId("run"), agent: principal.agent, tally: new RunRecorder() });

/** Of the session's run, for whoever only looks: nobody writes under it. */
export const readOnlyScope = ({ runId, principal }: ParsedSessionOptions): RunScope =>
  Object.freeze({ id: runId, agent: principal.agent, tally: new RunRecorder() });

export const claimWaitOf = ({ waitMs }: ParsedSessionOptions): ClaimWaitOptions => ({
  waitMs,
  signal: undefined,
});

/** Why a session is not to be had, as an error. */
export const claimFailureToError = <E extends ToolError>(error: E | SessionClaimFailure): E | ToolError =>
  error instanceof ToolError ? error : toError(error);
