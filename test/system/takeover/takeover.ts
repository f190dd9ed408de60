import { mkdirSync, writeFileSync } from "node:fs";
// allow-sleep: a random moment for the return
import { setTimeout as pause } from "node:timers/promises";
import type { ActorOptions, ActorReport } from "./actor.ts";
import { type Finding, judge } from "./judge.ts";
import type { ActorProcess, ProcessGroups } from "./process-groups.ts";
import { releaseFile } from "./witness.ts";

/** What is done to `a` while it is inside the held call, and how it gets over that. */
export interface Fault {
  readonly name: string;
  /** How many milliseconds the clock of `a` is ahead. */
  readonly aheadMs?: number;
  readonly holds?: ActorOptions["holds"];
  readonly takes?: ActorOptions["takes"];
  /** `b` runs in a pid namespace of its own. */
  readonly isOtherNamespace?: boolean;
  readonly times: ActorOptions["times"];
  /** It does not come back. */
  readonly isDeadly?: boolean;
  /**
   * `a` comes back at any time in between, in milliseconds from when `b` starts, whether or not the run was taken by
   * then. Without it `a` comes back once the run was taken, so that it is sure to be inside the call until then.
   */
  readonly returnsWithinMs?: readonly [from: number, to: number];
  readonly begin?: (a: ActorProcess, place: FaultyPlace) => Promise<void> | void;
  readonly end?: (a: ActorProcess, place: FaultyPlace) => Promise<void> | void;
}

/** Where the ledger is, as both see it, and what stands between `a` and it. */
export interface FaultyPlace extends AsyncDisposable {
  readonly forA: string;
  readonly forB: string;
  /** From now on nothing gets through from `a` to its server, or back. */
  readonly holdBack?: (isHeld: boolean) => void;
  /** The server ends the sessions of `a`, and it gets no new one until it is let through again. */
  readonly terminate?: () => Promise<void>;
}

export interface Plan {
  readonly fault: Fault;
  readonly script: ActorOptions["script"];
  readonly fails: boolean;
  /** When `a` comes back: while `b` goes on with the run, when `b` is done, or so long after `b` started. */
  readonly returns: "meanwhile" | "afterwards" | number;
}

const limitMs = 90_000;

/** One takeover, from two new processes to what the witness and the ledger say when both are gone. */
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
    // Both leave by themselves, so that what they still had to write is written or refused.
    await Promise.all([a, b].map((each) => each.next([], limitMs)));
  } finally {
    await Promise.all([a.kill(), b.kill()]);
  }
  return judge(fault, folder, place.forB, { ...reports, complaints: a.complaints() + b.complaints() });
};

const describe = (last: ActorReport | undefined, by: ActorProcess): string =>
  `${last === undefined ? "it reported nothing" : JSON.stringify(last)}; ${by.complaints()}`;

/** Lets `a` come back when the plan says so, or once `b` can do no more. Gives the last report of `b`. */
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
