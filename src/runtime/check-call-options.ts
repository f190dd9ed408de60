import type { OneCallOptions, ResumeOptions, TurnOptions } from "../call/tools-service.ts";
import { checkFields } from "../json/check-fields.ts";
import { ConfigurationError, ToolError } from "../words/errors.ts";
import type { RepairMode } from "../words/hydration.ts";
import type { LedgerQuery } from "../words/ledger.ts";
import { checkPrincipal } from "./read-principal.ts";

const common = [
  "principal",
  "layers",
  "env",
  "correlationId",
  "repair",
  "repairer",
  "parent",
  "taints",
] as const;

const fields = {
  call: [...common, "idempotencyKey", "signal"],
  execute: [...common, "idempotencyKey"],
  turn: [...common, "maxConcurrency", "join", "signal", "offer"],
  hydrate: [...common, "maxConcurrency", "join", "signal", "offer"],
  resume: [...common, "by"],
} satisfies Record<string, readonly (keyof OneCallOptions | keyof TurnOptions | keyof ResumeOptions)[]>;

/** As HTTP can carry it: whoever is behind a tool gets it as a header. */
const key = /^[\x21-\x7e]{1,255}$/;

/** Refuses what could not mean anything: a misspelled option would be left out without a word. */
export const checkCall = (way: keyof typeof fields, options: OneCallOptions): void => {
  for (const name in options) {
    if (!(fields[way] as readonly string[]).includes(name)) checkFields(`haft.${way}`, options, fields[way]);
  }
  const { idempotencyKey, principal } = options;
  if (principal !== undefined) checkPrincipal(principal);
  if (idempotencyKey !== undefined && (typeof idempotencyKey !== "string" || !key.test(idempotencyKey))) {
    throw new ConfigurationError(
      "invalid_config",
      "An idempotencyKey is 1 to 255 visible ASCII characters without blanks, such as an order number.",
    );
  }
};

export const refuseCall = (way: keyof typeof fields, options: OneCallOptions): ToolError | undefined => {
  try {
    checkCall(way, options);
    return undefined;
  } catch (error) {
    if (ToolError.is(error)) return error;
    const why = error instanceof Error ? error.message : String(error);
    return new ConfigurationError("invalid_config", `The options of haft.${way} cannot be read: ${why}`);
  }
};

const queries = {
  log: [
    "entryId",
    "callId",
    "runId",
    "tool",
    "agent",
    "session",
    "ending",
    "since",
    "until",
    "before",
    "after",
    "limit",
  ],
  approvals: ["status", "runId", "tool", "limit"],
  runs: ["status", "agent", "before", "limit"],
} satisfies Record<string, readonly string[]> & { readonly log: readonly (keyof LedgerQuery)[] };

/** A filter that filters nothing would show more than was asked for. */
export const checkQuery = (way: keyof typeof queries, query: object | undefined): void => {
  if (query !== undefined) checkFields(`haft.${way}`, query, queries[way]);
};

/** What is wrong with what `haft.turn` or `haft.hydrate` was given, if anything is. */
export const refuseTurn = (
  way: "turn" | "hydrate",
  calls: unknown,
  options: TurnOptions,
): string | undefined => {
  const wrong = refuseCall(way, options);
  if (wrong !== undefined) return wrong.message;
  const { maxConcurrency, join, signal, repair } = options;
  if (!Array.isArray(calls)) return `haft.${way} takes a list of calls: [{ id, tool, input }].`;
  if (repair !== undefined && !repairModes.has(repair))
    return 'repair must be "off", "deterministic" or "model".';
  if (maxConcurrency !== undefined && !(maxConcurrency >= 1)) return "maxConcurrency must be at least 1.";
  if (join !== undefined && join !== "all" && join !== "fail-fast")
    return 'join must be "all" or "fail-fast".';
  return signal === undefined || signal instanceof AbortSignal ? undefined : "signal must be an AbortSignal.";
};

const repairModes: ReadonlySet<string> = new Set<RepairMode>(["off", "deterministic", "model"]);
