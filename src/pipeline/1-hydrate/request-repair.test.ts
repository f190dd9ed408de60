import { Haft, type Repairer, tool } from "haft";
import { describe, expect, it } from "vitest";

const principal = { agent: "tester", allow: ["*"] };

const world = async (repairer: Repairer) => {
  const saved: number[] = [];
  const asked: Parameters<Repairer>[0][] = [];
  const save = tool({
    name: "save",
    description: "Saves",
    input: { type: "object", properties: { stars: { type: "integer" } }, required: ["stars"] } as const,
    annotations: { readOnly: true },
    run: ({ stars }) => saved.push(stars),
  });
  const haft = await Haft.open({ tools: [save], principal });
  const asking: Repairer = (question, options) => {
    asked.push(question);
    return repairer(question, options);
  };
  const turn = async (raw: object, options: object = {}) => {
    const call = { id: "1", tool: "save", input: '{"stars":"five"}', ...raw };
    return (await haft.turn([call], { repair: "model", repairer: asking, ...options }))[0];
  };
  return { haft, saved, asked, turn };
};
const five: Repairer = async () => '{"stars":5}';

describe("repairer", () => {
  it("is called once with the text and the problem, and its answer is recorded", async () => {
    const { haft, saved, asked, turn } = await world(five);
    expect((await turn({}))?.ok).toBe(true);
    expect(asked).toMatchObject([{ spec: { name: "save" }, text: '{"stars":"five"}' }]);
    expect(asked[0]?.problem).toContain("/stars");
    expect(saved).toEqual([5]);
    expect((await haft.log())[0]?.provenance).toMatchObject({
      repaired: true,
      changes: [{ stage: "model", pointer: "", from: '{"stars":"five"}', to: '{"stars":5}' }],
    });
  });

  it.each<[string, object, object]>([
    ["when repair is off", {}, { repair: "off" }],
    ["when repair is deterministic", {}, { repair: "deterministic" }],
    ["for a truncated call", { finish: "incomplete" }, {}],
    ["for a call that is truncated according to a provider's finish reason", { finish: "length" }, {}],
    ["for an unknown tool", { tool: "savee" }, {}],
    ["for a call without an id", { id: "" }, {}],
  ])("is not called %s", async (_, raw, options) => {
    const { saved, asked, turn } = await world(five);
    expect((await turn(raw, options))?.ok).toBe(false);
    expect([asked, saved]).toEqual([[], []]);
  });

  it("leaves the original error when it fails or returns no text", async () => {
    for (const repairer of [
      async () => 5 as never,
      async () => undefined as never,
      () => Promise.reject(new Error("no model")),
    ] satisfies Repairer[]) {
      const { saved, turn } = await world(repairer);
      const reply = await turn({});
      expect(reply?.failure?.code).toBe("invalid_input");
      expect(reply?.failure?.message).toContain("stars");
      expect(saved).toEqual([]);
    }
  });

  it("receives an abort signal that fires when the call is cancelled", async () => {
    const asked = Promise.withResolvers<AbortSignal | undefined>();
    const { turn } = await world((_, options) => {
      asked.resolve(options?.signal);
      return new Promise<never>(() => {});
    });
    const stop = new AbortController();
    const replied = turn({}, { signal: stop.signal });
    const signal = await asked.promise;
    expect(signal?.aborted).toBe(false);
    stop.abort();
    expect((await replied)?.failure?.code).toBe("cancelled");
    expect(signal?.aborted).toBe(true);
  });
});
