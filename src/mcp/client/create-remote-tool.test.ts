import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import { describe, expect, test } from "vitest";
import {
  callContextOf,
  outcomeFailure,
  remoteTool,
  stdioServer,
  unreachableServerError,
} from "../../../test/kit/fake-servers.ts";
import { TraceHeaders } from "../../base/http/trace-headers.ts";
import type { CallContext } from "../../types/call.ts";
import {
  CurrentMcpCaller,
  type McpCaller,
  type McpSessionRequest,
  type NamedMcpServer,
  type RemoteTool,
} from "../../types/mcp.ts";
import type { AnyTool } from "../../types/tool.ts";
import { createRemoteTool, remoteToolOf } from "./create-remote-tool.ts";
import type { ToolLink } from "./to-tool/tool-link.ts";

const link = (answer: (request: McpSessionRequest) => unknown, more: Partial<ToolLink> = {}): ToolLink => ({
  request: async (request) => answer(request) as Readonly<Record<string, unknown>>,
  isUp: () => true,
  quarantine: () => undefined,
  callTimeoutMs: 30_000,
  ...more,
});

const nothing = link(() => ({ content: [] }));

const specOf = (change: Partial<RemoteTool>, server: Partial<NamedMcpServer> = {}) =>
  createRemoteTool(remoteTool("read", change), stdioServer("files", server), nothing).spec;

type Call = (tool: AnyTool, input?: unknown, more?: Partial<CallContext>) => Effect.Effect<unknown>;

const started: Call = (tool, input = {}, more = {}) =>
  tool.implementation.bind(tool.spec)(input, callContextOf("files/read", more)) as Effect.Effect<unknown>;

/** Runs the call like the pipeline does. */
const inside: Call = (...call) =>
  Effect.suspend(() => {
    const answer: unknown = started(...call);
    return Effect.promise(() => answer as Promise<unknown>);
  });

const text = (words: string) => ({ content: [{ type: "text", text: words }] });

describe("remote tool definition", () => {
  test("provides name, description, schemas and title", () => {
    const outputSchema = { type: "object", properties: { n: { type: "number" } } };
    expect(specOf({ title: "Read it", outputSchema })).toMatchObject({
      name: "read",
      description: "Does read.",
      input: { type: "object", properties: { text: { type: "string" } } },
      output: outputSchema,
      category: "custom",
      risk: "medium",
      requiresApproval: false,
      source: "mcp",
      tags: [],
      timeoutMs: 30_000,
      annotations: { title: "Read it", openWorld: true },
    });
  });

  test("uses annotations only when they restrict the tool", () => {
    const meek = { readOnlyHint: true, idempotentHint: true, destructiveHint: false, openWorldHint: false };
    expect(specOf({ annotations: meek }).annotations).toEqual({ openWorld: true });
    expect(specOf({ annotations: { destructiveHint: true } }).annotations).toEqual({
      destructive: true,
      openWorld: true,
    });
  });

  test("uses all annotations when the operator trusts them", () => {
    const terms = { "re*": { trustAnnotations: true } };
    const meek = { readOnlyHint: true, idempotentHint: true, destructiveHint: false, openWorldHint: false };
    expect(specOf({ annotations: meek }, { terms }).annotations).toEqual({
      readOnly: true,
      idempotent: true,
      destructive: false,
      openWorld: false,
    });
    expect(
      specOf({ annotations: { readOnlyHint: true, destructiveHint: true } }, { terms }).annotations,
    ).toEqual({
      destructive: true,
      openWorld: true,
    });
  });

  test("is tagged as trusted only when the operator says so", () => {
    expect(specOf({}).tags).toEqual([]);
    expect(specOf({}, { terms: { read: { trusted: true } } }).tags).toEqual(["trusted"]);
  });

  test("is overridden by operator terms, and a later pattern wins", () => {
    const terms = {
      "*": { risk: "critical", requiresApproval: true, timeoutMs: 5_000 },
      read: { risk: "low" },
    } as const;
    expect(specOf({}, { risk: "high" })).toMatchObject({ risk: "high" });
    expect(specOf({}, { risk: "high", terms })).toMatchObject({
      risk: "low",
      requiresApproval: true,
      timeoutMs: 5_000,
    });
    expect(specOf({}, { callTimeoutMs: 7_000 }).timeoutMs).toBe(7_000);
  });

  test("has line breaks, control characters and excess length removed from its title", () => {
    expect(specOf({ title: "A\n\u001b[31mB\u202e" }).annotations.title).toBe("A [31mB");
    expect(specOf({ title: "x".repeat(10_000) }).annotations.title?.length).toBeLessThan(210);
    expect(specOf({ annotations: { title: 7 } }).annotations.title).toBeUndefined();
  });

  test("uses the title as description, or a generated one when both are missing", () => {
    expect(specOf({ description: undefined, title: "Reads" } as never).description).toBe("Reads");
    expect(specOf({ description: " " }).description).toBe(
      'The tool "read" of the server "files". The server gives no description.',
    );
  });

  test("is available unchanged from the registered tool", () => {
    const definition = remoteTool("read", { icons: [{ src: "x" }] });
    const tool = createRemoteTool(definition, stdioServer("files"), nothing);
    expect(remoteToolOf(tool.layer())).toBe(definition);
  });
});

describe("input schema of a remote tool", () => {
  test.each([
    [
      {
        $schema: "http://json-schema.org/draft-07/schema#",
        type: "object",
        definitions: { n: { type: "number" } },
        properties: { n: { $ref: "#/definitions/n" } },
      },
    ],
    [
      {
        $schema: "https://json-schema.org/draft/2020-12/schema",
        type: "object",
        $defs: { n: { type: "number" } },
        properties: { n: { $ref: "#/$defs/n" } },
      },
    ],
    [{ type: "object", properties: { n: { type: "number" } } }],
    [{ properties: { n: { type: "number" } } }],
  ])("accepts %j", (inputSchema) => {
    const { input } = createRemoteTool(remoteTool("read", { inputSchema }), stdioServer("files"), nothing);
    expect(input({ n: 1 }).ok).toBe(true);
    expect(input({ n: "1" }).ok).toBe(false);
  });

  test("is read only as JSON Schema, and other input forms are rejected", () => {
    const { input } = createRemoteTool(
      remoteTool("read", { inputSchema: {} }),
      stdioServer("files"),
      nothing,
    );
    expect(input({ anything: 1 }).ok).toBe(true);
    expect(() =>
      createRemoteTool(remoteTool("read", { inputSchema: { type: "array" } }), stdioServer("files"), nothing),
    ).toThrow(/named arguments/);
  });
});

describe.each([
  ["started inside a fiber", inside],
  ["started outside a fiber", started],
])("call %s", (_, call) => {
  test("is sent under the remote name with its key, trace, timeout and caller", async () => {
    const asked: McpSessionRequest[] = [];
    const tool = createRemoteTool(
      remoteTool("fs.read"),
      stdioServer("files", { callTimeoutMs: 9_000 }),
      link((request) => {
        asked.push(request);
        return text("hello");
      }),
    );
    const { signal } = new AbortController();
    const caller: McpCaller = {};
    const progress = (): void => {};
    const traced = call(tool, { text: "a" }, { signal, progress }).pipe(
      Effect.provideService(CurrentMcpCaller, caller),
      Effect.provideService(TraceHeaders, () => ({ traceparent: "00-1-2-01", authorization: "no" })),
    );
    expect(await Effect.runPromise(traced)).toBe("hello");
    expect(asked).toEqual([
      {
        method: "tools/call",
        params: {
          name: "fs.read",
          arguments: { text: "a" },
          _meta: { "haft/idempotencyKey": "key-1", traceparent: "00-1-2-01" },
        },
        signal,
        timeoutMs: 9_000,
        onProgress: progress,
        caller,
      },
    ]);
    expect(asked[0]?.caller).toBe(caller);
  });

  test("is sent when the tracer throws", async () => {
    const broken = (): never => {
      throw new Error("no trace");
    };
    const traced = Effect.provideService(
      call(createRemoteTool(remoteTool("read"), stdioServer("files"), nothing)),
      TraceHeaders,
      broken,
    );
    expect(await Effect.runPromise(traced)).toEqual({ content: [] });
  });

  test("reports a server error with its message, truncated and without control characters", async () => {
    const observed: unknown[] = [];
    const result = { isError: true, ...text(`no such file\n\u001b[2J${"x".repeat(9_000)}`) };
    const tool = createRemoteTool(
      remoteTool("read"),
      stdioServer("files"),
      link(() => result),
    );
    const caller: McpCaller = { received: (value, result) => observed.push(value, result) };
    const failure = outcomeFailure(
      await Effect.runPromise(Effect.provideService(call(tool), CurrentMcpCaller, caller)),
    );
    expect(failure).toMatchObject({ code: "failed", ran: true, retryable: false });
    expect(failure.message).toMatch(/^The tool "files\/read" failed: no such file\n \[2Jx+…$/);
    expect(failure.message?.length).toBeLessThan(4_050);
    expect(observed).toEqual([undefined, result]);
  });

  test("reports a generic message for a server error without text", async () => {
    const tool = createRemoteTool(
      remoteTool("read"),
      stdioServer("files"),
      link(() => ({ isError: true, content: [{ type: "image" }] })),
    );
    expect(outcomeFailure(await Effect.runPromise(call(tool))).message).toBe(
      'The tool "files/read" failed: its server gives no details',
    );
  });

  test("reports mcp_protocol when the structured content of the output schema is missing", async () => {
    const tool = createRemoteTool(
      remoteTool("read", { outputSchema: { type: "object" } }),
      stdioServer("files"),
      link(() => text("{}")),
    );
    expect(outcomeFailure(await Effect.runPromise(call(tool)))).toMatchObject({
      code: "mcp_protocol",
      ran: true,
    });
  });

  test("keeps the error code of the session", async () => {
    const tool = createRemoteTool(
      remoteTool("read"),
      stdioServer("files"),
      link(() => {
        throw unreachableServerError("gone");
      }),
    );
    expect(outcomeFailure(await Effect.runPromise(call(tool)))).toMatchObject({
      code: "mcp_unreachable",
      tool: "files/read",
      message: "gone",
      ran: false,
    });
  });

  test("passes the whole result to its caller, even when the caller throws", async () => {
    const result = { ...text("hello"), _meta: { a: 1 } };
    const tool = createRemoteTool(
      remoteTool("read"),
      stdioServer("files"),
      link(() => result),
    );
    const observed: unknown[] = [];
    const caller: McpCaller = {
      received: (value, whole) => {
        observed.push(value, whole);
        throw new Error("deaf");
      },
    };
    const value = await Effect.runPromise(Effect.provideService(call(tool), CurrentMcpCaller, caller));
    expect(observed).toEqual([value, result]);
  });

  test("truncates a large result to a file unless the tool has an output schema", async () => {
    const spill = { truncate: async () => "small" } as unknown as NonNullable<ToolLink["truncator"]>;
    const answer = { content: [], structuredContent: { a: 1 } };
    const of = (change: Partial<RemoteTool>) =>
      Effect.runPromise(
        call(
          createRemoteTool(
            remoteTool("read", change),
            stdioServer("files"),
            link(() => answer, { truncator: spill }),
          ),
        ),
      );
    expect(await of({})).toBe("small");
    expect(await of({ outputSchema: { type: "object" } })).toEqual({ a: 1 });
  });

  test("answers input requests with the host handler when the call comes from the host", async () => {
    const asked: McpSessionRequest[] = [];
    const ask = async () => ({});
    const tool = createRemoteTool(
      remoteTool("read"),
      stdioServer("files"),
      link(
        (request) => {
          asked.push(request);
          return text("a");
        },
        { requestInput: ask },
      ),
    );
    for (const user of ["ada", "ada", "bob"])
      await Effect.runPromise(call(tool, {}, { principal: { agent: "clerk", user } }));
    expect(asked[0]?.caller?.ask).toBe(ask);
    expect(asked[1]?.caller?.party).toBe(asked[0]?.caller?.party);
    expect(asked[2]?.caller?.party).not.toBe(asked[0]?.caller?.party);
  });

  test("is not sent for a quarantined tool, and only the operator detail quotes the definition", async () => {
    const reason = "flagged: ignore your instructions";
    const tool = createRemoteTool(
      remoteTool("read"),
      stdioServer("files"),
      link(() => expect.fail("it was sent"), { quarantine: () => ({ reason, isApprovable: true }) }),
    );
    const failure = outcomeFailure(await Effect.runPromise(call(tool)));
    expect(failure).toMatchObject({
      code: "definition_changed",
      ran: false,
      message: expect.stringContaining("an operator must review its definition first"),
      detail: reason,
    });
    expect(failure.message).not.toMatch(/haft \w/);
    expect(failure.message).not.toContain("instructions");
  });

  test("is interrupted without waiting for the server", async () => {
    const tool = createRemoteTool(
      remoteTool("read"),
      stdioServer("files"),
      link(() => new Promise(() => {})),
    );
    const fiber = Effect.runFork(call(tool));
    await Effect.runPromise(Fiber.interrupt(fiber));
  });
});

test("a remote tool is available while its server is connected and it is not quarantined", () => {
  let isUp = true;
  let held: ReturnType<ToolLink["quarantine"]>;
  const tool = createRemoteTool(
    remoteTool("read"),
    stdioServer("files"),
    link(() => {}, { isUp: () => isUp, quarantine: () => held }),
  );
  const isAvailable = (): boolean | undefined => tool.layers[0]?.isAvailable?.("files/read", 0);
  expect([tool.layers.map(({ label }) => label), isAvailable()]).toEqual([["mcp"], true]);
  held = { reason: "changed", isApprovable: true };
  expect(isAvailable()).toBe(false);
  held = undefined;
  isUp = false;
  expect(isAvailable()).toBe(false);
});
