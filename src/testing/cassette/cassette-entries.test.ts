import { rmSync } from "node:fs";
import * as Effect from "effect/Effect";
import fc from "fast-check";
import type { Haft, RawCall } from "haft";
import { describe, expect, it } from "vitest";
import { CassetteScene, cassetteErrorOf, lookCalls } from "../../../test/kit/cassette-scene.ts";
import { hashJson } from "../../base/json/canonical-json.ts";
import { cassette } from "../cassette.ts";
import { readCassetteOptions } from "./cassette-options.ts";
import { CassetteEntries } from "./cassette-player.ts";

const world = new CassetteScene();

describe("strict matching", () => {
  it("requires the same calls in the same order", async () => {
    await world.record(["one", "two"]);
    const error = await cassetteErrorOf(
      world.with({}, async (haft, tape) => {
        const [early] = await haft.turn(lookCalls("two"));
        expect(early).toMatchObject({ ok: false, failure: { code: "failed", ran: false } });
        expect(early?.text).toMatch(
          /has no answer for this call of "look": it is in the cassette \(line \d+\)/,
        );
        await haft.turn(lookCalls("one"));
        expect(tape.report).toMatchObject({ answered: 1, missed: [{ tool: "look" }] });
        expect(tape.report.unused.map(({ pointer }) => pointer)).toEqual(["/entries/1"]);
      }),
    );
    expect(error.message).toContain("comes before it");
    expect(error.message).toContain("1 call is in the cassette, but never made:");
  });

  it("accepts the calls of one turn in any order, with synchronous and asynchronous code", async () => {
    const quick = world.look({ run: ({ word }: { word: string }) => Effect.succeed(word) });
    for (const made of [world.look(), quick]) {
      rmSync(world.path, { force: true });
      await world.with(
        {},
        async (haft) => {
          await haft.turn(lookCalls("one", "two", "three"));
          await haft.turn(lookCalls("four"));
        },
        [made],
      );
      expect(world.entries.map(({ group }) => group)).toEqual([1, 1, 1, 2]);
      const replies = await world.with(
        {},
        async (haft) => [
          ...(await haft.turn(lookCalls("three", "one", "two"))),
          ...(await haft.turn(lookCalls("four"))),
        ],
        [made],
      );
      expect(replies.map(({ ok }) => ok)).toEqual([true, true, true, true]);
      await cassetteErrorOf(
        world.with({}, (haft) => haft.turn(lookCalls("four", "one", "two", "three")), [made]),
      );
    }
  });

  it("does not answer one entry twice", async () => {
    await world.record(["one"]);
    const error = await cassetteErrorOf(
      world.with({}, async (haft) => {
        await haft.turn(lookCalls("one"));
        await haft.turn(lookCalls("one"));
      }),
    );
    expect(error.message).toContain("it is in the cassette only once, and was already answered");
  });

  it("answers equal calls in the order in which they were recorded", async () => {
    let count = 0;
    const counter = world.look({ run: async () => ++count });
    const three = async (haft: Haft) =>
      (await Promise.all(lookCalls("a", "a", "a").map((call) => haft.turn([call])))).flat();
    await world.with({}, three, [counter]);
    const again = await world.with({}, three, [counter]);
    expect(again.map(({ value }) => value)).toEqual([1, 2, 3]);
    expect(count).toBe(3);
  });

  it("fails for a tool whose definition has changed, which other matching only reports", async () => {
    await world.record(["one"]);
    const moved = world.look({ description: "Looks up something else" });
    const error = await cassetteErrorOf(world.with({}, (haft) => haft.turn(lookCalls("one")), [moved]));
    expect(error.message).toMatch(
      /1 call is of a tool whose definition has changed:\n {2}look \(recorded as \w+, now \w+\)/,
    );
    const report = await world.with(
      { match: "by-arguments" },
      async (haft, tape) => {
        await haft.turn(lookCalls("one"));
        return tape.verify();
      },
      [moved],
    );
    expect(report.drifted).toMatchObject([{ tool: "look" }]);
  });
});

describe("matching by arguments", () => {
  it("finds an entry anywhere and leaves others unused", async () => {
    await world.record(["one", "two", "three"]);
    const report = await world.with({ match: "by-arguments" }, async (haft, tape) => {
      const replies = [...(await haft.turn(lookCalls("three"))), ...(await haft.turn(lookCalls("one")))];
      expect(replies.map(({ value }) => value)).toEqual([
        { word: "three", length: 5 },
        { word: "one", length: 3 },
      ]);
      return tape.verify();
    });
    expect(report.unused).toEqual([{ tool: "look", pointer: "/entries/1", line: expect.any(Number) }]);
  });

  it("answers again only with repeat, and then with the last entry that matches", async () => {
    let count = 0;
    const counter = world.look({ run: async () => ++count });
    await world.with(
      { mode: "record" },
      async (haft) => {
        await haft.turn(lookCalls("a"));
        await haft.turn(lookCalls("a"));
      },
      [counter],
    );
    const five = async (haft: Haft) => {
      const values = [];
      for (let turn = 0; turn < 4; turn++) values.push((await haft.turn(lookCalls("a")))[0]?.value);
      return values;
    };
    expect(await world.with({ match: "by-arguments", repeat: true }, five, [counter])).toEqual([1, 2, 2, 2]);
    await cassetteErrorOf(world.with({ match: "by-arguments" }, five, [counter]));
  });

  it("ignores the order of keys, and the ignored pointers at any depth", async () => {
    const options = { match: "by-arguments", ignore: ["/requestId", "/items/*/at", "/a~1b"] } as const;
    const call = (requestId: string, at: number): RawCall => ({
      id: "a",
      tool: "look",
      input: { word: "x", requestId, items: [{ at, n: 1 }], "a/b": at },
    });
    await world.with({ ...options, mode: "record" }, (haft) => haft.turn([call("r1", 1)]));
    expect(world.entries[0]?.arguments).toEqual({
      "a/b": "[ignored]",
      items: [{ at: "[ignored]", n: 1 }],
      requestId: "[ignored]",
      word: "x",
    });
    const [reply] = await world.with(options, (haft) => haft.turn([call("r2", 2)]));
    expect(reply?.ok).toBe(true);
    const [missing] = await world.with(options, (haft) =>
      haft.turn([{ id: "a", tool: "look", input: { word: "x", items: [{ n: 1 }] } }]),
    );
    expect(missing?.ok).toBe(true);
  });

  it("accepts more ignored pointers than recorded unless the tape lacks values to compare", async () => {
    await world.record(["one"]);
    await world.with({ ignore: ["/word"] }, (haft) => haft.turn(lookCalls("other")));
    await world.record(["one"], { ignore: ["/word"] });
    expect(() => cassette(world.path)).toThrow("holds values that were ignored");
    await world.record(["one"], { secrets: ["one"] });
    expect(cassette(world.path, { secrets: [] }).mode).toBe("replay");
    await world.record(["sesame"], { secrets: ["sesame"] });
    expect(() => cassette(world.path, { ignore: ["/other"] })).toThrow("holds masked values");
  });

  it("can be a function of the call and the entry", async () => {
    await world.record(["one", "two"]);
    const seen: unknown[] = [];
    const [reply] = await world.with(
      {
        match: (call, entry) => {
          seen.push(call.arguments);
          return (entry.arguments as { word: string }).word.startsWith("t") && call.tool === entry.tool;
        },
      },
      (haft) => haft.turn(lookCalls("whatever")),
    );
    expect(reply?.value).toEqual({ word: "two", length: 3 });
    expect(seen[0]).toEqual({ word: "whatever" });
  });
});

describe("strict entries", () => {
  /** Groups of calls. The number of a call is its place among the calls of all groups. */
  const groups = fc.array(fc.array(fc.constantFrom("a", "b", "c"), { minLength: 1, maxLength: 4 }), {
    minLength: 1,
    maxLength: 5,
  });
  const options = readCassetteOptions({ match: "strict" });
  const toCall = (word: string) => ({
    tool: "look",
    callId: word,
    arguments: { word },
    argumentsHash: hashJson({ word }),
  });
  const toReel = (all: readonly (readonly string[])[]) => {
    const entries = all.flatMap((words, group) =>
      words.map((word) => ({
        tool: "look",
        arguments: { word },
        argumentsHash: hashJson({ word }),
        definition: "d",
        group,
        outcome: { kind: "value", flow: { kind: "continue" } } as const,
        durationMs: 0,
      })),
    );
    return new CassetteEntries({ ignore: [], entries }, options);
  };

  it("answer every order within the groups, each entry once, and equal calls in their order", () => {
    const shuffled = groups.chain((all) =>
      fc.tuple(
        fc.constant(all),
        fc.tuple(...all.map((words) => fc.shuffledSubarray(words, { minLength: words.length }))),
      ),
    );
    fc.assert(
      fc.property(shuffled, ([all, orders]) => {
        const entries = toReel(all);
        const taken = orders.flat().map((word) => entries.take(toCall(word)));
        expect(new Set(taken).size).toBe(all.flat().length);
        expect(taken).not.toContain(undefined);
        for (const word of ["a", "b", "c"]) {
          const places = taken.filter((_, index) => orders.flat()[index] === word) as number[];
          expect(places).toEqual(places.toSorted((one, other) => one - other));
        }
        expect(entries.take(toCall("a"))).toBeUndefined();
      }),
    );
  });

  it("answer no call of a later group before an earlier group is complete", () => {
    fc.assert(
      fc.property(groups, fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 20 }), (all, asked) => {
        const reel = toReel(all);
        const groupOf = (index: number) => reel.entries[index]!.group;
        for (const word of asked) {
          const open = reel.next;
          const taken = reel.take(toCall(word));
          if (taken !== undefined) expect(groupOf(taken)).toBe(groupOf(open!));
        }
      }),
    );
  });
});
