import type { ApprovalRecord } from "../words/approval.ts";
import type { MediaNote } from "../words/content.ts";
import { failures } from "../words/failures.ts";
import type { LedgerEntry } from "../words/ledger.ts";
import { answerOf } from "./approvals/answer-of.ts";
import type { Terminal } from "./command.ts";
import { lasting, took } from "./ledger/times.ts";
import { painter, plain, table } from "./screen.ts";

/** Each call's way through the corridor, as the ledger has it: as far as it came, and what was decided there. */
export const showWay = (entries: readonly LedgerEntry[], terminal: Terminal): void => {
  const { dim } = painter(terminal);
  for (const entry of entries) {
    const heading = headingOf(entry, terminal);
    if (isModelCall(entry)) {
      terminal.error(`\n${heading} ${dim(`${(entry.durationMs ?? 0).toFixed(1)} ms`)}\n`);
      continue;
    }
    terminal.error(`\n${heading} ${dim(plain(entry.callId))}\n${table(wayOf(entry), terminal.width)}\n`);
  }
};

export const headingOf = ({ ending, tool }: LedgerEntry, terminal: Pick<Terminal, "hasColor">): string => {
  const { bold, green, yellow, red } = painter(terminal);
  const color = ending === "executed" ? green : ending === "pending" ? yellow : red;
  return `${color("●")} ${bold(plain(tool))}`;
};

/** A question to a model has a way too, but nobody wants to see it for each. */
const isModelCall = ({ tool, code }: LedgerEntry): boolean => tool.startsWith("model:") && code === undefined;

const stages = ["hydrate", "bind", "authorize", "layers", "run", "check", "record", "reply"] as const;
type ShownStage = (typeof stages)[number];

/** One row for each stage it came to, and below it what else is known of it. `closedAt` is when its last row was written. */
export const wayOf = (
  entry: LedgerEntry,
  approvals: readonly ApprovalRecord[] = [],
  closedAt?: number,
): readonly (readonly string[])[] => {
  const failedAt = entry.code === undefined ? undefined : failures[entry.code].stage;
  const last = stages.indexOf(lastOf(entry, failedAt));
  return stages.slice(0, last + 1).flatMap((stage, index) => {
    const isRun = stage === "run" && stage !== failedAt && entry.ending !== "unknown";
    const what = isRun
      ? lastedOf(entry, approvals, closedAt)
      : stage === failedAt
        ? failureOf(entry)
        : said(stage, entry);
    const more = besides(stage, entry, approvals).filter((line) => line !== "");
    const lines = what === "" && more.length > 0 ? more : [what, ...more];
    return lines.map((line, at) => [at === 0 ? `  ${index + 1} ${stage}` : "", plain(line)]);
  });
};

/**
 * What the row calls its duration may hold the time that a person took to answer. Where one was asked, both are told
 * apart: how long the code and its layers took from the first start on, and how long the call had waited.
 */
const lastedOf = (
  { durationMs = 0, attempts = [] }: LedgerEntry,
  approvals: readonly ApprovalRecord[],
  closedAt: number | undefined,
): string => {
  const waits = approvals.flatMap(({ askedAt, answeredAt }) =>
    answeredAt === undefined ? [] : [answeredAt - askedAt],
  );
  if (waits.length === 0) return `${took(durationMs)} ms`;
  const waited = `after waiting ${lasting(waits.reduce((sum, each) => sum + each, 0))} for a person`;
  const startedAt = attempts[0]?.startedAt;
  if (startedAt === undefined || closedAt === undefined) return waited;
  return `${took(Math.max(0, closedAt - startedAt))} ms, ${waited}`;
};

const failureOf = ({ code, message = "", ran }: LedgerEntry): string =>
  `${code}: ${message}${ran === true ? " (its code had run)" : ""}`;

/** How far it came. What waits has not been let through, and of what was lost nobody knows more than that it began. */
const lastOf = ({ ending }: LedgerEntry, failedAt: string | undefined): ShownStage => {
  const stage = stages.find((each) => each === failedAt);
  if (failedAt !== undefined) return stage ?? "hydrate";
  if (ending === "hydrated" || ending === "open") return "hydrate";
  if (ending === "pending") return "authorize";
  return ending === "unknown" ? "run" : "reply";
};

const said = (stage: ShownStage, entry: LedgerEntry): string => {
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
      return "its process ended on the way: it may have run";
    case "check":
      return [result ?? "", ...(entry.media ?? []).map(mediaLine)].join("  + ");
    case "record":
      return entry.entryId;
    case "reply":
      return flow ?? "";
  }
};

const mediaLine = ({ kind, mediaType, name, bytes, sha256, url }: MediaNote): string =>
  [kind, name, mediaType, bytes === undefined ? url : `${bytes} bytes`, sha256 && `sha256 ${sha256}`]
    .filter((word) => word !== undefined)
    .join(" ");

const besides = (
  stage: ShownStage,
  entry: LedgerEntry,
  approvals: readonly ApprovalRecord[],
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
      return [ruleIds.length === 0 ? "" : `rules ${ruleIds.join(", ")}`, ...approvals.map(answerOf)];
    case "run":
      return [cost === undefined ? "" : `cost ${cost}`];
    case "check":
      return [
        original === undefined ? "" : `before a layer rewrote it: ${original}`,
        taints.length === 0 ? "" : `not to be trusted: the words of ${taints.join(", ")}`,
      ];
    default:
      return [];
  }
};
