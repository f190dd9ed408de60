import { hashText } from "../../base/json/canonical-json.ts";
import { checkFields } from "../../base/json/check-fields.ts";
import { RunRecorder } from "../../pipeline/recorder.ts";
import { narrow } from "../../policy/options.ts";
import type { RunBudget, RunScope } from "../../types/call.ts";
import { ConfigurationError, ToolError, toError } from "../../types/errors.ts";
import type { Principal } from "../../types/principal.ts";
import { toRunId } from "../../types/run-store.ts";
import { readPrincipal } from "../read-principal.ts";
import type { SharedRuntime } from "../shared-runtime.ts";
import type { ClaimWaitOptions, SessionClaimFailure, SessionIdentity } from "./session-claim.ts";

/** Options of `haft.session`. */
export interface SessionOptions {
  /** Id of the conversation across processes. Unless set: the principal's `session`, or a new id. */
  readonly id?: string;
  /**
   * The caller. The same id with another agent, user or tenant is another session. Unless set: the principal
   * of `haft`.
   */
  readonly principal?: Principal;
  /** Agent name for the calls, with the principal's rights. Unless set: the principal's agent. */
  readonly agent?: string;
  /** Limits over all turns of the session. Unless set: unlimited. */
  readonly budget?: RunBudget;
  /** Maximum wait for another process's turn, in milliseconds. Unless set: 10,000. */
  readonly waitMs?: number;
}

export interface ParsedSessionOptions extends SessionIdentity {
  readonly id: string;
  readonly budget: RunBudget | undefined;
  readonly waitMs: number;
}

const maxSessionIdLength = 200;
const defaultSessionWaitMs = 10_000;

export const readSessionOptions = (
  options: SessionOptions,
  own: Principal | undefined,
  newId: () => string,
): ParsedSessionOptions => {
  checkFields("haft.session", options, ["id", "principal", "agent", "budget", "waitMs"]);
  const caller = options.principal === undefined ? own : readPrincipal(options.principal);
  if (caller === undefined) {
    throw sessionOptionsError(
      'a session needs a principal. Set one in Haft.open or here: { agent: "clerk", allow: ["*"] }.',
    );
  }
  const id = options.id ?? caller.session ?? newId();
  if (typeof id !== "string" || id.length > maxSessionIdLength || !plainTextPattern.test(id)) {
    throw sessionOptionsError(
      `\`id\` is a text of 1 to ${maxSessionIdLength} characters without control characters.`,
    );
  }
  const { agent, budget } = options;
  if (agent !== undefined && (typeof agent !== "string" || agent === "")) {
    throw sessionOptionsError("`agent` must be the name under which calls are made.");
  }
  const named = agent === undefined || agent === caller.agent ? caller : narrow(caller, { agent });
  const principal = named.session === id ? named : Object.freeze({ ...named, session: id });
  return {
    id,
    principal,
    runId: sessionRunIdOf(principal),
    budget: readBudget(budget),
    waitMs: readWaitMs(options.waitMs),
  };
};

/** Includes the caller, so that the session id alone gives no access. */
const sessionRunIdOf = (principal: Principal): string =>
  toRunId("session", hashText(delegationChainKey(principal)).slice(0, 32));

export const delegationChainKey = (principal: Principal): string => {
  const parties: unknown[] = [];
  for (let each: Principal | undefined = principal; each !== undefined; each = each.within) {
    const { agent, session = null, user = null, tenant = null } = each;
    parties.push([agent, session, user, tenant]);
  }
  return JSON.stringify(parties);
};

const plainTextPattern = /^[^\p{Cc}]+$/u;

const readBudget = (budget: RunBudget | undefined): RunBudget | undefined => {
  if (budget === undefined) return undefined;
  checkFields("The budget of haft.session", budget, ["calls", "cost"]);
  for (const [field, most] of Object.entries(budget)) {
    if (typeof most !== "number" || !(most >= 0) || (field === "calls" && !Number.isInteger(most)))
      throw sessionOptionsError(
        `\`budget.${field}\` must be a number of at least 0, and \`budget.calls\` a whole number.`,
      );
  }
  return Object.freeze({ ...budget });
};

const readWaitMs = (millis: number = defaultSessionWaitMs): number => {
  if (typeof millis === "number" && millis >= 0 && millis < 2 ** 31) return millis;
  throw sessionOptionsError("`waitMs` must be a number of milliseconds of at least 0.");
};

const sessionOptionsError = (what: string): ConfigurationError =>
  new ConfigurationError("invalid_config", `haft.session: ${what}`);

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

export const sessionMethodError = (method: string, what: string): ConfigurationError =>
  new ConfigurationError("invalid_config", `session.${method} ${what}`);
