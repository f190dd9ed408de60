import { Haft, type Repairer, tool } from "haft";
import { authorize, type ToolLayer } from "haft/layers";
import { describe, expect, it } from "vitest";

const principal = { agent: "tester", allow: ["*"] };
const number = { type: "object", properties: { n: { type: "number" } }, required: ["n"] } as const;
const raw = (input: unknown = '{"n":1}') => ({ id: "1", tool: "work", input });

const working = () => {
  const ran: unknown[] = [];
  const work = tool({
    name: "work",
    description: "Works",
    input: number,
    annotations: { readOnly: true },
    run: (input) => {
      ran.push(input);
      return "done";
    },
  });
  return { work, ran };
};

/** Replaces the authorized input. */
const changing =
  (input: unknown): ToolLayer =>
  (next) =>
  (call) =>
    next({ ...call, input } as never);

describe("repairer", () => {
  const world = async (repairer: Repairer, config = {}) => {
    const { work, ran } = working();
    const haft = await Haft.open({ tools: [work], principal, config });
    const call = async (options = {}) => {
      const [reply] = await haft.turn([raw('{"n":"one"}')], { repair: "model", repairer, ...options });
      const [row] = await haft.log();
      return { code: reply?.failure?.code, text: reply?.text, kept: row?.code, notes: row?.notes, ran };
    };
    return { call };
  };

  it("receives the problem, and its arguments are used", async () => {
    const problems: string[] = [];
    const { call } = await world(async ({ problem }) => {
      problems.push(problem);
      return '{"n":2}';
    });
    expect(await call()).toMatchObject({ code: undefined, ran: [{ n: 2 }] });
    expect(problems).toEqual([expect.stringContaining("/n")]);
  });

  it("leaves the original error and a note when its arguments are invalid", async () => {
    const { call } = await world(async () => '{"m":2}');
    const { code, text, notes, ran } = await call();
    expect([code, ran]).toEqual(["invalid_input", []]);
    expect(text).toContain("/n");
    expect(notes).toEqual(["repair: the repairer's arguments are not valid either"]);
  });

  it("leaves the original error without a note when it returns no text", async () => {
    const { call } = await world(async () => undefined as never);
    expect(await call()).toMatchObject({ code: "invalid_input", notes: [], ran: [] });
  });

  it("leaves the original error and a note when it times out", async () => {
    const { call } = await world(() => new Promise(() => undefined), { execution: { defaultTimeoutMs: 1 } });
    expect(await call()).toMatchObject({
      code: "invalid_input",
      notes: ["repair: the repairer did not answer in time"],
      ran: [],
    });
  });

  it("is abandoned when the call is cancelled", async () => {
    const abort = new AbortController();
    const asked = Promise.withResolvers<AbortSignal | undefined>();
    const { call } = await world((_, options) => {
      asked.resolve(options?.signal);
      return new Promise(() => undefined);
    });
    const reply = call({ signal: abort.signal });
    const given = await asked.promise;
    abort.abort();
    expect(await reply).toMatchObject({ code: "cancelled", kept: "cancelled", ran: [] });
    expect(given?.aborted).toBe(true);
  });
});

describe("layer that throws before the code runs", () => {
  const thrown = [new Error("bug"), "bug", Object.create(null)];
  const breaking = (error: unknown) => () => {
    throw error;
  };

  it("reports layer_broke from its approval function, its setup and its handler", async () => {
    for (const layer of thrown.flatMap((error) => [
      authorize(breaking(error)),
      breaking(error) as ToolLayer,
      (() => breaking(error)) as ToolLayer,
    ])) {
      const { work, ran } = working();
      const haft = await Haft.open({ tools: [work.layer(layer)], principal });
      const [reply] = await haft.turn([raw()]);
      expect(reply?.failure).toMatchObject({ code: "layer_broke", tool: "work" });
      expect(reply?.failure?.ran ?? false).toBe(false);
      expect(ran).toEqual([]);
      expect(await haft.log()).toMatchObject([{ ending: "failed", code: "layer_broke", ran: false }]);
    }
  });
});

describe("input that a layer has replaced", () => {
  it("is refused when it breaks the schema", async () => {
    const { work, ran } = working();
    const haft = await Haft.open({ tools: [work.layer(changing({ n: "many" }))], principal });
    const [reply] = await haft.turn([raw()]);
    expect([reply?.failure?.code, ran]).toEqual(["invalid_input", []]);
  });

  it("is passed to the approval layers again, which may edit it", async () => {
    const seen: unknown[] = [];
    const editing = authorize(({ input }) => {
      seen.push(input);
      return (input as { n: number }).n === 2 ? { kind: "edit", input: { n: 3 } } : { kind: "allow" };
    });
    const { work, ran } = working();
    const haft = await Haft.open({ tools: [work.layer(changing({ n: 2 }), editing)], principal });
    const [reply] = await haft.turn([raw()]);
    expect([reply?.ok, ran]).toEqual([true, [{ n: 3 }]]);
    expect(seen).toContainEqual({ n: 2 });
  });

  it("stops the call when an approval layer throws", async () => {
    const breaking = authorize(({ input }) => {
      if ((input as { n: number }).n === 2) throw new Error("bug");
      return { kind: "allow" };
    });
    const { work, ran } = working();
    const haft = await Haft.open({ tools: [work.layer(changing({ n: 2 }), breaking)], principal });
    const [reply] = await haft.turn([raw()]);
    expect([reply?.failure?.code, ran]).toEqual(["layer_broke", []]);
  });
});
