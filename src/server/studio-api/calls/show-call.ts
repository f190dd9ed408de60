import { masked } from "../../ledger/masked.ts";
import type { LedgerEntry } from "../../words/ledger.ts";
import { toApproval } from "../approvals/to-approval.ts";
import { toAppResult, toAppView } from "../apps/app-view.ts";
import { toCaller } from "../person.ts";
import { notFound } from "../refused.ts";
import { isCutInRow, toText } from "../text.ts";
import type { Visit } from "../visit.ts";
import type { Call, CallLine, TaintSource } from "../words/calls.ts";
import type { Caller } from "../words/shared.ts";
import { ask, type StudioWorld } from "../world.ts";
import { given, toCallLine } from "./call-line.ts";
import { stagesOf, type TextPart, textParts } from "./stages.ts";

/** Of one run so many calls are looked through for parents, children and sources of taint. */
export const mostOfRun = 1_000;

export const findEntry = async ({ ledger }: StudioWorld, entryId: string): Promise<LedgerEntry> => {
  const [entry] = await ask(ledger.entries({ entryId }));
  if (entry === undefined) throw notFound(`call "${entryId}"`);
  return entry;
};

/** One call with everything that the ledger has of it. */
export const showCall = async ({ world, params }: Visit): Promise<Call> => {
  const { ledger, durable, shared, options } = world;
  const entry = await findEntry(world, params.entryId!);
  const { entryId, runId, media = [] } = entry;
  const [asked, rows, ofRun, run] = await Promise.all([
    ask(ledger.approvals.list({ runId })),
    durable === undefined ? [] : ask(durable.rows({ entryId })),
    ask(ledger.entries({ runId, limit: mostOfRun })),
    ask(ledger.runs.find(runId)),
  ]);
  const approvals = asked.filter((each) => each.entryId === entryId);
  const whole = await wholeTexts(world, entry);
  const href = (part: TextPart): string =>
    `${options.base}/api/v1/calls/${encodeURIComponent(entryId)}/text/${part}`;
  const parent = entry.parentId === undefined ? undefined : await parentOf(world, entry.parentId);
  return {
    line: toCallLine(entry),
    ...given({ correlationId: entry.correlationId, key: entry.key }),
    inputHash: entry.inputHash,
    stages: stagesOf({
      entry,
      approvals,
      rows,
      registration: shared.registry.get(entry.tool),
      caller: callerOf(entry, approvals[0] === undefined ? undefined : toCaller(approvals[0].principal)),
      text: (part) => {
        const text = whole(part);
        return text === undefined ? undefined : toText(text, href(part));
      },
    }),
    // A person was asked with what its run had read by then, whether or not it ran.
    taints: taintSources(
      [...new Set([...(entry.taints ?? []), ...(approvals.length === 0 ? [] : readBy(ofRun, entry.at))])],
      ofRun,
      entry.at + (entry.durationMs ?? 0),
    ),
    ...(parent === undefined ? {} : { parent }),
    children: ofRun.filter(({ parentId }) => parentId === entryId).map(toCallLine),
    approvals: approvals.map((record) => toApproval(world, record)),
    ...(run === undefined ? {} : { run: { runId, agent: run.agent, status: run.status } }),
    media,
    ...given({ app: appViewOf(world, entry, whole) }),
  };
};

/** Only of a call that was done, and whose texts are all there: an App that is given half a text shows something false. */
const appViewOf = (
  world: StudioWorld,
  { ending, tool }: LedgerEntry,
  whole: (part: TextPart) => string | undefined,
): Call["app"] => {
  const [input, result] = [whole("input"), whole("result")];
  if (ending !== "executed" || input === undefined || result === undefined) return undefined;
  if (isCutInRow(input) || isCutInRow(result)) return undefined;
  try {
    const value: unknown = JSON.parse(result);
    const shown = toAppResult(world, { ok: true, value, text: result });
    return toAppView(world, world.shared.registry.get(tool), JSON.parse(input), shown);
  } catch {
    // A text that was masked or never was JSON.
    return undefined;
  }
};

const parentOf = async ({ ledger }: StudioWorld, entryId: string): Promise<CallLine | undefined> => {
  const [entry] = await ask(ledger.entries({ entryId }));
  return entry === undefined ? undefined : toCallLine(entry);
};

const callerOf = (
  { agent, user, tenant, session }: LedgerEntry,
  asked: Caller | undefined,
): Caller | undefined =>
  asked ?? (agent === undefined ? undefined : { agent, ...given({ user, tenant, session }) });

/** Rows hold the beginning of a long text; the whole is kept apart for some time, and is masked like a row. */
const wholeTexts = async (
  { ledger, redactor }: StudioWorld,
  entry: LedgerEntry,
): Promise<(part: TextPart) => string | undefined> => {
  const isCut = textParts.some((part) => isCutInRow(entry[part] ?? ""));
  const recalled = isCut ? await ask(ledger.recall(entry.entryId)) : undefined;
  return (part) => {
    const shown = entry[part];
    if (shown === undefined || !isCutInRow(shown)) return shown;
    const exact = part === "input" ? recalled?.input : part === "result" ? recalled?.result : undefined;
    return exact === undefined ? shown : masked(exact, redactor);
  };
};

/** The tools whose untrusted words were in a run's conversation at a time. */
export const readBy = (ofRun: readonly LedgerEntry[], time: number): readonly string[] => [
  ...new Set(ofRun.filter(({ at }) => at <= time).flatMap(({ taints = [] }) => taints)),
];

/** The newest call before a time of each tool whose words are in an outcome. */
export const taintSources = (
  tools: readonly string[],
  ofRun: readonly LedgerEntry[],
  before: number,
): readonly TaintSource[] =>
  tools.map((tool) => {
    const source = ofRun.findLast((entry) => entry.tool === tool && entry.at <= before);
    return source === undefined ? { tool } : { tool, entryId: source.entryId, at: source.at };
  });

/** One text of a call, as long as it is. */
export const showText = async ({ world, params }: Visit): Promise<Response> => {
  const entry = await findEntry(world, params.entryId!);
  const part = textParts.find((each) => each === params.part);
  const text = part === undefined ? undefined : (await wholeTexts(world, entry))(part);
  if (text === undefined) throw notFound(`text "${params.part}" of this call`);
  return new Response(text, {
    headers: {
      "content-type": "text/plain; charset=utf-8",
      "cache-control": "no-store",
      "content-disposition": "attachment",
      "x-content-type-options": "nosniff",
    },
  });
};
