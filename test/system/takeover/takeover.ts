import { mkdirSync, writeFileSync } from "node:fs";
// allow-sleep: a random moment for the return
import { setTimeout as pause } from "node:timers/promises";
import type { ActorOptions, ActorReport } from "./actor.ts";
import { type Finding, judge } from "./judge.ts";
import type { ActorProcess, ProcessGroups } from "./process-groups.ts";
import { releaseFile } from "./witness.ts";

/** A fault of `a` during the held call, and its end. */
export interface Fault {
  readonly name: string;
  /** Milliseconds by which the clock of `a` is ahead. */
  readonly aheadMs?: number;
  readonly holds?: ActorOptions["holds"];
  readonly takes?: ActorOptions["takes"];
  /** `b` runs in its own pid namespace. */
  readonly isOtherNamespace?: boolean;
  readonly times: ActorOptions["times"];
  /** `a` does not return. */
  readonly isDeadly?: boolean;
  /**
   * `a` returns at a random time in this range, in milliseconds from the start of `b`, whether or not the run
   * was already taken. By default `a` returns after the run was taken, so that it is inside the call until
   * then.
   */
  readonly returnsWithinMs?: readonly [from: number, to: number];
  readonly begin?: (a: ActorProcess, place: FaultyPlace) => Promise<void> | void;
  readonly end?: (a: ActorProcess, place: FaultyPlace) => Promise<void> | void;
}

/** The addresses of the ledger for both processes, and controls between `a` and its server. */
export interface FaultyPlace extends AsyncDisposable {
  readonly forA: string;
  readonly forB: string;
  /** Holds all traffic between `a` and its server. */
  readonly holdBack?: (isHeld: boolean) => void;
  /** Terminates the sessions of `a` and blocks new ones. */
  readonly terminate?: () => Promise<void>;
}

export interface Plan {
  readonly fault: Fault;
  readonly script: ActorOptions["script"];
  readonly fails: boolean;
  /** When `a` returns: while `b` continues the run, after `b` is done, or a time after `b` started. */
  readonly returns: "meanwhile" | "afterwards" | number;
}

const limitMs = 90_000;

/** One takeover from two new processes to the final check of witness and ledger. */
export const takeOver = async (
  plan: Plan,
  groups: ProcessGroups,
  folder: string,
  place: FaultyPlace,
): Promise<Finding> => {
  mkdirSync(folder, { recursive: true });
  const { fault, script, fails } = plan;
  const { holds = "awaiting", takes = "claim", isOtherNamespace = false, aheadMs = 0, times } = fault;
  const shared = { folder, script, times, holds, fails, takes };
  const a = groups.start({ ...shared, actor: "a", place: place.forA }, { isOtherNamespace: false, aheadMs });
  const b = groups.start({ ...shared, actor: "b", place: place.forB }, { isOtherNamespace, aheadMs: 0 });
  let reports: { readonly fromA: ActorReport | undefined; readonly fromB: ActorReport | undefined };
  try {
    const inside = await a.next(["inside", "ended", "rejected"], limitMs);
    if (inside?.kind !== "inside") throw new Error(`a never got into the call: ${describe(inside, a)}`);
    await b.next(["ready"], limitMs);
    await fault.begin?.(a, place);
    b.send("start");
    const comeBack = async (): Promise<void> => {
      writeFileSync(releaseFile(folder), "");
      await fault.end?.(a, place);
    };
    reports = { fromB: await playOut(plan, b, comeBack), fromA: await lastReportOf(a, fault) };
    // Both end by themselves, so that their last writes are accepted or refused.
    await Promise.all([a, b].map((each) => each.next([], limitMs)));
  } finally {
    await Promise.all([a.kill(), b.kill()]);
  }
  return judge(fault, folder, place.forB, { ...reports, complaints: a.complaints() + b.complaints() });
};

const describe = (last: ActorReport | undefined, by: ActorProcess): string =>
  `${last === undefined ? "it reported nothing" : JSON.stringify(last)}; ${by.complaints()}`;

/** Lets `a` return as planned, or after `b` is finished. Returns the last report of `b`. */
const playOut = async (
  { returns }: Plan,
  b: ActorProcess,
  comeBack: () => Promise<void>,
): Promise<ActorReport | undefined> => {
  const lastReport = () => b.next(["ended", "rejected"], limitMs);
  if (typeof returns === "number") {
    const back = pause(returns).then(comeBack);
    const last = await lastReport();
    await back;
    return last;
  }
  const isOver = await b.next(["taken", "rejected"], limitMs);
  if (isOver?.kind !== "taken" || returns === "meanwhile") await comeBack();
  if (isOver?.kind !== "taken") return isOver;
  const last = await lastReport();
  if (returns === "afterwards") await comeBack();
  return last;
};

const lastReportOf = async (a: ActorProcess, { isDeadly }: Fault): Promise<ActorReport | undefined> =>
  isDeadly === true ? undefined : a.next(["ended", "rejected"], limitMs);
