import { checkFields } from "../../json/check-fields.ts";
import { hashText } from "../../json/hash.ts";
import { narrow } from "../../policy/narrow.ts";
import type { RunBudget } from "../../words/call.ts";
import { ConfigurationError } from "../../words/errors.ts";
import type { Principal } from "../../words/principal.ts";
import { sessionRun } from "../../words/run-book.ts";
import { readPrincipal } from "../read-principal.ts";
import type { SessionIdentity } from "./session-claim.ts";

/** Which conversation it is, and whose. */
export interface SessionOptions {
  /** Names the conversation: with a durable ledger another process finds it again by it. Unless set: the principal's `session`, or a new one. */
  readonly id?: string;
  /** Who is calling. The same id under another agent, user or tenant is another session. Unless set: the principal of `haft`. */
  readonly principal?: Principal;
  /** Under whose name the calls are made, with no more rights than the principal has. Unless set: the principal's agent. */
  readonly agent?: string;
  /** The most that the calls of the session may come to, over all of its turns. Unless set: anything. */
  readonly budget?: RunBudget;
  /** How long a turn waits while another process is in one of the same session, in milliseconds. Unless set: 10,000. */
  readonly waitMs?: number;
}

/** What a session is opened with, made sense of. */
export interface ReadSession extends SessionIdentity {
  readonly id: string;
  readonly budget: RunBudget | undefined;
  readonly waitMs: number;
}

const longestId = 200;
const waitMs = 10_000;

export const readSession = (
  options: SessionOptions,
  own: Principal | undefined,
  newId: () => string,
): ReadSession => {
  checkFields("haft.session", options, ["id", "principal", "agent", "budget", "waitMs"]);
  const caller = options.principal === undefined ? own : readPrincipal(options.principal);
  if (caller === undefined) {
    throw refused(
      'a session needs somebody whose it is. Name a principal in Haft.open or here: { agent: "clerk", allow: ["*"] }.',
    );
  }
  const id = options.id ?? caller.session ?? newId();
  if (typeof id !== "string" || id.length > longestId || !isPlain.test(id)) {
    throw refused(`\`id\` is a text of 1 to ${longestId} characters without control characters.`);
  }
  const { agent, budget } = options;
  if (agent !== undefined && (typeof agent !== "string" || agent === "")) {
    throw refused("`agent` is the name under which the calls are made.");
  }
  const named = agent === undefined || agent === caller.agent ? caller : narrow(caller, { agent });
  const principal = named.session === id ? named : Object.freeze({ ...named, session: id });
  return {
    id,
    principal,
    runId: runIdOf(principal),
    budget: readBudget(budget),
    waitMs: readWait(options.waitMs),
  };
};

/** Others have another one: whoever has the id alone has nothing. */
const runIdOf = (principal: Principal): string =>
  `${sessionRun}${hashText(partiesOf(principal)).slice(0, 32)}`;

/** Everybody whose right it is, the lenders too. */
export const partiesOf = (principal: Principal): string => {
  const parties: unknown[] = [];
  for (let each: Principal | undefined = principal; each !== undefined; each = each.within) {
    const { agent, session = null, user = null, tenant = null } = each;
    parties.push([agent, session, user, tenant]);
  }
  return JSON.stringify(parties);
};

const isPlain = /^[^\p{Cc}]+$/u;

const readBudget = (budget: RunBudget | undefined): RunBudget | undefined => {
  if (budget === undefined) return undefined;
  checkFields("The budget of haft.session", budget, ["calls", "cost"]);
  for (const [field, most] of Object.entries(budget)) {
    if (typeof most !== "number" || !(most >= 0) || (field === "calls" && !Number.isInteger(most)))
      throw refused(`\`budget.${field}\` is a number of at least 0, that of calls a whole one.`);
  }
  return Object.freeze({ ...budget });
};

const readWait = (millis: number = waitMs): number => {
  if (typeof millis === "number" && millis >= 0 && millis < 2 ** 31) return millis;
  throw refused("`waitMs` is a number of milliseconds, at least 0.");
};

const refused = (what: string): ConfigurationError =>
  new ConfigurationError("invalid_config", `haft.session: ${what}`);
