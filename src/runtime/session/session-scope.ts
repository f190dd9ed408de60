import { RunRecorder } from "../../pipeline/recorder.ts";
import type { RunScope } from "../../types/call.ts";
import { ToolError, toError } from "../../types/errors.ts";
import type { SharedRuntime } from "../shared-runtime.ts";
import type { ClaimWaitOptions, SessionClaimFailure } from "./session-claim.ts";
import type { ParsedSessionOptions } from "./session-options.ts";

/** Budgets belong to this handle; counters are shared. */
export const withBudget = ({ budget }: ParsedSessionOptions, scope: RunScope): RunScope =>
  budget === undefined ? scope : Object.freeze({ ...scope, budget });

/** For calls that are declined without a claim: only the claim's holder writes to the session's run. */
export const detachedScope = ({ tools }: SharedRuntime, { principal }: ParsedSessionOptions): RunScope =>
  Object.freeze({ id: tools.newId("run"), agent: principal.agent, tally: new RunRecorder() });

export const readOnlyScope = ({ runId, principal }: ParsedSessionOptions): RunScope =>
  Object.freeze({ id: runId, agent: principal.agent, tally: new RunRecorder() });

export const claimWaitOf = ({ waitMs }: ParsedSessionOptions): ClaimWaitOptions => ({
  waitMs,
  signal: undefined,
});

export const claimFailureToError = <E extends ToolError>(error: E | SessionClaimFailure): E | ToolError =>
  error instanceof ToolError ? error : toError(error);
