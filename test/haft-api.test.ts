import {
  Haft,
  type Principal,
  Tool,
  ToolError,
  ToolInputValidationError,
  ToolNotFoundError,
  tool,
  workspace,
} from "haft";
import { memoryLedger } from "haft/effect";
import { describe, expect, it } from "vitest";
import { redactor } from "../src/base/json/redact.ts";

const principal: Principal = { agent: "tester", allow: ["*"] };

const add = tool({
  name: "add",
  description: "Adds two numbers",
  parameters: [
    { name: "a", type: "number", description: "First", required: true },
    { name: "b", type: "number", description: "Second", required: true },
  ],
  run: ({ a, b }: { a: number; b: number }) => a + b,
});

describe("haft.call", () => {
  it("returns the value", async () => {
    const haft = await Haft.open({ tools: [add], principal });
    expect(await haft.call("add", { a: 2, b: 3 })).toBe(5);
  });

  it("throws a ToolError whose class and fields describe the problem", async () => {
    const haft = await Haft.open({ tools: [add], principal });
    const error = await haft.call("add", { a: 2, b: "three" } as never).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ToolInputValidationError);
    expect(error).toBeInstanceOf(ToolError);
    expect(error).toMatchObject({ parameter: "b", expected: "number", toolName: "add", retryable: false });
    expect(String((error as ToolInputValidationError).received)).toContain("string");
    await expect(haft.call("sub" as never, {} as never)).rejects.toBeInstanceOf(ToolNotFoundError);
  });

  it("is cancelled by its signal", async () => {
    const never = tool({
      name: "never",
      description: "Never",
      input: { type: "object" },
      run: () => new Promise(() => {}),
    });
    const haft = await Haft.open({ tools: [never], principal });
    const abort = new AbortController();
    const call = haft.call("never", {}, { signal: abort.signal });
    abort.abort();
    await expect(call).rejects.toMatchObject({ _tag: "ToolCancelledError", code: "cancelled" });
  });
});

describe("haft.execute", () => {
  it("returns the seed's envelope and never throws", async () => {
    const haft = await Haft.open({ tools: [add], principal });
    const who = { agentId: "agent-1", sessionId: "session-1", correlationId: "c-9" };
    const good = await haft.execute({ toolName: "add", arguments: { a: 2, b: 3 }, ...who });
    const bad = await haft.execute({ toolName: "add", arguments: { a: 2 }, ...who });
    expect(good).toMatchObject({
      toolName: "add",
      success: true,
      result: 5,
      metadata: { correlationId: "c-9" },
    });
    expect(bad).toMatchObject({
      toolName: "add",
      success: false,
      result: null,
      metadata: { code: "invalid_input" },
    });
    expect(bad.error).toContain('"add"');
    expect(await haft.log()).toMatchObject([
      { agent: "agent-1", session: "session-1", correlationId: "c-9", ending: "executed" },
      { agent: "agent-1", session: "session-1", correlationId: "c-9", ending: "failed" },
    ]);
  });

  it("looks the tool up, validates, authorizes, runs, writes the audit and emits an event, in this order", async () => {
    const order: string[] = [];
    const allowed = { effect: "allow", ruleIds: [], reason: "the test" } as const;
    const memory = memoryLedger({ redactor: redactor() });
    const write = tool({
      name: "write",
      description: "Writes",
      input: { type: "object" },
      validator: {
        compile: () => () => {
          order.push("validate");
          return true;
        },
      },
      run: () => {
        order.push("run");
        return "written";
      },
    });
    const haft = await Haft.open({
      tools: [write],
      principal,
      policy: {
        visible: () => {
          order.push("look up");
          return allowed;
        },
        decide: () => {
          order.push("authorize");
          return allowed;
        },
      },
      ledger: {
        ...memory,
        close: (closing) => {
          order.push("audit");
          return memory.close(closing);
        },
      },
    });
    haft.on("tools.executed", () => order.push("event"));
    order.length = 0;
    const input = { toolName: "write", arguments: {}, agentId: "agent-1", sessionId: "session-1" };
    expect(await haft.execute(input)).toMatchObject({ success: true, result: "written" });
    expect(order).toEqual(["look up", "validate", "authorize", "run", "audit", "event"]);
  });
});

describe("haft.as", () => {
  it("sees the same tools with another caller's rights", async () => {
    const haft = await Haft.open({ tools: [add, add.withName("sum")], principal });
    const narrow = haft.as({ agent: "narrow", allow: ["add"] });
    expect(haft.offer({ format: "mcp" }).tools).toHaveLength(2);
    expect(narrow.offer({ format: "mcp" }).tools).toHaveLength(1);
    await expect(narrow.call("sum", { a: 1, b: 1 })).rejects.toMatchObject({ code: "not_visible" });
  });
});

describe("a call by the tool itself", () => {
  it("uses its name, also for a class and for a tool that was registered later", async () => {
    const Shout = Tool({ name: "shout", description: "Shouts", input: [{ name: "text", type: "string" }] })(
      class {
        run({ text = "" }: { readonly text?: string }): string {
          return text.toUpperCase();
        }
      },
    );
    const haft = await Haft.open({ tools: [Shout], principal });
    haft.register(add);
    expect(await haft.call(Shout, { text: "hey" })).toBe("HEY");
    expect(await haft.call(add, { a: 1, b: 2 })).toBe(3);
    const [row] = await haft.log({ tool: "shout" });
    expect(row?.ending).toBe("executed");
    await haft.close();
  });

  it("is refused for other values and names what a call takes", async () => {
    const haft = await Haft.open({ principal });
    const asked = haft.call((() => 1) as unknown as string, {});
    await expect(asked).rejects.toMatchObject({
      code: "invalid_config",
      message: expect.stringContaining("a class with @Tool"),
    });
    await haft.close();
  });
});

describe("registering", () => {
  it("tools can be registered and unregistered while the runtime is open, with events", async () => {
    const observed: unknown[] = [];
    const haft = await Haft.open({ principal });
    haft.on("tools.registered", (event) => observed.push(["came", event.toolName]));
    haft.on("tools.unregistered", (event) => observed.push(["went", event.toolName]));
    expect(haft.register(add)).toBe("add");
    expect(await haft.call("add", { a: 1, b: 2 })).toBe(3);
    expect(haft.list({ category: "custom" }).map((spec) => spec.name)).toEqual(["add"]);
    expect(haft.get("add")?.description).toBe("Adds two numbers");
    expect(haft.unregister("add")).toBe(true);
    await expect(haft.call("add", { a: 1, b: 2 })).rejects.toMatchObject({ code: "unknown_tool" });
    expect(observed).toEqual([
      ["came", "add"],
      ["went", "add"],
    ]);
  });

  it("a list shows every tool under its full name and its origin", async () => {
    const project = workspace().toolbox("math").add(add).build();
    const haft = await Haft.open({ tools: [add], project, principal });
    const listed = haft.list().map(({ name, fullName, origin }) => ({ name, fullName, origin }));
    expect(listed).toEqual([
      { name: "add", fullName: "add", origin: "internal" },
      { name: "add", fullName: "math/add", origin: "project" },
    ]);
  });

  it.each([
    [{ riskLevel: "high" }, "riskLevel"],
    [{ tag: "weather" }, "tag"],
    [{ origin: "project", namespaces: ["math"] }, "namespaces"],
  ])("an unknown filter field is refused: %j", async (filter, field) => {
    const haft = await Haft.open({ tools: [add], principal });
    expect(() => haft.list(filter as never)).toThrow(`an unknown field \`${field}\``);
  });

  it("a project's tool takes the short name before an internal one, and explain reports it", async () => {
    const mine = tool({
      name: "add",
      description: "Adds our way",
      input: { type: "object" },
      run: () => "project",
    });
    const haft = await Haft.open({
      tools: [add],
      project: workspace().toolbox("math").add(mine).build(),
      principal,
    });
    expect(await haft.call("add", {} as never)).toBe("project");
    expect(await haft.call("math/add", {})).toBe("project");
    expect(haft.explain("add")).toMatchObject({ answers: "math/add", origin: "project", shadows: ["add"] });
  });

  it("an invalid option rejects with a ToolError that names it", async () => {
    await expect(Haft.open({ tools: [add, add] })).rejects.toMatchObject({ code: "duplicate_tool" });
    await expect(Haft.open({ config: { registry: { maxTools: -1 } } })).rejects.toThrow("/registry/maxTools");
    await expect(Haft.open({ config: "no-such-file.json" })).rejects.toThrow("no-such-file.json");
    await expect(Haft.open({ ledger: "sqlight" as never })).rejects.toThrow('Unknown ledger "sqlight"');
    await expect(Haft.open({ policy: { rules: [{ effect: "permit" }] as never } })).rejects.toBeInstanceOf(
      ToolError,
    );
  });
});

describe("events", () => {
  it("every started call ends with exactly one executed or failed event", async () => {
    const observed: string[] = [];
    const haft = await Haft.open({ tools: [add], principal });
    for (const name of ["tools.started", "tools.executed", "tools.failed"] as const) {
      haft.on(name, (event) => observed.push(`${event.callId} ${name}`));
    }
    await haft.turn([
      { id: "1", tool: "add", input: '{"a":1,"b":2}' },
      { id: "2", tool: "add", input: "{}" },
      { id: "3", tool: "nope", input: "{}" },
    ]);
    expect(observed.sort()).toEqual([
      "1 tools.executed",
      "1 tools.started",
      "2 tools.failed",
      "2 tools.started",
      "3 tools.failed",
      "3 tools.started",
    ]);
  });

  it("a listener that throws does not affect the call or other listeners", async () => {
    const haft = await Haft.open({ tools: [add], principal });
    let observed = 0;
    haft.on("tools.executed", () => {
      throw new Error("bad listener");
    });
    const off = haft.on("tools.executed", () => {
      observed += 1;
    });
    expect(await haft.call("add", { a: 1, b: 1 })).toBe(2);
    off();
    await haft.call("add", { a: 1, b: 1 });
    expect(observed).toBe(1);
  });

  it("progress is emitted while the call runs", async () => {
    const steps: unknown[] = [];
    const long = tool({
      name: "long",
      description: "Takes steps",
      input: { type: "object" },
      run: (_, { progress }) => {
        progress({ done: 1, of: 2 });
        return "ok";
      },
    });
    const haft = await Haft.open({ tools: [long], principal });
    haft.on("tools.progress", (event) => steps.push(event.update));
    await haft.call("long", {});
    expect(steps).toEqual([{ done: 1, of: 2 }]);
  });
});
