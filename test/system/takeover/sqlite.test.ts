import { join } from "node:path";
import { expect, it } from "vitest";
import { brokenIn, campaign, provenPart, toTable } from "./campaign.ts";
import { whyNoOtherNamespace } from "./process-groups.ts";
import type { Fault, FaultyPlace } from "./takeover.ts";

const hour = 3_600_000;
const limitMs = 3_600_000;
const isSoak = process.env.HAFT_SOAK !== undefined;

/**
 * A process stopped during a heartbeat holds the write lock, so heartbeats are rare; only the silence is
 * short.
 */
const times = { beatMs: 400, silenceMs: 1_000, lookMs: 0 };

const stopped: Fault = {
  name: "stopped",
  times,
  begin: (a) => a.signal("SIGSTOP"),
  end: (a) => a.signal("SIGCONT"),
};

/** Same pid namespace: a stopped process is known to be alive, so its run must be cancelled. */
const sameNamespaceFaults: readonly Fault[] = [
  // Its process is visible, so no heartbeat is needed.
  { ...stopped, times: { lookMs: 0 }, takes: "give-up" },
  { name: "blocked", times, holds: "blocking", takes: "give-up" },
  { name: "clock ahead", times, aheadMs: hour, takes: "give-up" },
  { name: "killed", times, begin: (a) => a.kill(), isDeadly: true },
];

/** Other pid namespace: only heartbeats count, and a process without them is dead after a timeout. */
const inOtherNamespace = (fault: Fault): Fault => ({
  ...fault,
  name: `${fault.name}, other pid namespace`,
  isOtherNamespace: true,
  takes: "claim",
});

const otherNamespaceFaults: readonly Fault[] = [
  inOtherNamespace(stopped),
  inOtherNamespace(sameNamespaceFaults[1]!),
  // Its last heartbeat is an hour in the future, which must not extend its lease.
  inOtherNamespace({ ...stopped, name: "clock ahead", aheadMs: hour }),
  inOtherNamespace(sameNamespaceFaults[3]!),
];

/** Around the moment of the decision of `b`. */
const races: readonly Fault[] = [
  { name: "given up while it ends", times, takes: "give-up", returnsWithinMs: [0, 200] },
  {
    ...inOtherNamespace(stopped),
    name: "continued during its takeover",
    returnsWithinMs: [900, 1_600],
  },
];

const place = async (folder: string): Promise<FaultyPlace> => {
  const file = `sqlite:${join(folder, "ledger.db")}`;
  return { forA: file, forB: file, [Symbol.asyncDispose]: () => Promise.resolve() };
};

it("a run taken over during a call by another process ends or is pending without repeated effects, in SQLite", {
  timeout: limitMs,
}, async () => {
  const reason = await whyNoOtherNamespace();
  if (reason !== undefined) console.log(`takeovers between pid namespaces are left out: ${reason}`);
  const faults =
    reason === undefined ? [...sameNamespaceFaults, ...otherNamespaceFaults] : sameNamespaceFaults;
  const takeovers = faults.length * (isSoak ? 25 : 2);
  const findings = await campaign({ seed: 16_112_026, faults, takeovers, concurrency: 3, place });
  console.log(`${findings.length} takeovers with SQLite\n${toTable(findings)}`);
  expect(brokenIn(findings)).toEqual([]);
  expect(provenPart(findings)).toBeGreaterThanOrEqual(0.9);
});

it("a process that returns during a takeover in SQLite keeps or loses its run without repeated effects", {
  timeout: limitMs,
}, async () => {
  const faults = (await whyNoOtherNamespace()) === undefined ? races : races.slice(0, 1);
  const takeovers = faults.length * (isSoak ? 25 : 1);
  const findings = await campaign({ seed: 16_112_027, faults, takeovers, concurrency: 3, place });
  console.log(`${findings.length} races with SQLite\n${toTable(findings)}`);
  expect(brokenIn(findings)).toEqual([]);
});
