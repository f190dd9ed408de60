import { describe, expect, it } from "vitest";
import type { RunCounters } from "../types/call.ts";
import {
  addRunTaints,
  addUnknownCall,
  CallRecorder,
  countCall,
  RunRecorder,
  unknownCallsOf,
} from "./recorder.ts";

const asItIs = (text: string) => text;
const newCall = (run: RunCounters = new RunRecorder()) => new CallRecorder(run, asItIs);

/** Counters of another runtime or of a layer, which are never changed. */
const foreign = { calls: 0, cost: 0, taints: [] };

describe("CallRecorder", () => {
  it("is empty before the first attempt", () => {
    const call = newCall();
    expect([call.attempts, call.taints, call.notes]).toEqual([[], [], []]);
    expect([call.hasRun, call.isOpen, call.holdsKey]).toEqual([false, true, false]);
    const kept = [call.cost, call.lastValue, call.replaced, call.ranWith];
    expect(kept).toEqual([undefined, undefined, undefined, undefined]);
  });

  it("keeps the value, the replaced value, the changed input and the held key", () => {
    const call = newCall();
    call.lastValue = { value: 1 };
    call.replaced = { value: undefined };
    call.ranWith = { input: { n: 3 } };
    call.holdsKey = true;
    expect([call.lastValue, call.replaced, call.ranWith, call.holdsKey]).toEqual([
      { value: 1 },
      { value: undefined },
      { input: { n: 3 } },
      true,
    ]);
  });
});

describe("attempt", () => {
  it("is numbered from 1 and has an unknown ending until it ends", () => {
    const call = newCall();
    const first = call.startAttempt(10, { a: 1, b: 2 }, true);
    const second = call.startAttempt(20, { b: 2, a: 1 }, true);
    expect(call.attempts).toEqual([first, second]);
    expect(JSON.parse(JSON.stringify(call.attempts))).toEqual([
      { number: 1, startedAt: 10, inputHash: first?.inputHash, ending: "unknown", ran: true },
      { number: 2, startedAt: 20, inputHash: first?.inputHash, ending: "unknown", ran: true },
    ]);
    expect(first?.inputHash).toMatch(/^[0-9a-f]{64}$/);
    expect(call.startAttempt(30, { a: 2 }, true)?.inputHash).not.toBe(first?.inputHash);
  });

  it("cannot follow one that may have taken effect unless the tool is repeatable", () => {
    for (const ending of ["ended", "unknown"] as const) {
      const call = newCall();
      call.startAttempt(1, {}, false)?.end(ending, true);
      expect(call.startAttempt(2, {}, false)).toBeUndefined();
      expect(call.attempts).toHaveLength(1);
      expect(call.startAttempt(2, {}, true)?.number).toBe(2);
    }
  });

  it("can follow one that did not run or was suspended", () => {
    const waiting = newCall();
    waiting.startAttempt(1, {}, false)?.end("suspended", true);
    expect(waiting.startAttempt(2, {}, false)?.number).toBe(2);
    const unsent = newCall();
    unsent.startAttempt(1, {}, false)?.end("ended", false);
    expect(unsent.hasRun).toBe(false);
    expect(unsent.startAttempt(2, {}, false)?.number).toBe(2);
    expect(unsent.hasRun).toBe(true);
    expect(unsent.attempts.map(({ ending }) => ending)).toEqual(["ended", "unknown"]);
  });
});

describe("note", () => {
  it("is masked before it is truncated to 500 characters", () => {
    const call = new CallRecorder(new RunRecorder(), (text) => text.replaceAll("canary", "***"));
    call.note(`${"x".repeat(497)}canary`);
    call.note("x".repeat(501));
    call.note(42 as never);
    expect(call.notes).toEqual([`${"x".repeat(497)}***`, "x".repeat(500), "42"]);
  });

  it("is dropped after fifty notes and after the call is closed", () => {
    const call = new CallRecorder(new RunRecorder(), asItIs, { notes: ["first"] });
    for (let at = 0; at < 100; at++) call.note(String(at));
    expect(call.notes).toHaveLength(50);
    expect([call.notes[0], call.notes[1], call.notes[49]]).toEqual(["first", "0", "48"]);
    const over = newCall();
    over.close();
    over.note("too late");
    expect(over.notes).toEqual([]);
  });
});

describe("cost of a call", () => {
  it("replaces the reserved cost as it is spent", () => {
    const run = new RunRecorder();
    const call = newCall(run);
    call.reserveCost(10);
    expect([run.cost, call.cost]).toEqual([10, undefined]);
    call.addCost(4);
    expect([run.cost, call.cost]).toEqual([10, 4]);
    call.addCost(8);
    expect([run.cost, call.cost]).toEqual([12, 12]);
  });

  it("replaces the reserved cost once when the call is closed", () => {
    const run = new RunRecorder();
    const call = newCall(run);
    call.reserveCost(10);
    call.reserveCost(5);
    call.addCost(4);
    call.close();
    expect([run.cost, call.isOpen]).toEqual([4, false]);
    call.close();
    call.addCost(100);
    expect([run.cost, call.cost]).toEqual([4, 4]);
  });

  it("ignores invalid amounts and accepts zero", () => {
    const run = new RunRecorder();
    const call = newCall(run);
    for (const amount of [Number.NaN, Number.POSITIVE_INFINITY, -1]) call.addCost(amount);
    expect([run.cost, call.cost]).toEqual([0, undefined]);
    call.addCost(0);
    expect(call.cost).toBe(0);
  });

  it("counts in the run that the call joins", () => {
    const [before, after] = [new RunRecorder(), new RunRecorder()];
    const call = newCall(before);
    call.run = after;
    call.addCost(3);
    expect([before.cost, after.cost]).toEqual([0, 3]);
  });
});

describe("RunRecorder", () => {
  it("starts with the given counters", () => {
    const run = new RunRecorder({ calls: 2, cost: 5, taints: ["web", "web", "mail"] });
    expect([run.calls, run.cost, run.taints]).toEqual([2, 5, ["web", "mail"]]);
    expect(Object.isFrozen(run.taints)).toBe(true);
    const fresh = new RunRecorder();
    expect([fresh.calls, fresh.cost, fresh.taints]).toEqual([0, 0, []]);
  });

  it("adds and subtracts calls", () => {
    const run = new RunRecorder();
    countCall(run, 1);
    countCall(run, 1);
    countCall(run, -1);
    expect(run.calls).toBe(1);
  });

  it("shares its counters with the run that it was created in", () => {
    const outer = new RunRecorder({ calls: 1, cost: 1 });
    const inner = new RunRecorder({}, outer);
    countCall(inner, 1);
    newCall(inner).addCost(2);
    expect([outer.calls, outer.cost]).toEqual([2, 3]);
    countCall(outer, 1);
    newCall(outer).addCost(4);
    expect([inner.calls, inner.cost]).toEqual([3, 7]);
  });

  it("keeps taints and calls with an unknown outcome", () => {
    const run = new RunRecorder({ taints: ["web"] });
    expect(unknownCallsOf(run)).toBeUndefined();
    addRunTaints(run, ["mail", "web"]);
    addUnknownCall(run, "pay 1", "a");
    addUnknownCall(run, "pay 2", "a");
    expect(run.taints).toEqual(["web", "mail"]);
    addUnknownCall(run, "pay 2", "b");
    expect([...(unknownCallsOf(run) ?? [])]).toEqual([
      ["pay 1", new Set(["a"])],
      ["pay 2", new Set(["a", "b"])],
    ]);
  });

  it("shares calls with an unknown outcome with the run around it", () => {
    const outer = new RunRecorder();
    addUnknownCall(new RunRecorder({}, outer), "pay 1", "a");
    expect(unknownCallsOf(new RunRecorder({}, outer))).toEqual(new Map([["pay 1", new Set(["a"])]]));
  });

  it("leaves foreign counters unchanged", () => {
    countCall(foreign, 1);
    addRunTaints(foreign, ["web"]);
    addUnknownCall(foreign, "pay 1", "a");
    const call = newCall(foreign);
    call.addCost(2);
    expect(call.cost).toBe(2);
    expect(unknownCallsOf(foreign)).toBeUndefined();
    expect(foreign).toEqual({ calls: 0, cost: 0, taints: [] });
  });
});

describe("taints of a call", () => {
  it("are added once each", () => {
    const call = newCall();
    call.addTaints(["web"]);
    call.addTaints(["web", "mail"]);
    expect(call.taints).toEqual(["web", "mail"]);
  });
});

describe("cost turn of a call", () => {
  it("is released once", () => {
    let released = 0;
    const call = newCall();
    call.releaseCostTurn();
    call.holdCostTurn(() => released++);
    call.releaseCostTurn();
    call.releaseCostTurn();
    expect(released).toBe(1);
  });
});
