import { rowName } from "../../../ledger/durable/chain/signed-row.ts";
import { definitionHash } from "../../../tools/tool-definition.ts";
import type { ApprovalRecord } from "../../../types/approval.ts";
import type { ChainRow } from "../../../types/durable-ledger.ts";
import { failures } from "../../../types/failures.ts";
import type { LedgerEntry } from "../../../types/ledger.ts";
import type { Registration } from "../../../types/tool.ts";
import { definedFields } from "../read-query.ts";
import type { CallRow, StageState, Stages } from "../schemas/calls.ts";
import type { Caller, Text } from "../schemas/shared.ts";
import { executionMsOf } from "./list-calls.ts";

export const stageNames = [
  "hydrate",
  "bind",
  "authorize",
  "layers",
  "run",
  "check",
  "record",
  "reply",
] as const;
type StageName = (typeof stageNames)[number];

export interface StageFacts {
  readonly entry: LedgerEntry;
  readonly approvals: readonly ApprovalRecord[];
  readonly rows: readonly ChainRow[];
  /** The tool that has the name now. */
  readonly registration: Registration | undefined;
  readonly caller: Caller | undefined;
  readonly text: (part: TextPart) => Text | undefined;
}

export const textParts = ["input", "ranWith", "result", "original", "message"] as const;
export type TextPart = (typeof textParts)[number];

export const toStages = (facts: StageFacts): Stages => {
  const { entry, registration, rows, text: textOfPart } = facts;
  const { provenance, attempts = [], ruleIds = [], layers = [], notes = [], taints = [] } = entry;
  const state = stageStatesOf(entry);
  const failed = failedStage(entry);
  const at = (stage: StageName, text: string): { state: StageState; summary: string } => ({
    state: state(stage),
    summary:
      state(stage) === "not-reached"
        ? unreadText(entry, stage)
        : stage === failed
          ? stageFailureText(entry)
          : text,
  });
  const waitedMs = facts.approvals.reduce(
    (sum, { askedAt, answeredAt }) => sum + (answeredAt === undefined ? 0 : answeredAt - askedAt),
    0,
  );
  const { validator } = provenance ?? {};
  const approval = facts.approvals.at(-1);
  const decision =
    entry.decision === undefined ? approvalText(approval) : decisionText(entry.decision, approval);
  return {
    hydrate: {
      ...at("hydrate", provenance?.repaired === true ? "repaired" : validationText(entry)),
      input: textOfPart("input") ?? { text: "" },
      ...definedFields({ ranWith: textOfPart("ranWith"), validated: provenance?.validated }),
      ...(validator == null ? {} : { validator: { name: validator.name, version: validator.version } }),
      repaired: provenance?.repaired === true,
      changes: provenance?.changes ?? [],
      ...definedFields({ validationMs: provenance?.validationMs }),
      issues: failed === "hydrate" ? [{ pointer: "", message: entry.message ?? "" }] : [],
    },
    bind: {
      ...at("bind", entry.implementation ?? ""),
      tool: entry.tool,
      ...definedFields({
        implementation: entry.implementation,
        origin: registration?.origin,
        definition: entry.definition,
        currentDefinition: registration === undefined ? undefined : definitionHash(registration.tool.spec),
      }),
    },
    authorize: {
      ...at("authorize", decision ?? ""),
      ...definedFields({ decision }),
      ruleIds,
      caller: facts.caller,
    },
    layers: { ...at("layers", [layers.join(" > "), ...notes].filter(Boolean).join("; ")), layers, notes },
    run: {
      ...at("run", runText(entry)),
      attempts,
      ...definedFields({ ran: entry.ran, durationMs: executionMsOf(entry), cost: entry.cost }),
      ...(entry.claimsNotRun === true ? { claimsNotRun: true as const } : {}),
      ...(waitedMs === 0 ? {} : { waitedMs }),
    },
    check: {
      ...at("check", taints.length === 0 ? "" : `contains untrusted content of ${taints.join(", ")}`),
      ...definedFields({ result: textOfPart("result"), original: textOfPart("original") }),
    },
    record: { ...at("record", entry.entryId), rows: rows.map(toCallRow) },
    reply: {
      ...at("reply", entry.flow ?? (entry.code === undefined ? "" : `failed with ${entry.code}`)),
      ...definedFields({
        flow: entry.flow,
        handoff: entry.handoff,
        code: entry.code,
        message: entry.message,
      }),
    },
  };
};

/** Visibility is checked in stage 1 but shown as part of authorization. */
const failedStage = ({ code }: LedgerEntry): string | undefined =>
  code === undefined ? undefined : code === "not_visible" ? "authorize" : failures[code].stage;

const isInputUnread = ({ code, provenance }: LedgerEntry): boolean =>
  code === "not_visible" || (code === "not_answered" && provenance === undefined);

const unreadText = (entry: LedgerEntry, stage: StageName): string =>
  stage === "hydrate" && isInputUnread(entry) ? "arguments not read" : "";

const stageStatesOf = (entry: LedgerEntry): ((stage: StageName) => StageState) => {
  const failed = failedStage(entry);
  const end = endingStages[entry.ending] ?? ["reply", "passed"];
  const [name, state] = failed === undefined ? end : [toStageName(failed), "failed" as const];
  const last = stageNames.indexOf(name);
  return (stage) => {
    const place = stageNames.indexOf(stage);
    if (place < last) return isInputUnread(entry) ? "not-reached" : "passed";
    if (place === last) return state;
    // Every finished call is recorded and gets a reply.
    const isOver = entry.ending === "executed" || entry.ending === "failed";
    return isOver && (stage === "record" || stage === "reply") ? "passed" : "not-reached";
  };
};

const endingStages: Readonly<Partial<Record<LedgerEntry["ending"], readonly [StageName, StageState]>>> = {
  open: ["run", "running"],
  hydrated: ["hydrate", "passed"],
  pending: ["authorize", "pending"],
  unknown: ["run", "unknown"],
};

const toStageName = (stage: string): StageName => stageNames.find((each) => each === stage) ?? "hydrate";

const decisionTexts = { allow: "approved", deny: "denied", edit: "approved with changes" } as const;

const decisionText = (decision: string, approval: ApprovalRecord | undefined): string =>
  approval?.decision?.kind === "edit" ? `${decision}; ${answerText("edit", approval.answeredBy)}` : decision;

const approvalText = (approval: ApprovalRecord | undefined): string | undefined => {
  if (approval === undefined) return undefined;
  const { reason, decision, answeredBy } = approval;
  return `approval required: ${reason}${decision === undefined ? "" : `; ${answerText(decision.kind, answeredBy)}`}`;
};

const answerText = (kind: keyof typeof decisionTexts, by: string | undefined): string =>
  by === undefined ? decisionTexts[kind] : `${decisionTexts[kind]} by ${by}`;

const stageFailureText = ({ code, message = "", ran, agent }: LedgerEntry): string =>
  code === "not_visible"
    ? `not_visible: ${agent === undefined ? "the call has no principal" : "the caller has no permission for this tool with any arguments"}. Stage 1 checks this before it reads the arguments.`
    : `${code}: ${message}${ran === true ? " (after the code started)" : ""}`;

const validationText = ({ provenance }: LedgerEntry): string =>
  provenance?.validated === true ? `valid by ${provenance.validator?.name ?? "its schema"}` : "";

const runText = (entry: LedgerEntry): string => {
  const { ending } = entry;
  const durationMs = executionMsOf(entry);
  if (ending === "unknown") return "the process ended during the call, so the code may have run";
  if (durationMs === undefined) return "";
  const [time, unit] = durationMs < 1_000 ? [durationMs, "ms"] : [durationMs / 1_000, "s"];
  return durationMs < 1 ? "<1 ms" : `${Number(time.toPrecision(3))} ${unit}`;
};

const toCallRow = ({ seq, chain, at, kind, hash, prev, mac, keyId }: ChainRow): CallRow => ({
  seq,
  name: rowName(seq),
  chain,
  at,
  kind,
  hash,
  ...definedFields({ prev, mac, keyId }),
});
