import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import {
  Haft,
  type Principal,
  Tool,
  ToolApprovalError,
  ToolCancelledError,
  ToolInputValidationError,
  tool,
} from "haft";
import { readCalls } from "haft/models";
import { describe, expect, it } from "vitest";
import { scriptedModel } from "./kit/scripted-model.ts";

const principal: Principal = { agent: "tester", allow: ["*"] };

const ran: unknown[] = [];

const save = tool({
  name: "save",
  description: "Saves a note",
  input: {
    type: "object",
    properties: { title: { type: "string" }, stars: { type: "integer" } },
    required: ["title"],
    additionalProperties: false,
  },
  run: (input: unknown) => {
    ran.push(input);
    return "saved";
  },
});

const read = tool({
  name: "read",
  description: "Reads a note",
  input: { type: "object", properties: { number: { type: "integer" } }, required: ["number"] },
  annotations: { readOnly: true },
  run: ({ number }: { number: number }) => `note ${number}`,
});

const call = (tool: string, input: unknown, more: object = {}) => ({ id: "call-1", tool, input, ...more });

const open = (options: object = {}) => Haft.open({ tools: [save, read], principal, ...options });

describe("haft.hydrate", () => {
  it("returns a result for each call, in order, and runs nothing", async () => {
    ran.length = 0;
    const haft = await open();
    const results = await haft.hydrate([
      { id: "a", tool: "save", input: '{"title":"one"}' },
      { id: "b", tool: "save", input: "{" },
      { id: "c", tool: "save", input: '{"stars":1}' },
      { id: "d", tool: "nothing", input: "{}" },
    ]);
    expect(results.map(({ success }) => success)).toEqual([true, false, false, false]);
    expect(results.map(({ errors }) => errors[0]?.stage)).toEqual([undefined, "parse", "validate", "find"]);
    expect(ran).toEqual([]);
    expect((await haft.log()).map(({ ending }) => ending)).toEqual([
      "hydrated",
      "failed",
      "failed",
      "failed",
    ]);
  });

  it("records the provenance of the value, including the exact text", async () => {
    const haft = await open();
    const [result] = await haft.hydrate([call("save", '{ "title": "one" }')]);
    expect(result?.provenance).toMatchObject({
      providerToolId: "save",
      callId: "call-1",
      tool: "save",
      originalRawArgs: '{ "title": "one" }',
      parsed: { title: "one" },
      validated: { title: "one" },
      validator: { name: "haft schema", version: "1", compiledAt: "definition" },
      repaired: false,
      changes: [],
    });
    expect(result?.provenance.at).toBeGreaterThan(1_700_000_000_000);
  });

  it("records the part of the reply and the validation time, also for a refused call", async () => {
    const haft = await open();
    const tool_calls = ['{"title":"one"}', '{"title":1}'].map((input, at) => ({
      id: `c${at}`,
      function: { name: "save", arguments: input },
    }));
    const reply = { choices: [{ index: 0, message: { tool_calls }, finish_reason: "tool_calls" }] };
    const results = await haft.hydrate(readCalls("openai-chat", reply));
    expect(results.map(({ success, provenance }) => [success, provenance.part])).toEqual([
      [true, "/choices/0/message/tool_calls/0"],
      [false, "/choices/0/message/tool_calls/1"],
    ]);
    for (const { provenance } of results) expect(provenance.validationMs).toBeGreaterThan(0);
    const rows = await haft.log();
    expect(rows.map(({ provenance }) => provenance?.part).sort()).toEqual([
      "/choices/0/message/tool_calls/0",
      "/choices/0/message/tool_calls/1",
    ]);
  });

  it("continues a call through the pipeline on run, and only once", async () => {
    ran.length = 0;
    const haft = await open();
    const [result] = await haft.hydrate([call("save", '{"title":"one"}')]);
    expect(await result?.tool?.run()).toBe("saved");
    expect(await result?.tool?.run()).toBe("saved");
    expect(await result?.reply?.()).toMatchObject({ id: "call-1", ok: true, value: "saved" });
    expect(ran).toEqual([{ title: "one" }]);
    const [entry] = await haft.log();
    expect(entry).toMatchObject({ ending: "executed", provenance: { validated: true, repaired: false } });
  });

  it("applies the policy: a denied call is hydrated but does not run", async () => {
    ran.length = 0;
    const haft = await open({
      policy: {
        rules: [
          { id: "no-save", effect: "deny", tools: ["save"], when: { type: "object" } },
          { id: "rest", effect: "allow", tools: ["*"] },
        ],
      },
    });
    const [result] = await haft.hydrate([call("save", '{"title":"one"}')]);
    await expect(result?.tool?.run()).rejects.toMatchObject({ code: "denied" });
    expect(ran).toEqual([]);
  });

  it("validates arguments that replace the original ones", async () => {
    ran.length = 0;
    const haft = await open();
    const [one, other] = await haft.hydrate([
      { id: "a", tool: "save", input: '{"title":"one"}' },
      { id: "b", tool: "save", input: '{"title":"one"}' },
    ]);
    expect(await one?.tool?.run({ title: "other" })).toBe("saved");
    await expect(other?.tool?.run({ title: 5 })).rejects.toBeInstanceOf(ToolInputValidationError);
    expect(ran).toEqual([{ title: "other" }]);
  });

  it("fails with unknown_tool when the tool was unregistered meanwhile", async () => {
    const haft = await open();
    const [result] = await haft.hydrate([call("save", '{"title":"one"}')]);
    haft.unregister("save");
    await expect(result?.tool?.run()).rejects.toMatchObject({ code: "unknown_tool" });
  });

  it("runs nothing after the runtime is closed", async () => {
    ran.length = 0;
    const haft = await open();
    const [result] = await haft.hydrate([call("save", '{"title":"one"}')]);
    await haft.close();
    await expect(result?.tool?.run()).rejects.toBeInstanceOf(ToolCancelledError);
    expect(ran).toEqual([]);
  });

  it("ends the entry of a call whose result was garbage-collected", async () => {
    const haft = await open();
    await (async () => {
      await haft.hydrate([call("save", '{"title":"one"}')]);
    })();
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    for (let tries = 0; tries < 50 && (await haft.log())[0]?.ending === "hydrated"; tries++) {
      collect();
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect((await haft.log())[0]).toMatchObject({ ending: "failed", code: "not_answered" });
  });

  it("refuses a truncated call even if its arguments can be read", async () => {
    const haft = await open();
    for (const finish of ["incomplete", "length", "MAX_TOKENS"]) {
      const [result] = await haft.hydrate([call("save", '{"title":"one"}', { finish }) as never]);
      expect(result).toMatchObject({ success: false, errors: [{ stage: "parse" }] });
    }
  });

  it("refuses a call that the provider executes", async () => {
    const haft = await open();
    const [result] = await haft.hydrate([call("save", '{"title":"one"}', { providerExecuted: true })]);
    expect(result?.errors[0]?.message).toContain("The provider runs");
  });

  it("drops only the nulls that a dialect uses for omitted values", async () => {
    ran.length = 0;
    const haft = await open();
    const text = '{"title":"one","stars":null}';
    const [meant, said] = await haft.hydrate([
      { id: "a", tool: "save", input: text, nulls: ["/stars"] },
      { id: "b", tool: "save", input: text },
    ]);
    expect(meant?.provenance).toMatchObject({ validated: { title: "one" }, originalRawArgs: text });
    expect(said?.success).toBe(false);
  });
});

describe("repair in the pipeline", () => {
  const broken = "{'title': 'one', 'stars': '5',}";

  it("is off by default", async () => {
    const haft = await open();
    const [reply] = await haft.turn([call("read", "{'number': 5}")]);
    expect(reply?.failure?.code).toBe("unreadable_input");
  });

  it("repairs a call once, and the ledger records every change", async () => {
    const haft = await open({ config: { hydration: { repair: "deterministic" } } });
    const [reply] = await haft.turn([call("read", "{'number': '5',}")]);
    expect(reply).toMatchObject({ ok: true, value: "note 5" });
    const [entry] = await haft.log();
    expect(entry?.provenance).toMatchObject({ validated: true, repaired: true });
    expect(entry?.provenance?.changes).toContainEqual({
      stage: "value",
      pointer: "/number",
      from: '"5"',
      to: "5",
    });
  });

  it("makes a repaired write require approval", async () => {
    ran.length = 0;
    const refusing = await open();
    const [refused] = await refusing.turn([call("save", broken)], { repair: "deterministic" });
    expect(refused?.failure?.code).toBe("approval_required");
    const asking = await open({ approver: () => undefined });
    const [waiting] = await asking.turn([call("save", broken)], { repair: "deterministic" });
    expect(waiting?.pending).toMatchObject({
      input: { title: "one", stars: 5 },
      reason: "its arguments were repaired",
    });
    expect(ran).toEqual([]);
    const reply = await asking.resume(waiting?.pending?.id ?? "", { kind: "allow" });
    expect(reply.value).toBe("saved");
  });

  it("runs a repaired write when a rule waives approval", async () => {
    const rules = [{ id: "trusted", effect: "allow", tools: ["*"], waivesApproval: true }];
    const haft = await open({ policy: { rules } });
    const [reply] = await haft.turn([call("save", broken)], { repair: "deterministic" });
    expect(reply?.value).toBe("saved");
  });

  it("asks a model once and marks its arguments as repaired", async () => {
    const model = scriptedModel([{ calls: [{ id: "x", tool: "read", input: '{"number":5}' }] }]);
    const haft = await open({ model });
    const [reply] = await haft.turn([call("read", "number five")], { repair: "model" });
    expect(reply).toMatchObject({ ok: true, value: "note 5" });
    expect(model.requests).toHaveLength(1);
    const [entry] = await haft.log();
    expect(entry).toMatchObject({
      input: "number five",
      provenance: { repaired: true, changes: [{ stage: "model", from: "number five", to: '{"number":5}' }] },
    });
  });

  it("does not ask the model again when its answer is invalid, and reports the original failure", async () => {
    const model = scriptedModel([{ calls: [{ id: "x", tool: "read", input: '{"number":"five"}' }] }]);
    const haft = await open({ model });
    const [reply] = await haft.turn([call("read", "number five")], { repair: "model" });
    expect(reply?.failure?.code).toBe("unreadable_input");
    expect(model.requests).toHaveLength(1);
    const entry = (await haft.log()).find(({ tool }) => tool === "read");
    expect(entry).toMatchObject({ code: "unreadable_input", provenance: { repaired: false } });
    expect(entry?.notes).toContainEqual(expect.stringContaining("are not valid either"));
  });

  it("reports the original failure when the model is unavailable", async () => {
    const haft = await open({ model: scriptedModel([new Error("no key")]) });
    const [reply] = await haft.turn([call("read", "number five")], { repair: "model" });
    expect(reply?.failure?.code).toBe("unreadable_input");
    const [entry] = await haft.log();
    expect(entry?.notes?.[0]).toContain("the repairer failed");
  });

  it("makes a repaired call pending when it was hydrated first", async () => {
    const haft = await open({ approver: () => undefined });
    const [result] = await haft.hydrate([call("save", broken)], { repair: "deterministic" });
    expect(result?.provenance).toMatchObject({ repaired: true, validated: { title: "one", stars: 5 } });
    await expect(result?.tool?.run()).rejects.toBeInstanceOf(ToolApprovalError);
    expect((await result?.reply?.())?.pending).toBeDefined();
  });
});

describe("a class tool", () => {
  const made: unknown[] = [];

  class Note {
    readonly title: string;
    constructor({ title }: { readonly title: string }) {
      made.push(title);
      if (title === "") throw new Error("a note needs a title");
      this.title = title;
    }
    shout(): string {
      return this.title.toUpperCase();
    }
    run(): string {
      return `saved ${this.title}`;
    }
  }

  const NoteTool = Tool({
    name: "note",
    description: "Saves a note",
    parameters: { title: { type: "string" }, required: ["title"] },
  })(Note);

  const withClass = () => Haft.open({ tools: [NoteTool], principal });

  it("is registered and called like any other", async () => {
    const haft = await withClass();
    expect(await haft.call("note", { title: "one" })).toBe("saved one");
  });

  it("is returned as its instance, whose run continues through the pipeline", async () => {
    made.length = 0;
    const haft = await withClass();
    const [result] = await haft.hydrate([call("note", '{"title":"one"}')]);
    const note = result?.tool as unknown as Note;
    expect(note).toBeInstanceOf(Note);
    expect(note.shout()).toBe("ONE");
    expect(await result?.tool?.run()).toBe("saved one");
    expect(made).toEqual(["one"]);
    expect((await haft.log())[0]).toMatchObject({ ending: "executed", tool: "note" });
  });

  it("is named in the provenance only if it was constructed", async () => {
    const haft = await withClass();
    const [made, broken] = await haft.hydrate([
      { id: "a", tool: "note", input: '{"title":"one"}' },
      { id: "b", tool: "note", input: '{"title":""}' },
    ]);
    expect(made?.provenance.className).toBe("Note");
    expect(broken?.provenance).not.toHaveProperty("className");
  });

  it("is not constructed for a caller that may not see it", async () => {
    made.length = 0;
    const haft = (await withClass()).as({ agent: "stranger", allow: [] });
    const [result] = await haft.hydrate([call("note", '{"title":"one"}')]);
    expect(result).toMatchObject({ success: false, errors: [{ stage: "find" }] });
    expect(made).toEqual([]);
  });

  it("fails to hydrate when its constructor throws", async () => {
    const haft = await withClass();
    const [result] = await haft.hydrate([call("note", '{"title":""}')]);
    expect(result).toMatchObject({ success: false, errors: [{ stage: "instantiate" }] });
    expect(result?.errors[0]?.message).toContain("a note needs a title");
  });

  it("conflicts with another class of its name, and the error names both", async () => {
    const Other = Tool({
      name: "note",
      description: "Another",
      parameters: { title: { type: "string" }, required: ["title"] },
    })(class Other extends Note {});
    await expect(Haft.open({ tools: [NoteTool, Other], principal })).rejects.toThrow(
      "the classes Note and Other",
    );
  });
});
