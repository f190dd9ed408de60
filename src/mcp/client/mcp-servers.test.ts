import * as Deferred from "effect/Deferred";
import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import { TestClock } from "effect/testing";
import { describe, expect, test } from "vitest";
import {
  adaPrincipal,
  advanceClock,
  flushPending,
  isToolOffered,
  outcomeFailure,
  remoteTool,
  runRegisteredTool,
  runWithFakeServers,
  stdioServer,
  unreachableServerError,
} from "../../../test/kit/fake-servers.ts";
import { MCPConnectionError } from "../../types/errors.ts";

const never = (): Promise<void> => new Promise(() => {});

describe("connect", () => {
  test("registers the tools of a server under its id and notifies once", () =>
    runWithFakeServers(({ servers, registry, at, reported }) =>
      Effect.gen(function* () {
        at("files").tools = [remoteTool("read"), remoteTool("write")];
        const state = yield* servers.connect(stdioServer("files"));
        expect(state).toMatchObject({
          id: "files",
          status: "connected",
          transport: "stdio",
          era: "modern",
          tools: ["files/read", "files/write"],
          quarantined: [],
          reconnects: 0,
          connectedAt: 0,
        });
        expect(registry.list().map(({ key }) => key)).toEqual(["files/read", "files/write"]);
        expect(reported).toEqual(["connected files files/read,files/write"]);
        expect(yield* runRegisteredTool(registry, "files/read", { text: "a" })).toBe("done");
        expect(at("files").last.requests[0]?.params).toMatchObject({
          name: "read",
          arguments: { text: "a" },
        });
      }),
    ));

  test("lists the command of a local server and the endpoint of a remote one without secrets", () =>
    runWithFakeServers(({ servers }) =>
      Effect.gen(function* () {
        yield* servers.connect(stdioServer("files", { args: ["--token", "s3cr3t-value", "/data"] }));
        yield* servers.connect({ id: "shop", url: "https://shop.example/mcp?api_key=pass-w0rd-123456" });
        const [files, shop] = servers.list();
        expect(files).toMatchObject({ command: "fake", args: ["--token", expect.any(String), "/data"] });
        expect(shop).toMatchObject({ endpoint: expect.stringContaining("https://shop.example/mcp") });
        expect(JSON.stringify([files, shop])).not.toMatch(/s3cr3t|pass-w0rd/);
      }),
    ));

  test("rejects an id that is in use and keeps the first server", () =>
    runWithFakeServers(({ servers, at }) =>
      Effect.gen(function* () {
        yield* servers.connect(stdioServer("files"));
        const error = yield* Effect.flip(servers.connect(stdioServer("files")));
        expect(error.message).toContain('An MCP server "files" is already connected');
        expect(at("files").last.isClosed).toBe(false);
        expect(servers.list()).toHaveLength(1);
      }),
    ));

  test("rejects an invalid configuration with the field", () =>
    runWithFakeServers(({ servers }) =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(servers.connect({ ...stdioServer("files"), risk: "none" } as never));
        expect(error.code).toBe("invalid_config");
        expect(error.message).toContain("/risk");
      }),
    ));

  test("leaves no state behind after the final failure", () =>
    runWithFakeServers(({ servers, at, reported }) =>
      Effect.gen(function* () {
        at("files").onOpen = () => unreachableServerError("no such program");
        const connecting = yield* Effect.forkChild(Effect.flip(servers.connect(stdioServer("files"))));
        yield* advanceClock(2_000, 25);
        expect((yield* Fiber.join(connecting)).message).toBe("no such program");
        // One attempt and three retries.
        expect(at("files").attempts).toBe(4);
        expect(servers.list()).toEqual([]);
        expect(reported).toEqual([]);
      }),
    ));

  test("does not retry an error that is not retryable", () =>
    runWithFakeServers(({ servers, at }) =>
      Effect.gen(function* () {
        at("files").onOpen = () => new MCPConnectionError("mcp_garbage", "it speaks another language");
        const error = yield* Effect.flip(servers.connect(stdioServer("files")));
        expect(error.code).toBe("mcp_garbage");
        expect(at("files").attempts).toBe(1);
      }),
    ));

  test("times out, and closes a session that opens later", () =>
    runWithFakeServers(({ servers, at }) =>
      Effect.gen(function* () {
        let arrive = (): void => {};
        at("slow").onOpen = () =>
          new Promise<void>((resolve) => {
            arrive = resolve;
          });
        const connecting = yield* Effect.forkChild(Effect.flip(servers.connect(stdioServer("slow"))));
        yield* advanceClock(10_250);
        expect((yield* Fiber.join(connecting)).message).toContain(
          "did not finish its handshake within 10000 ms",
        );
        expect(at("slow").aborted).toBe(1);
        arrive();
        yield* flushPending;
        expect(at("slow").sessions.map(({ isClosed }) => isClosed)).toEqual([true]);
      }),
    ));

  test("makes the tools of fast servers available while a slow one connects", () =>
    runWithFakeServers(({ servers, registry, at }) =>
      Effect.gen(function* () {
        at("slow").onOpen = never;
        at("quick").tools = [remoteTool("go")];
        const connecting = yield* Effect.forkChild(
          servers.connectAll([stdioServer("slow"), stdioServer("quick")]),
        );
        yield* flushPending;
        expect(registry.get("quick/go")).toBeDefined();
        expect(servers.list().map(({ status }) => status)).toEqual(["connecting", "connected"]);
        yield* advanceClock(10_250);
        const states = yield* Fiber.join(connecting);
        expect(states.map(({ id, status }) => [id, status])).toEqual([
          ["slow", "error"],
          ["quick", "connected"],
        ]);
      }),
    ));

  test("connectAll does not fail and reports the state of each server", () =>
    runWithFakeServers(({ servers, at }) =>
      Effect.gen(function* () {
        at("broken").onOpen = () => new MCPConnectionError("mcp_protocol", "wrong version");
        const states = yield* servers.connectAll([
          stdioServer("good"),
          stdioServer("broken"),
          stdioServer("good"),
          stdioServer("off", { disabled: true }),
          stdioServer("bad", { risk: "none" as never }),
        ]);
        expect(states.map(({ status }) => status)).toEqual([
          "connected",
          "error",
          "error",
          "disconnected",
          "error",
        ]);
        expect(states.map(({ reason }) => reason ?? "")).toEqual([
          "",
          "wrong version",
          expect.stringContaining('"good" is already connected'),
          "it is disabled in the configuration",
          expect.stringContaining("/risk"),
        ]);
        expect(servers.list().map(({ id }) => id)).toEqual(["good", "broken", "off"]);
        expect(at("off").attempts).toBe(0);
      }),
    ));
});

describe("lost server", () => {
  test("makes its tools unavailable immediately and restores the same tools after reconnecting", () =>
    runWithFakeServers(({ servers, registry, at, reported }) =>
      Effect.gen(function* () {
        at("files").tools = [remoteTool("read")];
        yield* servers.connect(stdioServer("files"));
        const before = registry.get("files/read");
        at("files").last.die("signal 9");
        expect(isToolOffered(registry, "files/read")).toBe(false);
        expect(servers.list()[0]).toMatchObject({ status: "disconnected", reason: "signal 9", tools: [] });
        expect(servers.session("files")).toBeUndefined();
        yield* flushPending;
        const refused = outcomeFailure(yield* runRegisteredTool(registry, "files/read"));
        expect(refused).toMatchObject({ code: "mcp_unreachable", ran: false, retryAfterMs: 125 });
        expect(refused.message).toBe(
          'The MCP server "files" is not connected (disconnected: signal 9). The next retry is in 125 ms.',
        );
        yield* advanceClock(125);
        expect(servers.list()[0]).toMatchObject({ status: "connected", reconnects: 1 });
        expect(registry.get("files/read")).toBe(before);
        expect(isToolOffered(registry, "files/read")).toBe(true);
        expect(yield* runRegisteredTool(registry, "files/read")).toBe("done");
        expect(reported).toEqual([
          "connected files files/read",
          "disconnected files signal 9",
          "connected files files/read",
        ]);
      }),
    ));

  test("is retried with exponential backoff from 250 ms to 30 s, halved by a fixed jitter, and then every 45 s", () =>
    runWithFakeServers(({ servers, at }) =>
      Effect.gen(function* () {
        yield* servers.connect(stdioServer("files"));
        const fake = at("files");
        fake.onOpen = () => unreachableServerError();
        fake.last.die();
        yield* flushPending;
        const waits = [125, 250, 500, 1_000, 2_000, 4_000, 8_000, 15_000, 45_000, 45_000];
        for (const [index, wait] of waits.entries()) {
          yield* advanceClock(wait - 1);
          expect(fake.attempts).toBe(index + 1);
          yield* advanceClock(1);
          expect(fake.attempts).toBe(index + 2);
          // The status becomes error after three failed attempts.
          expect(servers.list()[0]?.status).toBe(index < 3 ? "disconnected" : "error");
        }
      }),
    ));

  test("is retried with growing delays while it keeps failing, until it was connected for a minute", () =>
    runWithFakeServers(({ servers, at, reported }) =>
      Effect.gen(function* () {
        const fake = at("flap");
        yield* servers.connect(stdioServer("flap"));
        for (const wait of [125, 250, 500]) {
          fake.last.die();
          yield* advanceClock(wait - 1);
          expect(servers.list()[0]?.status).toBe("disconnected");
          yield* advanceClock(1);
          expect(servers.list()[0]?.status).toBe("connected");
        }
        yield* advanceClock(60_000);
        fake.last.die();
        yield* advanceClock(125);
        expect(servers.list()[0]).toMatchObject({ status: "connected", reconnects: 4 });
        expect(reported.filter((each) => each.startsWith("disconnected"))).toHaveLength(4);
        expect(fake.sessions.filter(({ isClosed }) => !isClosed)).toHaveLength(1);
      }),
    ));

  test("fails running calls with the reason of the session, and they are not repeated", () =>
    runWithFakeServers(({ servers, registry, at }) =>
      Effect.gen(function* () {
        const fake = at("files");
        fake.tools = [remoteTool("read")];
        fake.answer = never;
        yield* servers.connect(stdioServer("files"));
        const calling = yield* Effect.forkChild(runRegisteredTool(registry, "files/read"));
        yield* flushPending;
        fake.last.die("killed in mid-call");
        expect(outcomeFailure(yield* Fiber.join(calling))).toMatchObject({
          code: "mcp_unreachable",
          message: "killed in mid-call",
          ran: true,
        });
        yield* advanceClock(125);
        expect(fake.sessions.flatMap(({ requests }) => requests)).toHaveLength(1);
      }),
    ));

  test("stays in the list with keepTrying after a failed start and is retried every 30 to 60 seconds", () =>
    runWithFakeServers(({ servers, at }) =>
      Effect.gen(function* () {
        const fake = at("late");
        fake.onOpen = () => unreachableServerError("not yet");
        const connecting = yield* Effect.forkChild(
          servers.connect(stdioServer("late"), { keepTrying: true }),
        );
        yield* advanceClock(2_000, 25);
        expect(yield* Fiber.join(connecting)).toMatchObject({ status: "error", reason: "not yet" });
        expect(fake.attempts).toBe(4);
        yield* advanceClock(41_000);
        expect(fake.attempts).toBe(4);
        fake.onOpen = undefined;
        yield* advanceClock(4_000);
        expect(servers.list()[0]?.status).toBe("connected");
      }),
    ));

  test("is not retried after a failed start without keepTrying, but can be refreshed", () =>
    runWithFakeServers(({ servers, at }) =>
      Effect.gen(function* () {
        const fake = at("late");
        fake.onOpen = () => new MCPConnectionError("mcp_protocol", "too old");
        yield* servers.connectAll([stdioServer("late")]);
        yield* advanceClock(600_000);
        expect(fake.attempts).toBe(1);
        fake.onOpen = undefined;
        yield* servers.refresh("late");
        yield* flushPending;
        expect(servers.list()[0]?.status).toBe("connected");
      }),
    ));
});

describe("disconnect", () => {
  test("removes the tools and closes the session", () =>
    runWithFakeServers(({ servers, registry, at, reported }) =>
      Effect.gen(function* () {
        at("files").tools = [remoteTool("read")];
        yield* servers.connect(stdioServer("files"));
        expect(yield* servers.disconnect("files")).toBe(true);
        expect(registry.size).toBe(0);
        expect(at("files").last.isClosed).toBe(true);
        expect(reported.at(-1)).toBe("disconnected files it was disconnected by its operator");
        expect(yield* servers.disconnect("files")).toBe(false);
        yield* servers.connect(stdioServer("files"));
        expect(registry.size).toBe(1);
      }),
    ));

  test("cancels a connection attempt and reports cancelled to its caller", () =>
    runWithFakeServers(({ servers, at }) =>
      Effect.gen(function* () {
        let arrive = (): void => {};
        at("slow").onOpen = () =>
          new Promise<void>((resolve) => {
            arrive = resolve;
          });
        const connecting = yield* Effect.forkChild(Effect.flip(servers.connect(stdioServer("slow"))));
        yield* flushPending;
        expect(yield* servers.disconnect("slow")).toBe(true);
        expect((yield* Fiber.join(connecting)).code).toBe("cancelled");
        expect(at("slow").aborted).toBe(1);
        arrive();
        yield* flushPending;
        expect(at("slow").last.isClosed).toBe(true);
        expect(servers.list()).toMatchObject([{ id: "slow", status: "disconnected" }]);
      }),
    ));

  test("keeps the server in the list with a reason until it is removed or connected again", () =>
    runWithFakeServers(({ servers, registry, at }) =>
      Effect.gen(function* () {
        at("files").tools = [remoteTool("read")];
        yield* servers.connect(stdioServer("files"));
        yield* servers.disconnect("files");
        const gone = {
          id: "files",
          status: "disconnected",
          reason: "it was disconnected by its operator",
          tools: [],
        };
        expect(servers.list()).toMatchObject([gone]);
        yield* advanceClock(120_000, 1_000);
        expect(servers.list()).toMatchObject([gone]);
        expect(registry.missing("files/read")).toBeUndefined();
        yield* servers.connect(stdioServer("files"));
        expect(servers.list()).toMatchObject([{ id: "files", status: "connected" }]);
        yield* servers.disconnect("files");
        expect(yield* servers.remove("files")).toBe(true);
        expect(servers.list()).toEqual([]);
        expect(yield* servers.remove("files")).toBe(false);
        yield* servers.connect(stdioServer("files"));
        expect(yield* servers.remove("files")).toBe(true);
        expect([servers.list(), registry.size]).toEqual([[], 0]);
      }),
    ));

  test("cancels a pending retry", () =>
    runWithFakeServers(({ servers, at }) =>
      Effect.gen(function* () {
        yield* servers.connect(stdioServer("files"));
        at("files").last.die();
        yield* flushPending;
        yield* servers.disconnect("files");
        yield* advanceClock(100_000);
        expect(at("files").attempts).toBe(1);
      }),
    ));

  test("interrupting connect removes the server", () =>
    runWithFakeServers(({ servers, at }) =>
      Effect.gen(function* () {
        at("slow").onOpen = never;
        const connecting = yield* Effect.forkChild(servers.connect(stdioServer("slow")));
        yield* flushPending;
        yield* Fiber.interrupt(connecting);
        expect(servers.list()).toEqual([]);
        expect(at("slow").aborted).toBe(1);
      }),
    ));

  test("connect fails after the scope is closed", async () => {
    const servers = await runWithFakeServers((scene) => Effect.succeed(scene.servers));
    const error = await Effect.runPromise(Effect.flip(servers.connect(stdioServer("files"))));
    expect(error.code).toBe("cancelled");
  });

  test("closing the scope closes every session, including reconnecting and opening ones", async () => {
    const all = await runWithFakeServers(({ servers, at }) =>
      Effect.gen(function* () {
        yield* servers.connectAll([stdioServer("one"), stdioServer("two")]);
        at("two").last.die();
        at("three").onOpen = never;
        yield* Effect.forkDetach(servers.connectAll([stdioServer("three")]));
        yield* flushPending;
        return at;
      }),
    );
    expect(["one", "two"].map((id) => all(id).last.isClosed)).toEqual([true, true]);
    expect(all("three").aborted).toBe(1);
  });
});

describe("notifications", () => {
  test("reach every listener when one of them throws", () =>
    runWithFakeServers(({ servers, at }) =>
      Effect.gen(function* () {
        const received: string[] = [];
        servers.onNotification(() => {
          throw new Error("deaf");
        });
        const off = servers.onNotification((news, id) => received.push(`${id} ${news.kind}`));
        yield* servers.connect(stdioServer("files"));
        at("files").last.tell({ kind: "resources-changed" });
        at("files").last.die();
        expect(received).toEqual([
          "files tools-changed",
          "files resources-changed",
          "files tools-changed",
          "files closed",
        ]);
        off();
        yield* advanceClock(125);
        expect(received).toHaveLength(4);
      }),
    ));

  test("of kind trouble mark the server as degraded and keep its tools", () =>
    runWithFakeServers(({ servers, registry, at }) =>
      Effect.gen(function* () {
        at("files").tools = [remoteTool("read")];
        yield* servers.connect(stdioServer("files"));
        at("files").last.tell({ kind: "trouble", message: "not JSON:\n\u001b[2Jboo" });
        expect(servers.list()[0]).toMatchObject({ status: "degraded", reason: "not JSON: [2Jboo" });
        expect(isToolOffered(registry, "files/read")).toBe(true);
      }),
    ));
});

describe("connection per caller", () => {
  const bob = { agent: "helper", user: "bob" };
  const own = stdioServer("mail", { sharing: "principal" });

  test("opens at the first call and is reused", () =>
    runWithFakeServers(({ servers, registry, at }) =>
      Effect.gen(function* () {
        const fake = at("mail");
        fake.tools = [remoteTool("send")];
        yield* servers.connect(own);
        yield* Effect.all(
          [runRegisteredTool(registry, "mail/send"), runRegisteredTool(registry, "mail/send")],
          { concurrency: 2 },
        );
        yield* runRegisteredTool(registry, "mail/send", {}, { principal: bob });
        yield* runRegisteredTool(registry, "mail/send");
        expect(fake.sessions.map(({ principal, requests }) => [principal, requests.length])).toEqual([
          [undefined, 0],
          [adaPrincipal, 3],
          [bob, 1],
        ]);
      }),
    ));

  test("closes after ten idle minutes and when the server is disconnected", () =>
    runWithFakeServers(({ servers, registry, at }) =>
      Effect.gen(function* () {
        const fake = at("mail");
        fake.tools = [remoteTool("send")];
        yield* servers.connect(own);
        yield* runRegisteredTool(registry, "mail/send");
        yield* advanceClock(300_000);
        yield* runRegisteredTool(registry, "mail/send", {}, { principal: bob });
        yield* advanceClock(300_000, 60_000);
        expect(fake.sessions.map(({ isClosed }) => isClosed)).toEqual([false, true, false]);
        yield* servers.disconnect("mail");
        expect(fake.sessions.every(({ isClosed }) => isClosed)).toBe(true);
      }),
    ));

  test("reopens at the next call after it was lost, and a failed attempt fails only that call", () =>
    runWithFakeServers(({ servers, registry, at }) =>
      Effect.gen(function* () {
        const fake = at("mail");
        fake.tools = [remoteTool("send")];
        yield* servers.connect(own);
        yield* runRegisteredTool(registry, "mail/send");
        fake.last.die();
        fake.onOpen = () => unreachableServerError("busy");
        expect(outcomeFailure(yield* runRegisteredTool(registry, "mail/send"))).toMatchObject({
          code: "mcp_unreachable",
          ran: false,
        });
        fake.onOpen = undefined;
        expect(yield* runRegisteredTool(registry, "mail/send")).toBe("done");
        expect(servers.list()[0]?.status).toBe("connected");
      }),
    ));

  test("evicts an idle connection for the sixty-fifth caller but not a busy one", () =>
    runWithFakeServers(({ servers, registry, at }) =>
      Effect.gen(function* () {
        const fake = at("mail");
        fake.tools = [remoteTool("send")];
        yield* servers.connect(own);
        const call = (user: number) =>
          runRegisteredTool(
            registry,
            "mail/send",
            {},
            { principal: { agent: "helper", user: String(user) } },
          );
        for (let user = 0; user < 65; user++) {
          yield* call(user);
          yield* TestClock.adjust(1);
        }
        expect(
          fake.sessions.filter(({ isClosed }) => isClosed).map(({ principal }) => principal?.user),
        ).toEqual(["0"]);
        const gate = yield* Deferred.make<void>();
        fake.answer = () => Effect.runPromise(Deferred.await(gate)).then(() => ({ content: [] }));
        const busy = yield* Effect.forkChild(
          Effect.forEach(Array.from({ length: 64 }), (_, user) => call(user + 1), {
            concurrency: "unbounded",
          }),
        );
        yield* flushPending;
        expect(outcomeFailure(yield* call(99))).toMatchObject({ code: "overloaded", ran: false });
        yield* Deferred.succeed(gate, undefined);
        yield* Fiber.join(busy);
      }),
    ));

  test("makes the server visible to a gateway only with a caller", () =>
    runWithFakeServers(({ servers, at }) =>
      Effect.gen(function* () {
        at("mail").capabilities = { tools: {}, resources: {} };
        yield* servers.connect(own);
        expect(servers.usableUpstreams()).toEqual([]);
        const [served] = servers.usableUpstreams(adaPrincipal);
        expect(served).toMatchObject({
          id: "mail",
          readResource: "mail/read_resource",
          keys: ["mail/read_resource"],
        });
        yield* Effect.promise(
          () => served?.session.request({ method: "resources/list" }) ?? Promise.reject(),
        );
        expect(at("mail").last.principal).toEqual(adaPrincipal);
      }),
    ));
});
