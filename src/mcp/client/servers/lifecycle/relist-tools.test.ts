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

describe("tool list change", () => {
  test("is listed 50 ms after the notification, adds and removes tools, and keeps unchanged ones as the same object", () =>
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

  test("without a difference leaves the registry unchanged and sends no notification", () =>
    runWithFakeServers(({ servers, registry, at }) =>
      Effect.gen(function* () {
        const fake = at("files");
        fake.tools = [remoteTool("read")];
        yield* servers.connect(stdioServer("files"));
        const { version } = registry;
        const received: string[] = [];
        servers.onNotification(({ kind }) => received.push(kind));
        fake.tools = [structuredClone(remoteTool("read"))];
        fake.last.tell(changed);
        yield* advanceClock(50);
        expect(fake.lists).toBe(2);
        expect(registry.version).toBe(version);
        expect(received).toEqual([]);
      }),
    ));

  test("announced ten thousand times causes a few requests and no parallel ones", () =>
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

  test("announced endlessly causes at most one request every five seconds", () =>
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

  test("announced during a request causes one more request", () =>
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

  test("during a call lets the call finish, even when its tool is removed", () =>
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

  test("is polled with the TTL of the server or the configured interval", () =>
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

  test("keeps the tools, reports the reason and retries when the list request fails", () =>
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

  test("is fetched immediately by refresh", () =>
    runWithFakeServers(({ servers, at }) =>
      Effect.gen(function* () {
        yield* servers.connect(stdioServer("files"));
        at("files").tools = [remoteTool("read")];
        expect((yield* servers.refresh("files")).tools).toEqual(["files/read"]);
        expect((yield* Effect.flip(servers.refresh("absent"))).message).toContain(
          'Unknown MCP server "absent"',
        );
      }),
    ));
});

test("a server without the tools capability receives no list request", () =>
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
