import * as Effect from "effect/Effect";
import type { LedgerEntry } from "../../../src/types/ledger.ts";
import type { Message } from "../../../src/types/message.ts";
import type { History } from "./history.ts";

/** Checks the invariants at the end of a history. Returns the violations. */
export const checkHistory = async (history: History): Promise<readonly string[]> => {
  const { scheduler, shared } = history;
  const reader = history.runtimes.get("J")?.store;
  if (reader === undefined) return [...history.broken, "no runtime could open the store at the end"];
  scheduler.setFree();
  const entries = await Effect.runPromise(reader.entries());
  const broken = await shared.verify();
  return [
    ...history.broken,
    ...shared.wrongWrites,
    ...(broken === undefined ? [] : [`the record is not whole: ${broken}`]),
    ...unexpectedErrors(history),
    ...checkEffects(history, entries),
    ...checkEntries(history, entries),
    ...checkReplies(history),
    ...(await checkRuns(history)),
  ];
};

const unexpectedErrors = ({ tasks }: History): readonly string[] =>
  tasks.flatMap(({ actor, what, error }) =>
    error === undefined || error.code !== undefined ? [] : [`${actor}, ${what}: ${error.message ?? error}`],
  );

const markOf = ({ input }: LedgerEntry): string | undefined => {
  try {
    return (JSON.parse(input) as { readonly mark?: string }).mark;
  } catch {
    return undefined;
  }
};

/** A call that is not idempotent takes effect at most once, and every effect is recorded. */
const checkEffects = ({ witness, shared }: History, entries: readonly LedgerEntry[]): readonly string[] => {
  const broken: string[] = [];
  const marks = new Set(witness.effects.map(({ mark }) => mark));
  for (const mark of marks) {
    const effects = witness.effects.filter((effect) => effect.mark === mark);
    const isIdempotent = effects[0]?.tool === "look";
    if (!isIdempotent && effects.length > 1) {
      broken.push(`${effects[0]?.tool} ${mark} took effect ${effects.length} times`);
    }
    const own = entries.filter((entry) => markOf(entry) === mark);
    const admits = own.some(
      ({ entryId, ending, ran }) => ending === "unknown" || ran === true || shared.isLeftOpen(entryId),
    );
    if (!admits) {
      const said = own.map(({ ending, ran }) => `${ending} (ran: ${ran})`).join(", ");
      broken.push(`${effects[0]?.tool} ${mark} took effect, and the ledger says ${said || "nothing"}`);
    }
  }
  return broken;
};

/** No runtime has open calls any more, so no entry is open, and every executed entry took effect. */
const checkEntries = ({ witness, shared }: History, entries: readonly LedgerEntry[]): readonly string[] =>
  entries.flatMap((entry) => {
    const { ending, tool, callId } = entry;
    const mark = markOf(entry);
    if (ending === "open" && shared.isLeftOpen(entry.entryId)) return [];
    if (ending === "open" || ending === "pending") return [`${tool} ${mark ?? callId} reads ${ending}`];
    if (ending === "executed" && mark !== undefined && witness.times(mark) === 0) {
      return [`${tool} ${mark} reads executed and never took effect`];
    }
    return [];
  });

/** Each call of a conversation has exactly one reply. */
const checkReplies = ({ tasks }: History): readonly string[] =>
  tasks.flatMap(({ actor, what, response }) =>
    response === undefined
      ? []
      : [...wrongReplies(response.context), ...unanswered(response.context)].map(
          (why) => `the conversation of ${actor}, ${what}: ${why}`,
        ),
  );

const callIds = (messages: readonly Message[]): readonly string[] =>
  messages
    .flatMap((message) => (message.role === "assistant" ? (message.calls ?? []) : []))
    .map(({ id }) => id);

const replyIds = (messages: readonly Message[]): readonly string[] =>
  messages.flatMap((message) => (message.role === "tool" ? [message.callId] : []));

const repeated = (ids: readonly string[]): readonly string[] =>
  ids.filter((id, index) => ids.indexOf(id) !== index);

/** Replies without a call, and calls with two replies. */
export const wrongReplies = (messages: readonly Message[]): readonly string[] => {
  const calls = callIds(messages);
  const replies = replyIds(messages);
  return [
    ...repeated(calls).map((id) => `${id} was asked for twice`),
    ...repeated(replies).map((id) => `${id} was answered twice`),
    ...replies.filter((id) => !calls.includes(id)).map((id) => `${id} was never asked for`),
  ];
};

const unanswered = (messages: readonly Message[]): readonly string[] => {
  const replies = new Set(replyIds(messages));
  return callIds(messages)
    .filter((id) => !replies.has(id))
    .map((id) => `${id} was never answered`);
};

/** A run ends once, and a run reported as done is done. */
const checkRuns = async ({ names, shared, tasks, runtimes }: History): Promise<readonly string[]> => {
  const broken: string[] = [];
  const { runs } = runtimes.get("J")!.store;
  const list = await Effect.runPromise(runs!.list());
  for (const { runId, status } of list) {
    const name = names.run(runId);
    const own = tasks.filter(({ run }) => run === name);
    const done = own.filter(({ response }) => response?.status === "done").length;
    const isGivenUp = own.some(({ answer }) => answer === "given-up");
    if (shared.endings(runId) !== 1) broken.push(`${name} ended ${shared.endings(runId)} times`);
    if (done > 1) broken.push(`${name} was reported done ${done} times`);
    if (done > 0 && status !== "done") broken.push(`${name} was reported done but has the status ${status}`);
    if (done > 0 && isGivenUp) broken.push(`${name} was reported done and was cancelled`);
    if (status === "running" || status === "pending" || status === "failed") {
      broken.push(`${name} reads ${status} after everything`);
    }
  }
  return broken;
};
