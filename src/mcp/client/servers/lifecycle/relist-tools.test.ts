import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import { TestClock } from "effect/testing";
import { describe, expect, test } from "vitest";
import {
  advanceClock,
  flushPending,
  isToolOffered,
  remoteTool,
  runRegisteredTool,
  runWithFakeServers,
  stdioServer,
  unreachableServerError,
} from "../../../../../test/kit/fake-servers.ts";

const changed = { kind: "tools-changed" } as const;

describe("a list that changed", () => {
  test("is asked for 50 ms after the news: new tools come, missing ones go, the rest stays the same object", () =>
    runWithFakeServers(({ servers, registry, at }) =>
      Effect.gen(function* () {
        const fake = at("files");
        fake.tools = [remoteTool("read"), remoteTool("write")];
        yield* servers.connect(stdioServer("files"));
        const before = registry.get("files/read");
        fake.tools = [remoteTool("move"), { ...remoteTool("read") }];
        fake.last.tell(changed);
        yield* advanceClock(49);
        expect(fake.lists).toBe(1);
        yield* advanceClock(1);
        expect(servers.list()[0]?.tools).toEqual(["files/move", "files/read"]);
        expect(registry.list().map(({ key }) => key)).toEqual(["files/move", "files/read"]);
        expect(registry.get("files/read")).toBe(before);
      }),
    ));

  test("only in name leaves the registry as it was, and nobody is told", () =>
    runWithFakeServers(({ servers, registry, at }) =>
      Effect.gen(function* () {
        const fake = at("files");
        fake.tools = [remoteTool("read")];
        yield* servers.connect(stdioServer("files"));
        const { version } = registry;
        const heard: string[] = [];
        servers.onNotification(({ kind }) => heard.push(kind));
        fake.tools = [structuredClone(remoteTool("read"))];
        fake.last.tell(changed);
        yield* advanceClock(50);
        expect(fake.lists).toBe(2);
        expect(registry.version).toBe(version);
        expect(heard).toEqual([]);
      }),
    ));

  test("ten thousand times is asked for a few times, and never twice at once", () =>
    runWithFakeServers(({ servers, at }) =>
      Effect.gen(function* () {
        const fake = at("noisy");
        yield* servers.connect(stdioServer("noisy"));
        for (let round = 0; round < 100; round++) {
          for (let each = 0; each < 100; each++) fake.last.tell(changed);
          yield* TestClock.adjust(10);
        }
        yield* advanceClock(1_000, 50);
        expect(fake.lists).toBeLessThanOrEqual(10);
        expect(fake.mostListing).toBe(1);
      }),
    ));

  test("without end is asked for every five seconds at most", () =>
    runWithFakeServers(({ servers, at }) =>
      Effect.gen(function* () {
        const fake = at("noisy");
        fake.beforeList = async () => fake.last.tell(changed);
        yield* servers.connect(stdioServer("noisy"));
        yield* advanceClock(30_000, 50);
        const before = fake.lists;
        yield* advanceClock(50_000, 50);
        expect(fake.lists - before).toBe(10);
      }),
    ));

  test("while it is being asked for is asked for once more", () =>
    runWithFakeServers(({ servers, registry, at }) =>
      Effect.gen(function* () {
        const fake = at("files");
        yield* servers.connect(stdioServer("files"));
        let answer = (): void => {};
        fake.beforeList = () =>
          new Promise<void>((resolve) => {
            answer = resolve;
          });
        fake.last.tell(changed);
        yield* advanceClock(50);
        expect(fake.listing).toBe(1);
        fake.last.tell(changed);
        fake.last.tell(changed);
        yield* advanceClock(500);
        expect(fake.listing).toBe(1);
        const finish = answer;
        fake.beforeList = undefined;
        finish();
        fake.tools = [remoteTool("late")];
        yield* advanceClock(50);
        expect(fake.lists).toBe(3);
        expect(registry.get("files/late")).toBeDefined();
      }),
    ));

  test("in mid-call lets the call end, also where its tool is gone by then", () =>
    runWithFakeServers(({ servers, registry, at }) =>
      Effect.gen(function* () {
        const fake = at("files");
        fake.tools = [remoteTool("read")];
        let answer = (_: unknown): void => {};
        fake.answer = () =>
          new Promise((resolve) => {
            answer = resolve;
          });
        yield* servers.connect(stdioServer("files"));
        const calling = yield* Effect.forkChild(runRegisteredTool(registry, "files/read"));
        yield* flushPending;
        fake.tools = [];
        fake.last.tell(changed);
        yield* advanceClock(50);
        expect(registry.get("files/read")).toBeUndefined();
        answer({ content: [{ type: "text", text: "read" }] });
        expect(yield* Fiber.join(calling)).toBe("read");
      }),
    ));

  test("is found out when its time is over: the server's word, or else the configuration's", () =>
    runWithFakeServers(({ servers, at }) =>
      Effect.gen(function* () {
        at("says").ttlMs = 20_000;
        at("eager").ttlMs = 1;
        at("none").ttlMs = 0;
        yield* servers.connectAll([
          stdioServer("says", { refreshMs: 1_000 }),
          stdioServer("eager"),
          stdioServer("none", { refreshMs: 30_000 }),
          stdioServer("silent"),
        ]);
        yield* advanceClock(60_000, 50);
        expect(["says", "eager", "none", "silent"].map((id) => at(id).lists - 1)).toEqual([3, 6, 2, 0]);
      }),
    ));

  test("that cannot be had leaves the tools, says why, and is asked for again", () =>
    runWithFakeServers(({ servers, registry, at }) =>
      Effect.gen(function* () {
        const fake = at("files");
        fake.tools = [remoteTool("read")];
        yield* servers.connect(stdioServer("files"));
        fake.beforeList = () => Promise.reject(unreachableServerError("too busy"));
        fake.last.tell(changed);
        yield* advanceClock(50);
        expect(servers.list()[0]).toMatchObject({
          status: "degraded",
          reason: "its tools could not be listed again: too busy",
        });
        expect(isToolOffered(registry, "files/read")).toBe(true);
        fake.beforeList = undefined;
        yield* advanceClock(1_050, 50);
        expect(servers.list()[0]?.status).toBe("connected");
      }),
    ));

  test("is asked for at once by a refresh", () =>
    runWithFakeServers(({ servers, at }) =>
      Effect.gen(function* () {
        yield* servers.connect(stdioServer("files"));
        at("files").tools = [remoteTool("read")];
        expect((yield* servers.refresh("files")).tools).toEqual(["files/read"]);
        expect((yield* Effect.flip(servers.refresh("nobody"))).message).toContain("no MCP server");
      }),
    ));
});

test("a server without tools is not asked for them", () =>
  runWithFakeServers(({ servers, at }) =>
    Effect.gen(function* () {
      at("prompts").capabilities = { prompts: {} };
      expect(yield* servers.connect(stdioServer("prompts"))).toMatchObject({
        status: "connected",
        tools: [],
      });
      expect(at("prompts").lists).toBe(0);
    }),
  ));
