import { maskLedgerText } from "../../../ledger/mask-entry.ts";
import { listCurrentApprovals } from "../../../pipeline/pending/earlier-call-note.ts";
import { settleAny } from "../../../runtime/run-in-runtime.ts";
import { ToolError } from "../../../types/errors.ts";
import type { LedgerEntry } from "../../../types/ledger.ts";
import { isUnsettled } from "../../../types/settlement.ts";
import { HttpError } from "../../request/http-error.ts";
import { type ApiContext, toCaller } from "../api-context.ts";
import { notFoundError } from "../api-error.ts";
import { toApproval } from "../approvals/to-approval.ts";
import { toAppResult, toAppView } from "../apps/app-tools.ts";
import { definedFields, isTruncatedInRow, toText } from "../read-query.ts";
import type { CallListItem, TaintSource } from "../schemas/call-list-items.ts";
import type { Call, SettleBody } from "../schemas/calls.ts";
import type { Caller } from "../schemas/shared.ts";
import { runLedger, type StudioServices } from "../studio-services.ts";
import { toCallListItem } from "./list-calls.ts";
import { type TextPart, textParts, toStages } from "./to-stages.ts";

export const maxRunEntries = 1_000;

export const findEntry = async ({ ledger }: StudioServices, entryId: string): Promise<LedgerEntry> => {
  const [entry] = await runLedger(ledger.entries({ entryId }));
  if (entry === undefined) throw notFoundError(`call "${entryId}"`);
  return entry;
};

export const showCall = async ({ studio, params }: ApiContext): Promise<Call> => {
  const { ledger, durable, shared, options } = studio;
  const entry = await findEntry(studio, params.entryId!);
  const { entryId, runId, media = [] } = entry;
  const [runApprovals, rows, runEntries, run] = await Promise.all([
    runLedger(listCurrentApprovals(ledger, { runId })),
    durable === undefined ? [] : runLedger(durable.rows({ entryId })),
    runLedger(ledger.entries({ runId, limit: maxRunEntries })),
    runLedger(ledger.runs.find(runId)),
  ]);
  const approvals = runApprovals.filter((each) => each.entryId === entryId);
  const fullText = await loadFullTexts(studio, entry);
  const href = (part: TextPart): string =>
    `${options.base}/api/v1/calls/${encodeURIComponent(entryId)}/text/${part}`;
  const parent = entry.parentId === undefined ? undefined : await findParentCall(studio, entry.parentId);
  return {
    summary: toCallListItem(entry),
    ...definedFields({ correlationId: entry.correlationId, operator: entry.operator, key: entry.key }),
    inputHash: entry.inputHash,
    stages: toStages({
      entry,
      approvals,
      rows,
      registration: shared.registry.get(entry.tool),
      caller: toEntryCaller(entry, approvals[0] === undefined ? undefined : toCaller(approvals[0].principal)),
      text: (part) => {
        const text = fullText(part);
        return text === undefined ? undefined : toText(text, href(part));
      },
    }),
    // Includes what the run had read when approval was requested.
    taints: taintSources(
      [
        ...new Set([
          ...(entry.taints ?? []),
          ...(approvals.length === 0 ? [] : taintsReadBefore(runEntries, entry.at)),
        ]),
      ],
      runEntries,
      entry.at + (entry.durationMs ?? 0),
    ),
    ...(parent === undefined ? {} : { parent }),
    children: runEntries.filter(({ parentId }) => parentId === entryId).map(toCallListItem),
    approvals: approvals.map((record) => toApproval(studio, record)),
    ...(run === undefined ? {} : { run: { runId, agent: run.agent, status: run.status } }),
    ...(isSettleable(studio, entry) ? { canSettle: true } : {}),
    ...definedFields({ settlement: toCallSettlement(entry) }),
    media,
    ...definedFields({ app: toCallAppView(studio, entry, fullText) }),
  };
};

/** Failed calls may have taken effect, but only calls with a key can be settled. */
const isSettleable = ({ shared }: StudioServices, entry: LedgerEntry): boolean =>
  isUnsettled(entry) &&
  (entry.ending === "unknown" || shared.registry.get(entry.tool)?.tool.key !== undefined);

const toCallSettlement = ({ settlement }: LedgerEntry): Call["settlement"] => {
  if (settlement === undefined) return undefined;
  const { tookEffect, by, reason, at } = settlement;
  return { tookEffect, by, at, ...definedFields({ reason }) };
};

/** Undefined for truncated data, which would mislead. */
const toCallAppView = (
  studio: StudioServices,
  { ending, tool }: LedgerEntry,
  fullText: (part: TextPart) => string | undefined,
): Call["app"] => {
  const [input, result] = [fullText("input"), fullText("result")];
  if (ending !== "executed" || input === undefined || result === undefined) return undefined;
  if (isTruncatedInRow(input) || isTruncatedInRow(result)) return undefined;
  try {
    const value: unknown = JSON.parse(result);
    const text = typeof value === "string" ? value : result;
    const shown = toAppResult(studio, { ok: true, value, text });
    return toAppView(studio, studio.shared.registry.get(tool), JSON.parse(input), shown);
  } catch {
    // The text was masked or is not JSON.
    return undefined;
  }
};

const findParentCall = async (
  { ledger }: StudioServices,
  entryId: string,
): Promise<CallListItem | undefined> => {
  const [entry] = await runLedger(ledger.entries({ entryId }));
  return entry === undefined ? undefined : toCallListItem(entry);
};

const toEntryCaller = (
  { agent, user, tenant, session }: LedgerEntry,
  approvalCaller: Caller | undefined,
): Caller | undefined =>
  approvalCaller ??
  (agent === undefined ? undefined : { agent, ...definedFields({ user, tenant, session }) });

/** Long texts are truncated in entries. */
const loadFullTexts = async (
  { ledger, redactor }: StudioServices,
  entry: LedgerEntry,
): Promise<(part: TextPart) => string | undefined> => {
  const isTruncated = textParts.some((part) => isTruncatedInRow(entry[part] ?? ""));
  const recalled = isTruncated ? await runLedger(ledger.recall(entry.entryId)) : undefined;
  return (part) => {
    const shown = entry[part];
    if (shown === undefined || !isTruncatedInRow(shown)) return shown;
    const exact = part === "input" ? recalled?.input : part === "result" ? recalled?.result : undefined;
    return exact === undefined ? shown : maskLedgerText(exact, redactor);
  };
};

export const taintsReadBefore = (ofRun: readonly LedgerEntry[], time: number): readonly string[] => [
  ...new Set(ofRun.filter(({ at }) => at <= time).flatMap(({ taints = [] }) => taints)),
];

export const taintSources = (
  tools: readonly string[],
  ofRun: readonly LedgerEntry[],
  before: number,
): readonly TaintSource[] =>
  tools.map((tool) => {
    const source = ofRun.findLast((entry) => entry.tool === tool && entry.at <= before);
    return source === undefined ? { tool } : { tool, entryId: source.entryId, at: source.at };
  });

export const showCallText = async ({ studio, params }: ApiContext): Promise<Response> => {
  const entry = await findEntry(studio, params.entryId!);
  const part = textParts.find((each) => each === params.part);
  const text = part === undefined ? undefined : (await loadFullTexts(studio, entry))(part);
  if (text === undefined) throw notFoundError(`text "${params.part}" of this call`);
  return new Response(text, {
    headers: {
      "content-type": "text/plain; charset=utf-8",
      "cache-control": "no-store",
      "content-disposition": "attachment",
      "x-content-type-options": "nosniff",
    },
  });
};

export const settleCall = async (context: ApiContext<SettleBody>): Promise<Call> => {
  const { studio, person, params } = context;
  const { tookEffect, result, reason } = context.body;
  const { entryId } = await findEntry(studio, params.entryId!);
  const finding = { tookEffect, by: person.name, ...(reason ? { reason } : {}) };
  try {
    await settleAny(studio.haft, entryId, result === undefined ? finding : { ...finding, result });
  } catch (error) {
    if (!ToolError.is(error)) throw error;
    if (error.code === "not_settled") throw new HttpError(409, "not_settled", error.message);
    if (error.code === "invalid_config") throw new HttpError(422, "invalid", error.message);
    throw error;
  }
  return showCall(context);
};
