import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import * as Effect from "effect/Effect";
import {
  definitionOf,
  Haft,
  type HydrationResult,
  hydrate,
  Tool,
  ToolComponent,
  tool,
  workspace,
} from "haft";
import { agent, library } from "haft/agent";
import { getTool, registerTool, runtimeLayer, Tools } from "haft/effect";
import { readTools, signatureToSchema } from "haft/gram";
import { asyncLayer, final, inputSchema, retry, timeout } from "haft/layers";
import { scriptedModel } from "haft/testing";
import { describe, expect, it, onTestFinished } from "vitest";

/*
 * Snippets from the documents on which Haft is based, verbatim. `docs/seeds.md` lists the names that differ
 * here; a snippet that needs one names it.
 */

const principal = { agent: "agent-1", allow: ["*"] };

/** Renames of a tool definition of the tools and integration layer. */
const renamed = ({ riskLevel, timeoutMs, ...rest }: Record<string, unknown>, run: (args: never) => unknown) =>
  tool({ ...rest, risk: riskLevel, timeout: timeoutMs, run } as never);

describe("the tools and integration layer", () => {
  it("ToolsConfig is taken unchanged", async () => {
    const ToolsConfig = {
      // Execution
      execution: {
        defaultTimeoutMs: 30_000,
        maxTimeoutMs: 300_000, // 5 minutes max
        sandboxEnabled: true,
      },

      // MCP
      mcp: {
        protocolVersion: "2024-11-05",
        connectionTimeoutMs: 10_000,
        requestTimeoutMs: 30_000,
        maxRetries: 3,
      },

      // Registry
      registry: {
        maxTools: 1000,
        allowDuplicateNames: false,
      },

      // Security
      security: {
        requireAuthorizationForAll: true,
        blockHighRiskWithoutApproval: true,
        allowedFilePathPrefix: process.cwd(),
        blockedCommands: ["rm -rf /", "sudo", ":(){:|:&};:"],
      },

      // Built-in tools to auto-register
      builtinTools: ["web-search", "file-read", "file-write", "http-get", "code-execute"],
    } as const;
    await using haft = await Haft.open({ principal, config: ToolsConfig });
    expect(
      haft
        .list()
        .map(({ name }) => name)
        .sort(),
    ).toEqual([...ToolsConfig.builtinTools].sort());
  });

  it("registers and executes a tool (`riskLevel` is `risk`, `timeoutMs` is `timeout`, the handler is `run`)", async () => {
    const add = {
      name: "add",
      description: "Add two numbers",
      parameters: [
        {
          name: "a",
          type: "number",
          description: "First number",
          required: true,
        },
        {
          name: "b",
          type: "number",
          description: "Second number",
          required: true,
        },
      ],
      riskLevel: "low",
      timeoutMs: 5000,
      requiresApproval: false,
      source: "function",
    };
    const program = Effect.gen(function* () {
      const tools = yield* Tools;
      yield* registerTool(
        renamed(add, (args: Record<string, unknown>) =>
          Effect.succeed((args.a as number) + (args.b as number)),
        ),
      );

      const result = yield* tools.execute({
        toolName: "add",
        arguments: { a: 2, b: 3 },
        agentId: "agent-1",
        sessionId: "session-1",
      });

      expect(result.success).toBe(true);
      expect(result.result).toBe(5);
    });
    await Effect.runPromise(program.pipe(Effect.provide(runtimeLayer({ principal }))));
  });

  it("a definition with the names of the document is refused with the names used here", () => {
    const given = { name: "t", description: "d", parameters: [], run: () => 1 };
    expect(() => tool({ ...given, riskLevel: "low" } as never)).toThrow("It is called `risk`");
    expect(() => tool({ ...given, timeoutMs: 5000 } as never)).toThrow("It is called `timeout`");
    expect(() => tool({ ...given, run: undefined, handler: () => 1 } as never)).toThrow("It is called `run`");
  });

  it("fails for unknown tools (`getTool` fails; `execute` returns the envelope instead of failing)", async () => {
    const program = Effect.gen(function* () {
      const tools = yield* Tools;
      const error = yield* getTool("nonexistent").pipe(Effect.flip);
      expect(error._tag).toBe("ToolNotFoundError");
      const called = yield* tools.call("nonexistent", {}).pipe(Effect.flip);
      expect(called._tag).toBe("ToolNotFoundError");
      const result = yield* tools.execute({
        toolName: "nonexistent",
        arguments: {},
        agentId: "agent-1",
        sessionId: "session-1",
      });
      expect(result).toMatchObject({ success: false, error: expect.stringContaining("nonexistent") });
    });
    await Effect.runPromise(program.pipe(Effect.provide(runtimeLayer({ principal }))));
  });

  it("validates parameters (`ToolValidationError` is `ToolInputValidationError`)", async () => {
    const greet = {
      name: "greet",
      description: "Greet a person",
      parameters: [
        {
          name: "name",
          type: "string",
          description: "Person name",
          required: true,
        },
      ],
      riskLevel: "low",
      timeoutMs: 5000,
      requiresApproval: false,
      source: "function",
    };
    const tools = [renamed(greet, (args: Record<string, unknown>) => Effect.succeed(`Hello, ${args.name}!`))];
    await using haft = await Haft.open({ tools, principal });
    await expect(haft.call("greet", {})).rejects.toMatchObject({
      name: "ToolInputValidationError",
      parameter: "name",
      expected: expect.any(String),
      received: expect.any(String),
    });
  });

  it("lists tools in the format of function calling (`toFunctionCallingFormat` is `offer`)", async () => {
    const search = {
      name: "search",
      description: "Search for something",
      parameters: [
        {
          name: "query",
          type: "string",
          description: "Search query",
          required: true,
        },
      ],
      riskLevel: "low",
      timeoutMs: 10000,
      requiresApproval: false,
      source: "builtin",
    };
    await using haft = await Haft.open({ tools: [renamed(search, () => Effect.succeed([]))], principal });
    const fcTools = haft.offer({ format: "anthropic" }).tools;
    expect(fcTools).toHaveLength(1);
    expect(fcTools[0]?.name).toBe("search");
    expect(fcTools[0]?.input_schema).toHaveProperty("properties");
  });
});

describe("the skills and the MCP client of the tools and integration layer", () => {
  it("the definition of web-search is taken with `risk`, `timeout` and `run`: `default` and `category` are unchanged", async () => {
    const webSearchTool = {
      name: "web-search",
      description: "Search the web for information using a query string",
      parameters: [
        {
          name: "query",
          type: "string",
          description: "Search query",
          required: true,
        },
        {
          name: "maxResults",
          type: "number",
          description: "Max results to return",
          required: false,
          default: 5,
        },
      ],
      category: "search",
      riskLevel: "low",
      timeoutMs: 10_000,
      requiresApproval: false,
      source: "builtin",
    };
    const tools = [renamed(webSearchTool, (args: Record<string, unknown>) => args)];
    await using haft = await Haft.open({ tools, principal });
    expect(await haft.call("web-search", { query: "haft" } as never)).toEqual({
      query: "haft",
      maxResults: 5,
    });
    expect(haft.list({ category: "search" }).map(({ name }) => name)).toEqual(["web-search"]);
  });

  it("the definition of file-read is taken the same way, with risk medium and its own time limit", async () => {
    const fileReadTool = {
      name: "file-read",
      description: "Read the contents of a file",
      parameters: [
        {
          name: "path",
          type: "string",
          description: "File path to read",
          required: true,
        },
        {
          name: "encoding",
          type: "string",
          description: "File encoding",
          required: false,
          default: "utf-8",
        },
      ],
      category: "file",
      riskLevel: "medium",
      timeoutMs: 5_000,
      requiresApproval: false,
      source: "builtin",
    };
    const { spec } = renamed(fileReadTool, () => "");
    expect(spec).toMatchObject({ category: "file", risk: "medium", timeoutMs: 5_000, source: "builtin" });
  });

  it("publishes tools.executed with the payload of the document (`eventBus` is `haft.on`)", async () => {
    const add = tool({ name: "add", description: "Adds", input: [], run: () => 5 });
    await using haft = await Haft.open({ tools: [add], principal });
    const payloads: unknown[] = [];
    haft.on("tools.executed", (payload) => payloads.push(payload));
    await haft.call("add", {});
    expect(payloads).toMatchObject([{ toolName: "add", success: true, executionTimeMs: expect.any(Number) }]);
  });

  it("connects to an MCP server (`connectMCPServer` is `haft.mcp.connect`, `name` is `id`, transport `http`)", async () => {
    const upstream = createServer((request, response) => {
      let text = "";
      request.on("data", (chunk) => {
        text += chunk;
      });
      request.on("end", () => {
        const { id, method, params } = JSON.parse(text || "{}");
        if (id === undefined) return void response.writeHead(202).end();
        const results: Record<string, unknown> = {
          initialize: {
            protocolVersion: params?.protocolVersion,
            capabilities: { tools: {} },
            serverInfo: { name: "test", version: "1" },
          },
          "tools/list": { tools: [] },
        };
        const answer =
          method in results ? { result: results[method] } : { error: { code: -32601, message: "unknown" } };
        response.writeHead(200, { "content-type": "application/json" });
        response.end(JSON.stringify({ jsonrpc: "2.0", id, ...answer }));
      });
    });
    await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => {
      upstream.closeAllConnections();
      upstream.close();
    });
    const host = `127.0.0.1:${(upstream.address() as AddressInfo).port}`;
    await using haft = await Haft.open({
      principal,
      httpEgress: { allow: [host] },
      config: { mcp: { protocolVersion: "2024-11-05" } },
    });
    const server = await haft.mcp.connect({
      id: "test-server",
      transport: "http",
      url: `http://${host}/mcp`,
    });
    expect(server.status).toBe("connected");
    expect(server.id).toBe("test-server");
    expect(haft.mcp.list()).toHaveLength(1);
    await expect(
      haft.mcp.connect({
        name: "test-server",
        transport: "stdio",
        command: "node",
        args: ["test-mcp-server.js"],
      } as never),
    ).rejects.toThrow("needs an `id`");
  });
});

describe("layers after Tower", () => {
  it("a tool manages its layers (`.with_name` is `withName`, `boxed_timeout_secs` is `timeout`)", async () => {
    const seen: string[] = [];
    const observe = asyncLayer(async (call, next) => {
      seen.push(call.spec.name);
      return await next(call);
    });
    const greet = tool({ name: "greet", description: "Greets", input: [], run: () => "hello" })
      .layer(observe, timeout("2 seconds"), retry({ attempts: 3 }), inputSchema("strict"))
      .withName("hello");
    await using haft = await Haft.open({ tools: [greet], principal });
    const replies = await haft.turn(
      [
        { id: "1", tool: "hello", input: "{}" },
        { id: "2", tool: "hello", input: "{}" },
      ],
      { maxConcurrency: 2 },
    );
    expect(replies.map(({ id, text }) => [id, text])).toEqual([
      ["1", "hello"],
      ["2", "hello"],
    ]);
    expect(seen).toEqual(["hello", "hello"]);
  });

  it("`Effect::Final` of the outermost layer ends the run (`flow` of a value)", async () => {
    const end = (text: string) => asyncLayer(async () => final(text));
    const greet = tool({ name: "greet", description: "Greets", input: [], run: () => "hello" }).layer(
      end("inner"),
    );
    await using haft = await Haft.open({ tools: [greet], principal, layers: [end("outer")] });
    const [reply] = await haft.turn([{ id: "1", tool: "greet", input: "{}" }]);
    expect(reply).toMatchObject({ text: "outer", flow: { kind: "final" } });
  });
});

describe("the tool service on Effect", () => {
  it("builds a workspace (`createEffectiveWorkspace` is `workspace`, `addTool` is `add`)", async () => {
    const price = tool({ name: "price", description: "Says a price", input: [], run: () => 3 });
    const project = workspace().toolbox("shop").add(price).build();
    await using haft = await Haft.open({ project, principal });
    expect(await haft.call("shop/price", {})).toBe(3);
  });
});

describe("specifications apart from implementations", () => {
  // Unchanged.
  const block = `toolSpecification: sayHello
  name: "sayHello"
  description: "Returns a friendly greeting message for the given name"
  typeSignature: "(name: Text) --> IO Text"
`;

  it("the block of sayHello is read unchanged, with its schema made from the signature", () => {
    const reading = readTools(block);
    expect(reading.ok && reading.tools[0]).toMatchObject({
      name: "sayHello",
      description: "Returns a friendly greeting message for the given name",
      signature: "(name: Text) --> IO Text",
      input: signatureToSchema("(name: Text) --> IO Text"),
    });
  });

  it("the agent runs with the library (`executeAgentWithLibrary` is `haft.run` with `library`)", async () => {
    const reading = readTools(block);
    if (!reading.ok) throw new Error("the block cannot be read");
    const [sayHelloSpec] = reading.tools;
    const helloWorldToolLibrary = library().register(
      tool({
        name: "sayHello",
        description: "Returns a friendly greeting message for the given name",
        input: signatureToSchema("(name: Text) --> IO Text"),
        run: ({ name }: { readonly name: string }) => `Hello, ${name}! Nice to meet you.`,
      } as never),
    );
    const helloWorldAgent = agent({
      name: "hello_world_agent",
      description: "A friendly agent that uses the sayHello tool to greet users",
      instructions:
        "You are a friendly assistant. Have friendly conversations with the user. When the user greets you or says hello, use the `sayHello` tool to respond with a personalized greeting.",
      tools: [sayHelloSpec as never],
    });
    await using haft = await Haft.open({ principal });
    const model = scriptedModel([
      { calls: [{ id: "1", tool: "sayHello", input: '{"name":"Ada"}' }] },
      { text: "Hello, Ada! Nice to meet you." },
    ] as never);
    const response = await haft.run(helloWorldAgent, "Hello", { model, library: helloWorldToolLibrary });
    expect(response.content).toBe("Hello, Ada! Nice to meet you.");
    expect(response.toolsUsed).toMatchObject([
      { name: "sayHello", arguments: { name: "Ada" }, result: "Hello, Ada! Nice to meet you." },
    ]);
  });
});

describe("specifications apart from implementations, A/B", () => {
  const spec = {
    name: "sayHello",
    description: "Returns a greeting",
    input: signatureToSchema("(name: Text) --> IO Text"),
  };
  const sayHello = (greeting: string) =>
    tool({ ...spec, run: ({ name }: { readonly name: string }) => `${greeting}, ${name}` } as never);

  it("bindTool and lookupTool (`library().bind`, `.lookup`): one specification, two libraries", async () => {
    const libraryA = library().register(sayHello("Hello"));
    const libraryB = library().register(sayHello("Good day"));
    expect(libraryA.lookup("sayHello")).toBeDefined();
    expect(libraryA.lookup("missing")).toBeUndefined();
    const sayHelloSpec = sayHello("").spec;
    expect(libraryA.bind(sayHelloSpec)).toMatchObject({ ok: true });
    expect(libraryA.bind({ ...sayHelloSpec, name: "missing" })).toMatchObject({ ok: false });
    const helloAgent = agent({ name: "hello", instructions: "Greet.", tools: [sayHelloSpec] });
    await using haft = await Haft.open({ principal });
    const results: unknown[] = [];
    for (const each of [libraryA, libraryB]) {
      const model = scriptedModel([
        { calls: [{ id: "1", tool: "sayHello", input: '{"name":"Ada"}' }] },
        { text: "done" },
      ] as never);
      const { toolsUsed, context } = await haft.run(helloAgent, "Hello", { model, library: each });
      results.push(toolsUsed[0]);
      // `FunctionRole name` is the role `tool` with the name of the tool.
      expect(context.find(({ role }) => role === "tool")).toMatchObject({ tool: "sayHello" });
    }
    expect(results).toMatchObject([{ result: "Hello, Ada" }, { result: "Good day, Ada" }]);
  });
});

describe("@Tool, hydration, provider adapters", () => {
  // Unchanged, with `parameters` as bare properties and `required` next to them. The test runner compiles no
  // decorators, so `@Tool` is called here; `test/system/decorators` compiles it with both kinds of
  // decorators.
  const WeatherTool = Tool({
    type: "function",
    name: "get_current_weather",
    description: "Get the current weather for a given location",
    parameters: {
      location: {
        type: "string",
        description: "The name of the city e.g. San Francisco, CA",
      },
      format: {
        type: "string",
        enum: ["celsius", "fahrenheit"],
        description: "The format to return the weather in",
      },
      required: ["location", "format"],
    },
  })(
    class WeatherTool {
      // Implement the tool's functionality here

      async run(): Promise<string> {
        // Placeholder implementation
        return `The current weather in.`;
      }
    },
  );

  it("the decorated class runs unchanged", async () => {
    const MyTool = WeatherTool as typeof WeatherTool & { getDefinition?: () => { readonly name: string } };
    const def = MyTool.getDefinition?.();
    expect(def?.name).toBe("get_current_weather");
    expect(Object.isFrozen(def)).toBe(true);
    expect(definitionOf(WeatherTool)).toBe(def);
    expect(WeatherTool.prototype).toBeInstanceOf(ToolComponent);
    await using haft = await Haft.open({ tools: [WeatherTool], principal });
    const input = { location: "Oslo", format: "celsius" };
    expect(await haft.call("get_current_weather", input as never)).toBe("The current weather in.");
  });

  it("a tool without a schema is refused unless it says `allowNoSchema`", () => {
    const given = { name: "t", description: "d", run: () => 1 };
    expect(() => tool(given as never)).toThrow("allowNoSchema: true");
    expect(tool({ ...given, allowNoSchema: true }).spec.name).toBe("t");
  });

  it("a hydration result has the fields of the suggested interface", async () => {
    await using haft = await Haft.open({ tools: [WeatherTool], principal });
    const raw = '{"location":"Oslo","format":"celsius"}';
    const [result] = await haft.hydrate([{ id: "call-1", tool: "get_current_weather", input: raw }]);
    expect(result).toMatchObject({
      success: true,
      errors: [],
      provenance: {
        providerToolId: "get_current_weather",
        originalRawArgs: raw,
        parsed: JSON.parse(raw),
        validated: JSON.parse(raw),
        validator: { name: expect.any(String), version: expect.any(String), compiledAt: expect.any(String) },
        repaired: false,
      },
    } satisfies Partial<Record<keyof HydrationResult, unknown>>);
    expect(await result?.tool?.run()).toBe("The current weather in.");
    const failed = hydrate({ id: "1", tool: "get_current_weather", input: "{" }, definitionSpec());
    expect(failed.errors[0]?.stage).toBe("parse");
  });

  const definitionSpec = () =>
    tool({ name: "get_current_weather", description: "d", input: { type: "object" }, run: () => 1 }).spec;
});
