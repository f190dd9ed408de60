import { Haft, type Principal, tool } from "haft";
import { describe, expect, it } from "vitest";

const principal: Principal = { agent: "tester", allow: ["*"] };
const allowed = { effect: "allow", tools: ["*"] } as const;
const counting = { rules: [allowed, { effect: "deny", tools: ["*"], spent: { cost: 30 } } as const] };

const tick = () => new Promise<void>((resolve) => setImmediate(resolve));
/** Long enough for every call that may start to start. */
const settle = async () => {
  for (let times = 0; times < 20; times++) await tick();
};

/** Calls whose code ends on demand. */
const world = async (policy: { readonly rules: readonly object[] }, maxCost?: number) => {
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const buy = tool({
    name: "buy",
    description: "Buys",
    input: { type: "object", properties: { what: { type: "string" } }, required: ["what"] } as const,
    ...(maxCost === undefined ? {} : { maxCost }),
    run: ({ what }) => {
      started.push(what);
      return new Promise<string>((resolve) => ends.set(what, () => resolve(what)));
    },
  });
  const haft = await Haft.open({ tools: [buy], principal, policy: policy as never });
  const calls = ["a", "b", "c"].map((id) => ({ id, tool: "buy", input: JSON.stringify({ what: id }) }));
  const end = async (what: string) => {
    ends.get(what)?.();
    await settle();
  };
  return { haft, calls, started, end };
};

describe("calls of one turn, of a tool without maxCost", () => {
  it("start one after another in their order when a rule counts the cost", async () => {
    const { haft, calls, started, end } = await world(counting);
    const replies = haft.turn(calls);
    await settle();
    expect(started).toEqual(["a"]);
    await end("a");
    expect(started).toEqual(["a", "b"]);
    await end("b");
    await end("c");
    expect((await replies).map(({ value }) => value)).toEqual(["a", "b", "c"]);
    expect(started).toEqual(["a", "b", "c"]);
  });

  it("start at the same time when no rule counts the cost", async () => {
    const { haft, calls, started, end } = await world({ rules: [allowed] });
    const replies = haft.turn(calls);
    await settle();
    expect(started).toEqual(["a", "b", "c"]);
    for (const { id } of calls) await end(id);
    expect((await replies).every(({ ok }) => ok)).toBe(true);
  });

  it("start at the same time when the tool has a maxCost", async () => {
    const { haft, calls, started, end } = await world(counting, 1);
    const replies = haft.turn(calls);
    await settle();
    expect(started).toEqual(["a", "b", "c"]);
    for (const { id } of calls) await end(id);
    expect((await replies).every(({ ok }) => ok)).toBe(true);
  });

  it("do not wait for calls of another turn", async () => {
    const { haft, calls, started, end } = await world(counting);
    const [a, b] = calls;
    const one = haft.turn([a!]);
    const other = haft.turn([b!]);
    await settle();
    expect(started.toSorted()).toEqual(["a", "b"]);
    await end("a");
    await end("b");
    expect([(await one)[0]?.ok, (await other)[0]?.ok]).toEqual([true, true]);
  });
});

it("a call that is cancelled while it is queued never runs, and the next one starts", async () => {
  const { haft, started, end } = await world(counting);
  const stop = new AbortController();
  const outer = tool({
    name: "outer",
    description: "Buys three at once",
    input: [],
    maxCost: 0,
    run: async (_, parent) => {
      const buy = (what: string, signal?: AbortSignal) =>
        haft.call("buy", { what }, { parent, ...(signal === undefined ? {} : { signal }) });
      const ended = [buy("a"), buy("b", stop.signal), buy("c")].map((one) =>
        one.then(String, (error: { readonly code: string }) => error.code),
      );
      return Promise.all(ended);
    },
  });
  haft.register(outer);
  const reply = haft.call(outer, {});
  await settle();
  expect(started).toEqual(["a"]);
  stop.abort();
  await settle();
  expect(started).toEqual(["a"]);
  await end("a");
  expect(started).toEqual(["a", "c"]);
  await end("c");
  expect(await reply).toEqual(["a", "cancelled", "c"]);
  const entry = (await haft.log({ tool: "buy" })).find(({ code }) => code === "cancelled");
  expect(entry).toMatchObject({ ending: "failed", ran: false, tool: "buy" });
});
