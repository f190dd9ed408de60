import type { ApprovalRecord } from "../types/approval.ts";
import { isModelKey } from "../types/call.ts";
import { failures } from "../types/failures.ts";
import type { LedgerEntry } from "../types/ledger.ts";
import type { MediaNote } from "../types/message.ts";
import { settleInstructions } from "../types/settlement.ts";
import { describeAnswer } from "./approvals/describe-answer.ts";
import type { Terminal } from "./command.ts";
import { formatElapsed, formatMilliseconds } from "./ledger/short-id.ts";
import { alignColumns, painter, plainText } from "./screen.ts";

export const printStages = (
  entries: readonly LedgerEntry[],
  ledgerFlags: string,
  terminal: Terminal,
): void => {
  const { dim } = painter(terminal);
  for (const entry of entries) {
    const heading = entryHeading(entry, terminal);
    if (isModelCall(entry)) {
      terminal.error(`\n${heading} ${dim(`${(entry.durationMs ?? 0).toFixed(1)} ms`)}\n`);
      continue;
    }
    terminal.error(
      `\n${heading} ${dim(plainText(entry.callId))}\n${alignColumns(stageRows(entry, [], undefined, ledgerFlags), terminal.width)}\n`,
    );
  }
};

export const entryHeading = ({ ending, tool }: LedgerEntry, terminal: Pick<Terminal, "hasColor">): string => {
  const { bold, green, yellow, red } = painter(terminal);
  const color = ending === "executed" ? green : ending === "pending" ? yellow : red;
  return `${color("●")} ${bold(plainText(tool))}`;
};

const isModelCall = ({ tool, code }: LedgerEntry): boolean => isModelKey(tool) && code === undefined;

const stageNamesInOrder = [
  "hydrate",
  "bind",
  "authorize",
  "layers",
  "run",
  "check",
  "record",
  "reply",
] as const;
type PipelineStageName = (typeof stageNamesInOrder)[number];

export const stageRows = (
  entry: LedgerEntry,
  approvals: readonly ApprovalRecord[] = [],
  closedAt?: number,
  ledgerFlags = "",
): readonly (readonly string[])[] => {
  const failedAt = entry.code === undefined ? undefined : failures[entry.code].stage;
  const last = stageNamesInOrder.indexOf(lastStageOf(entry, failedAt));
  return stageNamesInOrder.slice(0, last + 1).flatMap((stage, index) => {
    const isRun = stage === "run" && stage !== failedAt && entry.ending !== "unknown";
    const what = isRun
      ? runDurationText(entry, approvals, closedAt)
      : stage === failedAt
        ? failureText(entry)
        : stageText(stage, entry);
    const more = stageDetails(stage, entry, approvals, ledgerFlags).filter((line) => line !== "");
    const lines = what === "" && more.length > 0 ? more : [what, ...more];
    return lines.map((line, at) => [at === 0 ? `  ${index + 1} ${stage}` : "", plainText(line)]);
  });
};

/** `durationMs` includes the wait for an approval, so the run time is measured from the first start. */
const runDurationText = (
  { durationMs = 0, attempts = [], ran, notes = [] }: LedgerEntry,
  approvals: readonly ApprovalRecord[],
  closedAt: number | undefined,
): string => {
  if (ran === false) return notes.some(isReplayNote) ? "did not run: the result was replayed" : "did not run";
  const waits = approvals.flatMap(({ askedAt, answeredAt }) =>
    answeredAt === undefined ? [] : [answeredAt - askedAt],
  );
  if (waits.length === 0) return `${formatMilliseconds(durationMs)} ms`;
  const waited = `after waiting ${formatElapsed(waits.reduce((sum, each) => sum + each, 0))} for approval`;
  const startedAt = attempts[0]?.startedAt;
  if (startedAt === undefined || closedAt === undefined) return waited;
  return `${formatMilliseconds(Math.max(0, closedAt - startedAt))} ms, ${waited}`;
};

export const isReplayNote = (note: string): boolean => note.startsWith("replayed from ");

const failureText = ({ code, message = "", ran }: LedgerEntry): string =>
  `${code}: ${message}${ran === true ? " (after its code started)" : ""}`;

/** A pending call stops at authorize; a lost call has at least started to run. */
const lastStageOf = ({ ending }: LedgerEntry, failedAt: string | undefined): PipelineStageName => {
  const stage = stageNamesInOrder.find((each) => each === failedAt);
  if (failedAt !== undefined) return stage ?? "hydrate";
  if (ending === "hydrated" || ending === "open") return "hydrate";
  if (ending === "pending") return "authorize";
  return ending === "unknown" ? "run" : "reply";
};

const stageText = (stage: PipelineStageName, entry: LedgerEntry): string => {
  const { provenance, decision, result, notes = [], flow } = entry;
  switch (stage) {
    case "hydrate": {
      const how = provenance?.repaired === true ? ", repaired" : "";
      return `${entry.input}${provenance?.validated === true ? `  valid by ${provenance.validator?.name}` : ""}${how}`;
    }
    case "bind":
      return entry.implementation ?? "";
    case "authorize":
      return decision ?? "";
    case "layers":
      return [...(entry.layers?.length ? [entry.layers.join(" > ")] : []), ...notes].join("; ");
    case "run":
      return "its process ended during the call: the call may have run";
    case "check":
      return [result ?? "", ...(entry.media ?? []).map(mediaText)].join("  + ");
    case "record":
      return entry.entryId;
    case "reply":
      return flow ?? "";
  }
};

const mediaText = ({ kind, mediaType, name, bytes, sha256, url }: MediaNote): string =>
  [kind, name, mediaType, bytes === undefined ? url : `${bytes} bytes`, sha256 && `sha256 ${sha256}`]
    .filter((word) => word !== undefined)
    .join(" ");

const stageDetails = (
  stage: PipelineStageName,
  entry: LedgerEntry,
  approvals: readonly ApprovalRecord[],
  ledgerFlags: string,
): readonly string[] => {
  const { provenance, definition, ruleIds = [], cost, taints = [], original } = entry;
  switch (stage) {
    case "hydrate":
      return (provenance?.changes ?? []).map(
        ({ stage: kind, pointer, from, to }) => `repaired ${kind} at "${pointer}": ${from} → ${to}`,
      );
    case "bind":
      return [definition === undefined ? "" : `definition ${definition}`];
    case "authorize":
      return [ruleIds.length === 0 ? "" : `rules ${ruleIds.join(", ")}`, ...approvals.map(describeAnswer)];
    case "run":
      return [
        cost === undefined ? "" : `cost ${cost}`,
        entry.ending === "unknown" ? settleInstructions(entry.entryId, ledgerFlags) : "",
        settlementText(entry),
      ];
    case "check":
      return [
        original === undefined ? "" : `before a layer rewrote it: ${original}`,
        taints.length === 0 ? "" : `untrusted content of ${taints.join(", ")}`,
      ];
    default:
      return [];
  }
};

const settlementText = ({ settlement }: LedgerEntry): string => {
  if (settlement === undefined) return "";
  const { tookEffect, by, reason } = settlement;
  const what = tookEffect ? "it took effect" : "it did not take effect";
  return `settled by ${by}: ${what}${reason === undefined ? "" : ` (${reason})`}`;
};
