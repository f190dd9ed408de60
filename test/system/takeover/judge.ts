import * as Effect from "effect/Effect";
import { redactor } from "../../../src/base/json/redact.ts";
import { openDurableLedger } from "../../../src/ledger/open-durable-ledger.ts";
import type { ChainRow } from "../../../src/types/durable-ledger.ts";
import type { ActorReport } from "./actor.ts";
import { heldMark } from "./script.ts";
import type { Fault } from "./takeover.ts";
import { readSightings, type Sighting } from "./witness.ts";

/** What came of one takeover. */
export interface Finding {
  readonly fault: string;
  /** `a` was inside the call when the run was taken: the witness alone says so. */
  readonly wasInside: boolean;
  /**
   * How `b` left the run; `kept` if `a` was back in time and went on with it; `locked out` if `a` was stopped in the
   * middle of a write, so that nobody else could write to the file until it came back.
   */
  readonly end: "ended" | "parked" | "given up" | "kept" | "locked out" | "none";
  readonly effectsTwice: number;
  /** Writes of `a` that the ledger took after the run was not its any more. */
  readonly staleTaken: number;
  /** Those it refused with `claim_lost`. */
  readonly staleRefused: number;
  readonly isWhole: boolean;
  /** Sentences about promises that were broken; none is what is wanted. */
  readonly broken: readonly string[];
  /** What both reported and the witness saw, to find out why. */
  readonly note: string;
}

export interface Statements {
  readonly fromA: ActorReport | undefined;
  readonly fromB: ActorReport | undefined;
  readonly complaints: string;
}

export const judge = async (
  fault: Fault,
  folder: string,
  place: string,
  { fromA, fromB, complaints }: Statements,
): Promise<Finding> => {
  const sightings = readSightings(folder);
  const takenAt = sightings.findIndex(({ kind }) => kind === "taken");
  const wasInside = takenAt >= 0 && isInside(sightings.slice(0, takenAt));
  const twice = repeated(sightings);
  // One that was inside had nothing to write until it came back, and by then it had lost the run.
  const writes = wasInside ? sightings.flatMap((one) => (one.kind === "write" ? [one] : [])) : [];
  const taken = writes.filter(({ refusedWith }) => refusedWith === undefined);
  const late = sightings.slice(takenAt).filter((one) => one.kind === "effect" && one.by === "a");
  const ledger = await inspect(place, wasInside);
  const end = toEnd(fromA, fromB, sightings[takenAt]);
  const isLost = fromA?.kind === "rejected" && fromA.code === "claim_lost";
  const broken = [
    ...twice.map((mark) => `"${mark}" took effect more than once`),
    ...taken.map(({ what }) => `a stale write was taken: ${what}`),
    ...(wasInside && late.length > 0 ? [`a took effect ${late.length} times after it had lost the run`] : []),
    ...(takenAt >= 0 && fault.isDeadly !== true && !isLost ? ["a does not know that it lost the run"] : []),
    ...(wasInside && !isReportedUnknown(fromB, sightings[takenAt])
      ? ["b was not told that the outcome is unknown"]
      : []),
    ...(fromB?.kind === "rejected" && end === "none" ? ["b was refused"] : []),
    ...ledger.broken,
  ];
  return {
    fault: fault.name,
    wasInside,
    end,
    effectsTwice: twice.length,
    staleTaken: taken.length + ledger.staleRows,
    staleRefused: writes.filter(({ refusedWith }) => refusedWith === "claim_lost").length,
    isWhole: ledger.isWhole,
    broken,
    note: `${JSON.stringify({ fromA, fromB, sightings })} ${complaints}`,
  };
};

const toEnd = (
  fromA: ActorReport | undefined,
  fromB: ActorReport | undefined,
  taken: Sighting | undefined,
): Finding["end"] => {
  if (taken?.kind !== "taken") {
    if (fromA?.kind !== "ended" || fromA.status !== "done") return "none";
    return fromB?.kind === "rejected" && fromB.code === "ledger_unavailable" ? "locked out" : "kept";
  }
  if (fromB?.kind !== "ended") return "none";
  const { status, reason, heldReply } = fromB;
  if (taken.how === "given-up") return status === "stopped" && reason !== undefined ? "given up" : "none";
  if (heldReply === undefined) return "none";
  if (status === "pending" && reason !== undefined) return "parked";
  return status === "done" ? "ended" : "none";
};

/** Whoever goes on with a run hears that nobody knows what came of the call that was under way. */
const isReportedUnknown = (fromB: ActorReport | undefined, taken: Sighting | undefined): boolean => {
  if (taken?.kind === "taken" && taken.how === "given-up") return true;
  return fromB?.kind === "ended" && fromB.heldReply?.includes("may have taken effect") === true;
};

/**
 * Where the run was taken, nobody may do again what the held call may have done, not even if the model asks for it
 * once more. Where `a` kept the run and knows what came of it, that would be another call.
 */
const repeated = (sightings: readonly Sighting[]): readonly string[] => {
  const isTaken = sightings.some(({ kind }) => kind === "taken");
  const marks = sightings.flatMap((one) => (one.kind === "effect" ? [isTaken ? one.mark : one.callId] : []));
  return [...new Set(marks.filter((mark, index) => marks.indexOf(mark) !== index))];
};

const isInside = (before: readonly Sighting[]): boolean => {
  const has = (kind: "effect" | "returned") =>
    before.some((one) => one.kind === kind && one.by === "a" && one.mark === heldMark);
  return has("effect") && !has("returned");
};

/** What the ledger says when both are gone. */
const inspect = async (place: string, wasInside: boolean) => {
  const ledger = await openDurableLedger(place, { redactor: redactor() });
  try {
    const { ok, broken: fault } = await Effect.runPromise(ledger.verify());
    const entries = await Effect.runPromise(ledger.entries({ tool: "pay" }));
    const stale = staleRows(await Effect.runPromise(ledger.rows()));
    const held = entries.find(({ input }) => input.includes(`"${heldMark}"`));
    const callIds = entries.map(({ callId }) => callId);
    const broken = [
      ...(ok ? [] : [`the chain is broken: ${fault?.why}`]),
      ...stale.map(({ kind, seq }) => `row ${seq} (${kind}) is of a call that was lost before`),
      ...entries.filter(({ ending }) => ending === "open").map(({ callId }) => `${callId} still reads open`),
      ...callIds.filter((id, at) => callIds.indexOf(id) !== at).map((id) => `${id} has two entries`),
      ...(wasInside && held?.ending !== "unknown" ? [`the held call reads ${held?.ending}`] : []),
    ];
    return { isWhole: ok, staleRows: stale.length, broken };
  } finally {
    await ledger.end();
  }
};

/** Rows by which a call that was opened before the run was taken went on or ended after it, other than as lost. */
const staleRows = (rows: readonly ChainRow[]): readonly ChainRow[] => {
  const taken = rows.findIndex(({ kind, body }) => kind.startsWith("run-") && Number(body.epoch) > 1);
  if (taken < 0) return [];
  const before = new Set(rows.slice(0, taken).map(({ entryId }) => entryId));
  return rows
    .slice(taken)
    .filter(({ kind, entryId }) => entryId !== undefined && kind !== "lost" && before.has(entryId));
};
