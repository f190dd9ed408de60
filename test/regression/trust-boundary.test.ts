import { setImmediate } from "node:timers/promises";
import { Haft, type PolicyEngine, type Principal, Tool, tool } from "haft";
import { asyncLayer, failed, timeout } from "haft/layers";
import { describe, expect, it, onTestFinished } from "vitest";
import { waitFor } from "../kit/wait-for.ts";

const principal: Principal = { agent: "clerk", user: "ada", allow: ["*"] };
const none = { type: "object" } as const;
const number = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] } as const;
const allow = { effect: "allow", reason: "a custom engine", ruleIds: [] } as const;
const engine: PolicyEngine = { visible: () => allow, decide: () => allow };
const raw = (name: string, input = "{}", id = "1") => ({ id, tool: name, input });

/** A tool that counts how often its code ran. */
const counted = (name: string, more: object = {}) => {
  const ran: unknown[] = [];
  const made = tool({
    name,
    description: `Does ${name}`,
    input: none,
    run: (given) => {
      ran.push(given);
      return "done";
    },
    ...more,
  });
  return { ran, made };
};

describe("a custom policy engine can only narrow", () => {
  const codeOf = async (who: Principal, more: object = {}) => {
    const { ran, made } = counted("act", more);
    await using haft = await Haft.open({ tools: [made], principal: who, policy: engine });
    const [reply] = await haft.turn([raw("act")]);
    return [reply?.failure?.code, ran.length];
  };

  it("a tool that the principal may not use stays denied", async () => {
    expect(await codeOf({ agent: "clerk", allow: [] })).toEqual(["not_visible", 0]);
    expect(await codeOf({ agent: "clerk", allow: ["*"], deny: ["act"] })).toEqual(["not_visible", 0]);
    expect(await codeOf({ ...principal, within: { agent: "lender", allow: [] } })).toEqual([
      "not_visible",
      0,
    ]);
  });

  it("a tool that requires approval still requires it", async () => {
    expect(await codeOf(principal, { requiresApproval: true })).toEqual(["approval_required", 0]);
    expect(await codeOf(principal, { risk: "critical" })).toEqual(["approval_required", 0]);
    expect(await codeOf(principal)).toEqual([undefined, 1]);
  });
});

describe("a schema without a valid verdict", () => {
  const standard = (validate: (value: unknown) => unknown) =>
    ({
      "~standard": {
        version: 1,
        vendor: "own",
        validate,
        jsonSchema: { input: () => ({ type: "object" }), output: () => ({ type: "object" }) },
      },
    }) as never;

  it.each([
    ["false", () => false],
    ["5", () => 5],
    ["neither value nor issues", () => ({})],
    ["a promise that is not native", () => ({ then: (go: (value: unknown) => void) => go({ value: {} }) })],
    ["a promise that fails", () => Promise.reject(new Error("no"))],
  ])("such as %s lets no call run and no result out", async (_, answer) => {
    const { ran, made } = counted("in", { input: standard(answer) });
    const out = counted("out", { output: standard(answer), annotations: { readOnly: true } });
    await using haft = await Haft.open({ tools: [made, out.made], principal });
    const replies = await haft.turn([raw("in"), raw("out", "{}", "2")]);
    expect(replies.map(({ failure }) => failure?.code)).toEqual(["invalid_input", "invalid_output"]);
    expect(ran).toEqual([]);
  });
});

describe("code that runs as part of a call", () => {
  const world = async (outer: (haft: () => Haft) => object, options: object = {}) => {
    const { ran, made } = counted("inner");
    let opened: Haft | undefined;
    const outerTool = tool({
      name: "outer",
      description: "Calls inner",
      input: none,
      run: () => "done",
      ...outer(() => opened!),
    });
    const haft = await Haft.open({
      tools: [made, outerTool],
      principal: { agent: "operator", allow: ["*"] },
      ...options,
    });
    opened = haft;
    onTestFinished(() => haft.close());
    const call = (more: object = {}) => haft.as(principal).turn([raw("outer")], more);
    const inner = async () => (await haft.as(principal).log({ tool: "inner" }))[0];
    const outerRow = async () => (await haft.as(principal).log({ tool: "outer" }))[0];
    return { ran, call, inner, outerRow };
  };

  it("has the caller's rights and the call as its parent in a listener of the signal", async () => {
    const { call, inner, outerRow } = await world((haft) => ({
      run: (_: unknown, { signal }: { readonly signal: AbortSignal }) =>
        new Promise((go) => {
          signal.addEventListener("abort", () => {
            void haft().call("inner", {});
            go("stopped");
          });
        }),
      layers: [timeout("20 millis")],
    }));
    await call();
    await waitFor(async () => expect(await inner()).toMatchObject({ agent: "clerk", user: "ada" }));
    expect((await inner())?.parentId).toBe((await outerRow())?.entryId);
  });

  it.each([
    [
      "a getter of its result",
      (haft: () => Haft) => ({
        run: () => ({
          get n() {
            void haft().call("inner", {});
            return 1;
          },
        }),
      }),
    ],
  ])("has them in %s too", async (_, outer) => {
    const { call, inner, outerRow } = await world(outer);
    await call();
    await waitFor(async () => expect(await inner()).toMatchObject({ agent: "clerk", user: "ada" }));
    expect((await inner())?.parentId).toBe((await outerRow())?.entryId);
  });
});

describe("a layer written with promises", () => {
  it("may leave a started call alone when its own call is cancelled, without an unhandled rejection", async () => {
    const unhandled: unknown[] = [];
    const note = (reason: unknown): void => void unhandled.push(reason);
    process.on("unhandledRejection", note);
    onTestFinished(() => void process.off("unhandledRejection", note));
    const abort = new AbortController();
    const slow = () => {
      abort.abort();
      return new Promise(() => {});
    };
    const { made } = counted("slow", { run: slow });
    await using haft = await Haft.open({ tools: [made], principal });
    const layer = asyncLayer(async (call, next) => {
      void next(call);
      return new Promise<never>(() => {});
    });
    const [reply] = await haft.turn([raw("slow")], { layers: [layer], signal: abort.signal });
    expect(reply?.failure?.code).toBe("cancelled");
    // Unhandled rejections are reported before the next turn of the event loop.
    await setImmediate();
    expect(unhandled).toEqual([]);
  });
});

describe("an invalid answer of an approver", () => {
  it.each([
    ["an edit without arguments", { kind: "edit" }],
    ["a grant for a session that does not exist", { kind: "allow", always: "session" }],
  ])("such as %s runs nothing", async (_, answer) => {
    const { ran, made } = counted("act", { requiresApproval: true });
    await using haft = await Haft.open({ tools: [made], principal, approver: () => answer as never });
    const [reply] = await haft.turn([raw("act")]);
    expect([reply?.failure?.code, ran]).toEqual(["approval_denied", []]);
  });
});

describe("an instance of a hydrated class", () => {
  it("is replaced by a new one with the validated arguments if it was changed", async () => {
    const acted: unknown[] = [];
    class Pay {
      n: number;
      constructor({ n }: { readonly n: number }) {
        this.n = n;
      }
      run() {
        acted.push(this.n);
        return this.n;
      }
    }
    await using haft = await Haft.open({
      tools: [Tool({ name: "pay", description: "Pays", input: number })(Pay)],
      principal,
    });
    const [result] = await haft.hydrate([raw("pay", '{"n":1}')]);
    (result?.tool as unknown as { n: number }).n = 999;
    expect(await result?.tool?.run()).toBe(1);
    expect(acted).toEqual([1]);
  });
});

describe("a late call", () => {
  it("is recorded if its signal was aborted before", async () => {
    const { ran, made } = counted("act");
    await using haft = await Haft.open({ tools: [made], principal });
    await expect(haft.call("act", {}, { signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: "cancelled",
    });
    expect(await haft.log()).toMatchObject([
      { tool: "act", ending: "failed", code: "cancelled", ran: false },
    ]);
    expect(ran).toEqual([]);
  });

  it("is answered if it was hydrated before the runtime was closed", async () => {
    const { ran, made } = counted("act");
    const haft = await Haft.open({ tools: [made], principal });
    const [result] = await haft.hydrate([raw("act")]);
    await haft.close();
    expect(await result?.reply?.()).toMatchObject({ id: "1", ok: false, failure: { code: "cancelled" } });
    expect(ran).toEqual([]);
  });
});

it("a hydrated call that was pending returns its result after the approval", async () => {
  const { ran, made } = counted("act", { requiresApproval: true });
  await using haft = await Haft.open({ tools: [made], principal, approver: () => undefined });
  const [result] = await haft.hydrate([raw("act")]);
  const waiting = await result?.reply?.();
  expect((await result?.reply?.())?.pending).toBe(waiting?.pending);
  await haft.resume(waiting?.pending?.id ?? "", { kind: "allow" });
  expect(await result?.reply?.()).toMatchObject({ id: "1", tool: "act", ok: true, value: "done" });
  expect(await result?.tool?.run()).toBe("done");
  expect(ran).toHaveLength(1);
});

it("layers that are removed from a list after it was passed still apply", async () => {
  const { ran, made } = counted("act");
  const layers = [asyncLayer(async () => failed({ code: "failed", message: "held" }))];
  await using haft = await Haft.open({ tools: [made], principal, layers });
  layers.length = 0;
  expect((await haft.turn([raw("act")]))[0]?.failure?.message).toBe("held");
  expect(ran).toEqual([]);
});

it("a tool whose code is a generator is refused at definition", () => {
  const define = () =>
    tool({ name: "gen", description: "Gives", input: none, run: async function* () {} as never });
  expect(define).toThrow(/generator/);
});
