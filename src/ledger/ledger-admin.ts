import * as Effect from "effect/Effect";
import { checkFields } from "../base/json/check-fields.ts";
import { redactor } from "../base/json/redact.ts";
import type { AnswerStatus, ApprovalDecision, ApprovalQuery, ApprovalRecord } from "../types/approval.ts";
import type {
  ChainQuery,
  ChainRow,
  DurableLedger,
  LedgerAnchor,
  PruneOptions,
  PruneResult,
  Verification,
  VerificationOptions,
} from "../types/durable-ledger.ts";
import { ConfigurationError, ToolApprovalError } from "../types/errors.ts";
import type { EntryTexts, LedgerEntry, LedgerQuery, SettlementResult } from "../types/ledger.ts";
import type { RunQuery, RunRecord, RunSummary } from "../types/run-store.ts";
import { hasSession } from "./approval-transitions.ts";
import { openDurableLedger } from "./open-durable-ledger.ts";

/** How `openLedger` opens a ledger. */
export interface LedgerAdminOptions {
  /**
   * Keys for MACs and exact texts, separated by commas, newest first. Default: HAFT_LEDGER_KEY or the file
   * next to the database.
   */
  readonly key?: string;
  /** Values to mask in everything that is written from here. */
  readonly secrets?: readonly string[];
  /** Opens without creating or writing anything. */
  readonly readOnly?: boolean;
}

/** Administrative access to a ledger: reads every caller's records and answers approval requests. */
export interface LedgerAdmin {
  /** The store to pass to `Haft.open`. */
  readonly store: DurableLedger;
  /** Entries of all callers, oldest first, redacted. */
  readonly entries: (query?: LedgerQuery) => Promise<readonly LedgerEntry[]>;
  /** One entry with its exact texts, as far as they are kept. */
  readonly recall: (entryId: string) => Promise<EntryTexts | undefined>;
  /** Rows of the hash chain, with a MAC where the ledger has a key. */
  readonly rows: (query?: ChainQuery) => Promise<readonly ChainRow[]>;
  /**
   * Verifies the whole chain. A truncated end is only detected with `expect`, the hash of an earlier head.
   */
  readonly verify: (options?: VerificationOptions) => Promise<Verification>;
  /** Permanently deletes what ended before a date, in small steps; the rest stays verifiable. */
  readonly prune: (before: Date, options?: PruneOptions) => Promise<PruneResult>;
  /** Writes an anchor over all chains now. Undefined if nothing is new, or on SQLite. */
  readonly anchor: () => Promise<LedgerAnchor | undefined>;
  /** Anchors after this number, oldest first; at most 1,000 by default. */
  readonly anchors: (after?: number, limit?: number) => Promise<readonly LedgerAnchor[]>;
  /** Signs that later rows need no MAC, so that the ledger can be used without its key. */
  readonly turnKeysOff: () => Promise<void>;
  /** Approval requests of all callers. */
  readonly approvals: (query?: ApprovalQuery) => Promise<readonly ApprovalRecord[]>;
  /**
   * Records the answer to an approval request. A process that has the tools continues the call with
   * `haft.resume(id)`.
   */
  readonly answer: (
    id: string,
    decision: ApprovalDecision,
    options?: { readonly by?: string },
  ) => Promise<AnswerStatus>;
  /**
   * Records whether a call with unknown effect took effect. `result` is replayed to later calls with its key.
   */
  readonly settle: (entryId: string, settlement: LedgerAdminSettlement) => Promise<SettlementResult>;
  readonly runs: (query?: RunQuery) => Promise<readonly RunSummary[]>;
  /** One run with its conversation, as far as it is kept; the input of `replayRun`. */
  readonly run: (runId: string) => Promise<RunRecord | undefined>;
  /** Closes the file or the connections, which otherwise stay open while the process runs. */
  readonly end: () => Promise<void>;
}

/** What an operator found out about a call with unknown effect. */
export interface LedgerAdminSettlement {
  readonly tookEffect: boolean;
  readonly result?: unknown;
  readonly by: string;
  readonly reason?: string;
}

/** Opens `sqlite:./haft.db` or `postgres://…` to read, verify, answer and prune. */
export const openLedger = async (place: string, options: LedgerAdminOptions = {}): Promise<LedgerAdmin> => {
  checkFields("The second argument of openLedger", options, ["key", "secrets", "readOnly"]);
  const { key, secrets = [], readOnly = false } = options;
  const store = await openDurableLedger(place, {
    redactor: redactor({ secrets: () => secrets }),
    readOnly,
    ...(key === undefined ? {} : { key }),
  });
  return toLedgerAdmin(store);
};

export const toLedgerAdmin = (store: DurableLedger): LedgerAdmin => {
  const answer: LedgerAdmin["answer"] = async (id, decisionInput, options = {}) => {
    checkFields("The third argument of answer", options, ["by"]);
    const { by } = options;
    if (by !== undefined && typeof by !== "string") throw invalidAnswererError();
    const decision = parseDecision(decisionInput);
    const record = await Effect.runPromise(store.approvals.find(id));
    if (record !== undefined) requireSession(record, decision);
    return Effect.runPromise(store.approvals.answer(id, { decision, by, at: Date.now() }));
  };
  return {
    store,
    entries: async (query) => Effect.runPromise(store.entries(readQuery("entries", query))),
    recall: (entryId) => Effect.runPromise(store.recall(entryId)),
    rows: async (query) => Effect.runPromise(store.rows(readQuery("rows", query))),
    verify: async (options = {}) => {
      checkFields("The argument of verify", options, ["expect", "from", "keyedFrom", "onProgress"]);
      return Effect.runPromise(store.verify(options));
    },
    prune: async (before, options = {}) => {
      checkFields("The second argument of prune", options, ["signal", "onProgress", "rewrite"]);
      return Effect.runPromise(store.prune(readPruneDate(before), options));
    },
    anchor: () => Effect.runPromise(store.anchor()),
    anchors: (after, limit) => Effect.runPromise(store.anchors(after, limit)),
    turnKeysOff: () => Effect.runPromise(store.turnKeysOff()),
    approvals: async (query) => Effect.runPromise(store.approvals.list(readQuery("approvals", query))),
    answer,
    settle: async (entryId, settlement) => {
      checkFields("The second argument of settle", settlement, ["tookEffect", "result", "by", "reason"]);
      const { tookEffect, by, reason, result } = settlement;
      if (typeof tookEffect !== "boolean" || typeof by !== "string") throw invalidSettlementError();
      const text = result === undefined ? undefined : JSON.stringify(result);
      return Effect.runPromise(store.settle({ entryId, tookEffect, by, reason, result: text }));
    },
    runs: async (query) => Effect.runPromise(store.runs.list(readQuery("runs", query))),
    run: (runId) => Effect.runPromise(store.runs.find(runId)),
    end: () => store.end(),
  };
};

type FieldCheck = "text" | "flag" | "number" | "count" | "counts" | readonly string[];

const queryFields = {
  entries: {
    entryId: "text",
    callId: "text",
    runId: "text",
    tool: "text",
    agent: "text",
    session: "text",
    ending: ["open", "executed", "failed", "pending", "hydrated", "unknown"],
    mayHaveTakenEffect: "flag",
    since: "number",
    until: "number",
    before: "text",
    after: "text",
    limit: "count",
  },
  rows: { after: "count", behind: "counts", entryId: "text", limit: "count" },
  approvals: {
    status: ["waiting", "answered", "used", "expired", "void"],
    runId: "text",
    tool: "text",
    limit: "count",
  },
  runs: {
    status: ["running", "done", "pending", "stopped", "cancelled", "failed"],
    agent: "text",
    before: "text",
    limit: "count",
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, FieldCheck>>>>;

/** Validates a query: an unknown or malformed field would silently match everything or nothing. */
const readQuery = <Query extends object>(
  of: keyof typeof queryFields,
  query: Query | undefined,
): Query | undefined => {
  if (query === undefined) return undefined;
  const checks: Readonly<Record<string, FieldCheck>> = queryFields[of];
  checkFields(`The query of ${of}`, query, Object.keys(checks));
  for (const [field, value] of Object.entries(query)) {
    if (value === undefined || isValidField(checks[field]!, value)) continue;
    throw new ConfigurationError(
      "invalid_config",
      `The query of ${of} has a wrong \`${field}\`: it is ${describeFieldCheck(checks[field]!)}.`,
    );
  }
  return query;
};

const isValidField = (check: FieldCheck, value: unknown): boolean => {
  if (check === "text") return typeof value === "string";
  if (check === "flag") return typeof value === "boolean";
  if (check === "number") return Number.isFinite(value);
  if (check === "count") return Number.isSafeInteger(value) && (value as number) >= 0;
  if (check === "counts") return Array.isArray(value) && value.every((each) => isValidField("count", each));
  return check.includes(value as string);
};

const describeFieldCheck = (check: FieldCheck): string => {
  if (check === "text") return "a string";
  if (check === "flag") return "true or false";
  if (check === "number") return "a time in milliseconds since 1970";
  if (check === "count") return "a whole number, 0 or more";
  if (check === "counts") return "a list of whole numbers, 0 or more";
  return `one of ${check.join(", ")}`;
};

const invalidAnswererError = () =>
  new ConfigurationError(
    "invalid_config",
    'The approver must be a string: answer(id, decision, { by: "grace" }).',
  );

const invalidSettlementError = () =>
  new ConfigurationError(
    "invalid_config",
    'Settle a call with { tookEffect: true, result?, by: "grace", reason? } or { tookEffect: false, by: "grace" }.',
  );

const readPruneDate = (before: Date): number => {
  const time = before instanceof Date ? before.getTime() : Number.NaN;
  if (Number.isFinite(time)) return time;
  throw new ConfigurationError(
    "invalid_config",
    "prune requires a Date: entries that ended before it are deleted.",
  );
};

const decisionFields: Readonly<Record<string, readonly string[]>> = {
  allow: ["kind", "always"],
  deny: ["kind", "reason"],
  edit: ["kind", "input"],
};

/** An invalid answer is not recorded, and the call stays pending. */
const parseDecision = (given: unknown): ApprovalDecision => {
  const decision = (typeof given === "object" && given !== null ? given : {}) as Readonly<
    Record<string, unknown>
  >;
  const { kind, always, reason, input } = decision;
  const fields =
    typeof kind === "string" && Object.hasOwn(decisionFields, kind) ? decisionFields[kind] : undefined;
  const isRight =
    fields !== undefined &&
    Object.keys(decision).every((field) => fields.includes(field)) &&
    (always === undefined || always === "run" || always === "session") &&
    (reason === undefined || typeof reason === "string") &&
    (kind !== "edit" || input !== undefined);
  if (isRight) return given as ApprovalDecision;
  throw unreadableDecision(
    'Answer an approval with { kind: "allow", always?: "run" | "session" }, { kind: "deny", reason? } or ' +
      '{ kind: "edit", input }.',
  );
};

/** Without a session the grant would match every caller that has none. */
const requireSession = (record: ApprovalRecord, decision: ApprovalDecision): void => {
  if (decision.kind !== "allow" || decision.always !== "session" || hasSession(record)) return;
  throw unreadableDecision(
    `The caller of "${record.tool}" has no session, so a session grant is not possible. Answer { kind: "allow", always: "run" }.`,
  );
};

const unreadableDecision = (message: string): ToolApprovalError =>
  new ToolApprovalError("unreadable_decision", `${message} Nothing was recorded.`);
