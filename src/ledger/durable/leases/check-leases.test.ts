import { describe, expect, it } from "vitest";
import { ledgerUnavailable } from "../../ledger-errors.ts";
import type { Database } from "../database.ts";
import { createLeaseCheck } from "./check-leases.ts";
import type { LedgerOwner } from "./ledger-owners.ts";

/** A server whose missing connections the test sets, and a clock that the test advances. */
const server = (returnMs = 500) => {
  const seen = { ms: 0, gone: [] as readonly string[], questions: 0, trusts: true };
  const findGone: Database["findGone"] = async (owners) => {
    seen.questions += 1;
    return owners.filter((owner) => seen.gone.includes(owner));
  };
  const refuse = () => Promise.reject(ledgerUnavailable("nothing is read or written to judge"));
  const database: Database = { dialect: "postgres", write: refuse, read: refuse, close: refuse, findGone };
  const times = { silenceMs: 60_000, returnMs, monotonic: () => seen.ms };
  const judge = createLeaseCheck({ database, times, trustsLeases: () => seen.trusts });
  const judged = async (...owners: readonly LedgerOwner[]) => {
    const { dead, recheckAfterMs } = await judge(owners);
    return { dead: dead.map(({ owner }) => owner), lookAgainInMs: recheckAfterMs };
  };
  return { seen, judged };
};

const owner = (name: string, more: Partial<LedgerOwner> = {}): LedgerOwner => ({
  owner: name,
  beats: 1,
  birth: undefined,
  isExpired: false,
  ...more,
});

const noneDead = { dead: [], lookAgainInMs: undefined };

describe("lease check with a server", () => {
  it("keeps an owner with a connection alive", async () => {
    const { seen, judged } = server();
    expect(await judged(owner("a"), owner("b"))).toEqual(noneDead);
    seen.ms += 1_000_000;
    expect(await judged(owner("a"), owner("b"))).toEqual(noneDead);
  });

  it("asks the server once for all owners, and not at all without owners", async () => {
    const { seen, judged } = server();
    expect(await judged()).toEqual(noneDead);
    expect(seen.questions).toBe(0);
    await judged(owner("a"), owner("b"));
    expect(seen.questions).toBe(1);
  });

  it("declares an owner dead when its connection is gone for the return time", async () => {
    const { seen, judged } = server();
    seen.gone = ["a"];
    expect(await judged(owner("a"), owner("b"))).toEqual({ dead: [], lookAgainInMs: 500 });
    seen.ms += 499;
    expect(await judged(owner("a"), owner("b"))).toEqual({ dead: [], lookAgainInMs: 500 });
    seen.ms += 1;
    expect(await judged(owner("a"), owner("b"))).toEqual({ dead: ["a"], lookAgainInMs: undefined });
  });

  it("restarts the return time when a connection comes back", async () => {
    const { seen, judged } = server();
    seen.gone = ["a"];
    await judged(owner("a"));
    seen.ms += 400;
    seen.gone = [];
    expect(await judged(owner("a"))).toEqual(noneDead);
    seen.ms += 400;
    seen.gone = ["a"];
    expect(await judged(owner("a"))).toEqual({ dead: [], lookAgainInMs: 500 });
    seen.ms += 499;
    expect((await judged(owner("a"))).dead).toEqual([]);
  });

  it("waits for one owner when another one is dead", async () => {
    const { seen, judged } = server();
    seen.gone = ["a"];
    await judged(owner("a"), owner("b"));
    seen.ms += 500;
    seen.gone = ["a", "b"];
    expect(await judged(owner("a"), owner("b"))).toEqual({ dead: ["a"], lookAgainInMs: 500 });
  });

  it.each([
    [10, 10],
    [10_000, 500],
  ])("with a return time of %s ms looks again after %s ms", async (returnMs, again) => {
    const { seen, judged } = server(returnMs);
    seen.gone = ["a"];
    expect((await judged(owner("a"))).lookAgainInMs).toBe(again);
  });

  it("restarts the return time of an owner that left and registered again", async () => {
    const { seen, judged } = server();
    seen.gone = ["a"];
    await judged(owner("a"));
    seen.ms += 1_000;
    expect(await judged()).toEqual(noneDead);
    expect(await judged(owner("a"))).toEqual({ dead: [], lookAgainInMs: 500 });
  });

  it("declares an owner dead when its lease has expired, unless leases are not trusted", async () => {
    const { seen, judged } = server();
    const late = owner("a", { isExpired: true });
    seen.trusts = false;
    expect(await judged(late, owner("b"))).toEqual(noneDead);
    seen.trusts = true;
    expect(await judged(late, owner("b"))).toEqual({ dead: ["a"], lookAgainInMs: undefined });
  });

  it("declares an unregistered owner dead after a minute of silence", async () => {
    const { seen, judged } = server();
    const stray = owner("a", { beats: undefined });
    expect(await judged(stray)).toEqual(noneDead);
    seen.ms += 60_000;
    expect(await judged(stray)).toEqual(noneDead);
    seen.ms += 1;
    expect((await judged(stray)).dead).toEqual(["a"]);
  });
});
