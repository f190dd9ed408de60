import * as Effect from "effect/Effect";
import { redactor } from "../../../src/base/json/redact.ts";
import { openDurableLedger } from "../../../src/ledger/open-durable-ledger.ts";
import type { ChainRow } from "../../../src/types/durable-ledger.ts";
import type { ActorReport } from "./actor.ts";
import { heldMark } from "./script.ts";
import type { Fault } from "./takeover.ts";
import { readSightings, type Sighting } from "./witness.ts";

/** The result of one takeover. */
export interface Finding {
  readonly fault: string;
  /** Whether `a` was inside the held call when the run was taken, according to the witness. */
  readonly wasInside: boolean;
  /**
   * How `b` left the run; `kept` if `a` returned in time and continued it; `locked out` if `a` was stopped
   * during a write, so that the file could not be written until it returned.
   */
  readonly end: "ended" | "parked" | "given up" | "kept" | "locked out" | "none";
  readonly effectsTwice: number;
  /** Writes of `a` that the ledger accepted after the run was taken. */
  readonly staleTaken: number;
  /** Writes that it refused with `claim_lost`. */
  readonly staleRefused: number;
  readonly isWhole: boolean;
  /** Violated invariants; empty when the test passes. */
  readonly broken: readonly string[];
  /** Reports and sightings for debugging. */
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
  // A process inside the call had nothing to write until it returned, and it had already lost the run.
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
      ? ["b did not receive the unknown outcome"]
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

/** Whether `b` received the unknown outcome of the interrupted call. */
const isReportedUnknown = (fromB: ActorReport | undefined, taken: Sighting | undefined): boolean => {
  if (taken?.kind === "taken" && taken.how === "given-up") return true;
  return fromB?.kind === "ended" && fromB.heldReply?.includes("may have taken effect") === true;
};

/**
 * After a takeover the held call must not be repeated, even if the model asks for it again. If `a` kept the
 * run and knows the result, that is another call.
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

/** Reads the ledger after both processes ended. */
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

/** Rows by which a call opened before the takeover continued or ended after it, other than as lost. */
const staleRows = (rows: readonly ChainRow[]): readonly ChainRow[] => {
  const taken = rows.findIndex(({ kind, body }) => kind.startsWith("run-") && Number(body.epoch) > 1);
  if (taken < 0) return [];
  const before = new Set(rows.slice(0, taken).map(({ entryId }) => entryId));
  return rows
    .slice(taken)
    .filter(({ kind, entryId }) => entryId !== undefined && kind !== "lost" && before.has(entryId));
};
