import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import * as Effect from "effect/Effect";
import { agent, final, fromFunction, Haft, handoff, http, rewrite, Tool, tool } from "haft";
import { failed } from "haft/layers";
import { describe, expect, it } from "vitest";
import { testLayerLaws } from "../../test/contracts/test-layer-laws.ts";
import { CassetteScene, lookCalls, principal } from "../../test/kit/cassette-scene.ts";
import { loopbackServer } from "../../test/loopback-server.ts";
import type { AnyTool } from "../types/tool.ts";
import { CassetteError } from "./cassette/cassette-file.ts";
import { cassette } from "./cassette.ts";
import { calls, says, scriptedModel } from "./scripted-model.ts";

const world = new CassetteScene();

describe("cassette", () => {
  it("replays what it recorded exactly and runs nothing", async () => {
    const words = ["one", "nothing", "three"];
    const first = await world.with({}, (haft) => haft.turn(lookCalls(...words)));
    expect(world.ran).toHaveLength(3);
    const again = await world.with({}, async (haft, tape) => {
      expect(tape.mode).toBe("replay");
      return haft.turn(lookCalls(...words));
    });
    expect(world.ran).toHaveLength(3);
    expect(again.map(({ text }) => text)).toEqual(first.map(({ text }) => text));
    expect(again.map(({ value }) => value)).toEqual(first.map(({ value }) => value));
    expect(again[1]?.failure).toMatchObject({
      code: "failed",
      message: expect.stringContaining("there is nothing"),
    });
    expect(again[1]?.failure).not.toHaveProperty("cause");
  });

  it("writes a file for review with a fixed order and sorted arguments", async () => {
    await world.with({}, (haft) => haft.turn([{ id: "a", tool: "look", input: { z: 1, word: "x" } }]));
    const [entry] = world.entries;
    expect(Object.keys(entry!)).toEqual([
      "tool",
      "arguments",
      "argumentsHash",
      "definition",
      "group",
      "outcome",
      "durationMs",
    ]);
    const text = world.text;
    expect(
      text
        .replace(/"(argumentsHash|definition)": "\w{64}"/g, '"$1": "…"')
        .replace(/"durationMs": \d+/, '"durationMs": 0'),
    ).toBe(`{
  "kind": "haft cassette",
  "version": 1,
  "ignore": [],
  "entries": [
    {
      "tool": "look",
      "arguments": {
        "word": "x",
        "z": 1
      },
      "argumentsHash": "…",
      "definition": "…",
      "group": 1,
      "outcome": {
        "kind": "value",
        "value": {
          "word": "x",
          "length": 1
        },
        "flow": {
          "kind": "continue"
        }
      },
      "durationMs": 0
    }
  ]
}
`);
    expect(readdirSync(join(world.folder, "deep"))).toEqual(["tape.json"]);
  });

  it("keeps final, handoff and rewritten answers unchanged", async () => {
    const flows = [
      tool({ name: "end", description: "Ends it", input: [], run: () => final({ done: true }) }),
      tool({
        name: "pass_on",
        description: "Passes on",
        input: [],
        run: () => handoff("writer", { to: "writer" }),
      }),
      tool({
        name: "change",
        description: "Changes it",
        input: [],
        run: () => rewrite("mild", { celsius: 21 }),
      }),
      tool({ name: "nothing", description: "Says nothing", input: [], run: () => undefined }),
    ];
    const all = async (haft: Haft) => {
      const replies = [];
      for (const name of ["end", "pass_on", "change", "nothing"]) {
        replies.push(...(await haft.turn([{ id: name, tool: name, input: {} }])));
      }
      return replies;
    };
    const first = await world.with({}, all, flows);
    const again = await world.with({}, all, flows);
    expect(again).toEqual(first);
    expect(again.map(({ flow }) => flow)).toEqual([
      { kind: "final" },
      { kind: "handoff", agent: "writer" },
      { kind: "rewrite", original: { celsius: 21 } },
      { kind: "continue" },
    ]);
  });

  it("records every kind of implementation: HTTP, a class, an Effect, a function", async () => {
    const Classy = Tool({ name: "classy", description: "A class", input: { type: "object" } })(
      class {
        run() {
          world.ran.push("classy");
          return { from: "class" };
        }
      },
    );
    const story = Effect.gen(function* () {
      const server = yield* loopbackServer((request, response) => {
        world.ran.push(`http ${request.url}`);
        response.setHeader("content-type", "application/json").end(JSON.stringify({ url: request.url }));
      });
      const tools = [
        tool({
          name: "forecast",
          description: "Asks a server",
          input: { type: "object", properties: { city: { type: "string" } } },
          implementation: http({ url: `${server.origin}/cities/{city}` }),
        }),
        tool({
          name: "eff",
          description: "An Effect",
          input: [],
          run: () => Effect.sync(() => world.ran.push("effect")),
        }),
        fromFunction(
          function shout() {
            world.ran.push("shout");
            return "HEY";
          },
          { description: "Shouts", input: { type: "object" } },
        ),
        Classy,
      ];
      const asked = ["forecast", "eff", "shout", "classy"].map((name) => ({
        id: name,
        tool: name,
        input: name === "forecast" ? { city: "Oslo" } : {},
      }));
      const once = async () => {
        await using tape = cassette(world.path, { match: "by-arguments" });
        await using haft = await Haft.open({
          principal,
          tools: tools as never,
          layers: [tape.layer],
          httpEgress: { allow: [server.place] },
        });
        return haft.turn(asked);
      };
      const first = yield* Effect.promise(once);
      const before = world.ran.length;
      const again = yield* Effect.promise(once);
      return { first, again, before };
    });
    const { first, again, before } = await Effect.runPromise(Effect.scoped(story));
    expect(first.map(({ ok }) => ok)).toEqual([true, true, true, true]);
    expect(before).toBe(4);
    expect(world.ran).toHaveLength(4);
    expect(again).toEqual(first);
  });

  it("notes in the ledger that the tape answered", async () => {
    await world.record(["one"]);
    const log = await world.with({}, async (haft) => {
      await haft.turn(lookCalls("one"));
      return haft.log();
    });
    expect(log[0]?.notes).toEqual(["cassette: answered by entry 1 of the tape"]);
  });

  it("accepts a file URL as well as a path", async () => {
    const tape = cassette(pathToFileURL(world.path));
    expect(tape.path).toBe(world.path);
    expect(() => cassette("")).toThrow("needs the path");
  });

  it("refuses invalid options", () => {
    expect(() => cassette(world.path, { modus: "record" } as never)).toThrow("modus");
    expect(() => cassette(world.path, { mode: "rec" } as never)).toThrow("auto, record, replay");
    expect(() => cassette(world.path, { match: "fifo" } as never)).toThrow("by-arguments");
    expect(() => cassette(world.path, { repeat: true })).toThrow('"strict" uses each entry once');
    expect(() => cassette(world.path, { ignore: ["requestId"] })).toThrow("JSON pointers");
  });
});

describe("agent run with a cassette", () => {
  const script = () => [
    calls(["look", { word: "one" }], ["look", { word: "nothing" }]),
    calls(["look", { word: "two" }]),
    says("Found."),
  ];
  const helper = agent({ name: "helper", instructions: "Help.", tools: ["look"] });

  it("is replayed without the code of its tools", async () => {
    const run = (made: unknown) =>
      world.with({}, (haft) => haft.run(helper, "Find them", { model: scriptedModel(script()) }), [
        made as AnyTool,
      ]);
    const first = await run(world.look());
    expect(world.ran).toHaveLength(3);
    const again = await run(world.look({ run: () => expect.unreachable("the code ran") }));
    expect(world.ran).toHaveLength(3);
    expect(again.context).toEqual(first.context);
    expect(again.content).toBe("Found.");
  });

  it("is replayed without its model when the cassette is around both", async () => {
    const run = async (model: ReturnType<typeof scriptedModel>, made: unknown) => {
      await using tape = cassette(world.path);
      await using haft = await Haft.open({ principal, tools: [made] as never });
      return await haft.run(helper, "Find them", { model, layers: [tape.layer], modelLayers: [tape.layer] });
    };
    const quick = world.look({ run: ({ word }: { word: string }) => Effect.succeed(word) });
    const first = await run(scriptedModel(script()), quick);
    expect(world.entries.map(({ group }) => group)).toEqual([1, 2, 2, 3, 4, 5]);
    const silent = scriptedModel([]);
    const again = await run(silent, world.look({ run: () => expect.unreachable("the code ran") }));
    expect(silent.requests).toHaveLength(0);
    expect(again.context).toEqual(first.context);
    expect(world.entries.map(({ tool: name }) => name)).toEqual([
      "model:scripted/model",
      "look",
      "look",
      "model:scripted/model",
      "look",
      "model:scripted/model",
    ]);
  });
});

describe("layer of a cassette", () => {
  it("can be disposed twice", async () => {
    await world.record(["one"]);
    const tape = cassette(world.path);
    await expect(tape[Symbol.asyncDispose]()).rejects.toThrow(CassetteError);
    await tape[Symbol.asyncDispose]();
    expect(() => tape.verify()).toThrow(CassetteError);
  });

  it("records nothing without a call", async () => {
    await cassette(world.path)[Symbol.asyncDispose]();
    expect(world.entries).toEqual([]);
    expect(existsSync(world.path)).toBe(true);
  });

  it("keeps a failure that may not be retried", async () => {
    const fails = world.look({
      run: async () => failed({ code: "failed", message: "no", retryable: false, retryAfterMs: 5 }),
    });
    await world.with({}, (haft) => haft.turn(lookCalls("x")), [fails]);
    const [reply] = await world.with({}, (haft) => haft.turn(lookCalls("x")), [fails]);
    expect(reply?.failure).toMatchObject({ code: "failed", retryable: false, retryAfterMs: 5 });
  });
});

testLayerLaws("cassette", () => cassette("never-saved.json", { mode: "record" }).layer);
