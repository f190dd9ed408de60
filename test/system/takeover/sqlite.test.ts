import { join } from "node:path";
import { expect, it } from "vitest";
import { brokenIn, campaign, provenPart, toTable } from "./campaign.ts";
import { whyNoOtherNamespace } from "./process-groups.ts";
import type { Fault, FaultyPlace } from "./takeover.ts";

const hour = 3_600_000;
const limitMs = 3_600_000;
const isSoak = process.env.HAFT_SOAK !== undefined;

/** One who is stopped in the middle of a heartbeat locks everybody out, so they are rare; else only the silence is short. */
const times = { beatMs: 400, silenceMs: 1_000, lookMs: 0 };

const stopped: Fault = {
  name: "stopped",
  times,
  begin: (a) => a.signal("SIGSTOP"),
  end: (a) => a.signal("SIGCONT"),
};

/** Of the same pid namespace: who stopped or stands still is known to be there, so its run must be given up. */
const sameNamespaceFaults: readonly Fault[] = [
  // Its process is seen, so that nobody needs to hear it.
  { ...stopped, times: { lookMs: 0 }, takes: "give-up" },
  { name: "blocked", times, holds: "blocking", takes: "give-up" },
  { name: "clock ahead", times, aheadMs: hour, takes: "give-up" },
  { name: "killed", times, begin: (a) => a.kill(), isDeadly: true },
];

/** Of another pid namespace: only the heartbeat tells, and one who is silent for long enough counts as dead. */
const inOtherNamespace = (fault: Fault): Fault => ({
  ...fault,
  name: `${fault.name}, other pid namespace`,
  isOtherNamespace: true,
  takes: "claim",
});

const otherNamespaceFaults: readonly Fault[] = [
  inOtherNamespace(stopped),
  inOtherNamespace(sameNamespaceFaults[1]!),
  // Alive it would be heard. Its last heartbeat lies an hour in the future, which must not keep its run that long.
  inOtherNamespace({ ...stopped, name: "clock ahead", aheadMs: hour }),
  inOtherNamespace(sameNamespaceFaults[3]!),
];

/** Around the moment at which `b` makes up its mind. */
const races: readonly Fault[] = [
  { name: "given up while it ends", times, takes: "give-up", returnsWithinMs: [0, 200] },
  {
    ...inOtherNamespace(stopped),
    name: "continued while it is taken for dead",
    returnsWithinMs: [900, 1_600],
  },
];

const place = async (folder: string): Promise<FaultyPlace> => {
  const file = `sqlite:${join(folder, "ledger.db")}`;
  return { forA: file, forB: file, [Symbol.asyncDispose]: () => Promise.resolve() };
};

it("a run that another process takes over while its own is inside a call ends or waits, and nothing of it happens twice, in SQLite", {
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

it("a process that comes back just when its run is taken over in SQLite keeps the run or loses it, and nothing of it happens twice", {
  timeout: limitMs,
}, async () => {
  const faults = (await whyNoOtherNamespace()) === undefined ? races : races.slice(0, 1);
  const takeovers = faults.length * (isSoak ? 25 : 1);
  const findings = await campaign({ seed: 16_112_027, faults, takeovers, concurrency: 3, place });
  console.log(`${findings.length} races with SQLite\n${toTable(findings)}`);
  expect(brokenIn(findings)).toEqual([]);
});
