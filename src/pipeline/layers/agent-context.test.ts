import * as Effect from "effect/Effect";
import { expect, it } from "vitest";
import { createTestCall, createTestScope } from "../../../test/contracts/test-call.ts";
import { ToolError } from "../../types/errors.ts";
import { failed, type Outcome, succeeded } from "../../types/outcome.ts";
import type { Handler, ToolLayer } from "../../types/tool.ts";
import { agentContext } from "./agent-context.ts";

const inner: Handler = () => Effect.succeed(succeeded("inner"));

/** Answers each call with the number of earlier calls of the agent. */
const numbering = (max?: number): ToolLayer =>
  agentContext<number>({
    initial: () => 0,
    step: (count) => [count + 1, succeeded(count)],
    ...(max === undefined ? {} : { max }),
  });

const ask = (layer: ToolLayer, agent: string, next = inner): Promise<Outcome> =>
  Effect.runPromise(
    layer(next)(createTestCall({ scope: createTestScope("run", agent), principal: { agent: "caller" } })),
  );

it("keeps the state of each agent apart", async () => {
  const layer = numbering();
  const answers = [await ask(layer, "a"), await ask(layer, "b"), await ask(layer, "a")];
  expect(answers).toEqual([succeeded(0), succeeded(0), succeeded(1)]);
});

it("keeps the state of each layer apart", async () => {
  const [one, other] = [numbering(), numbering()];
  expect([await ask(one, "a"), await ask(other, "a")]).toEqual([succeeded(0), succeeded(0)]);
});

it.each(["__proto__", "constructor", ""])("accepts %j as an agent name", async (agent) => {
  const layer = numbering();
  expect([await ask(layer, agent), await ask(layer, agent)]).toEqual([succeeded(0), succeeded(1)]);
});

it("does not initialize again when the state is undefined", async () => {
  let starts = 0;
  const layer = agentContext<undefined>({
    initial: () => {
      starts++;
      return undefined;
    },
    step: (_, _call, outcome) => [undefined, outcome],
  });
  await ask(layer, "a");
  await ask(layer, "a");
  expect(starts).toBe(1);
});

it("passes failed calls to step", async () => {
  const codes: unknown[] = [];
  const layer = agentContext<number>({
    initial: () => 0,
    step: (count, _call, outcome) => {
      codes.push(outcome._tag === "failure" ? outcome.failure.code : outcome._tag);
      return [count + 1, outcome];
    },
  });
  await ask(layer, "a", () => Effect.succeed(failed({ code: "denied", message: "no" })));
  await ask(layer, "a");
  expect(codes).toEqual(["denied", "value"]);
});

it.each([0, -1, 1.5, Number.NaN])("refuses a max of %s", (max) => {
  expect(() => numbering(max)).toThrow("agentContext max");
  try {
    numbering(max);
  } catch (error) {
    expect(ToolError.is(error)).toBe(true);
  }
});

it("keeps the state of each tenant and user apart for the same agent", async () => {
  const layer = numbering();
  const parties = [
    {},
    { tenant: "t1" },
    { tenant: "t2" },
    { user: "u1" },
    { user: "u2" },
    { tenant: "t1", user: "u1" },
  ];
  const work = async (party: object): Promise<Outcome> => {
    const principal = { agent: "a", ...party };
    return Effect.runPromise(layer(inner)(createTestCall({ scope: createTestScope("run", "a"), principal })));
  };
  for (const party of parties) expect(await work(party)).toEqual(succeeded(0));
  for (const party of parties) expect(await work(party)).toEqual(succeeded(1));
});

it("uses the calling agent outside of an agent run", async () => {
  const layer = numbering();
  const of = (agent: string): Promise<Outcome> =>
    Effect.runPromise(
      layer(inner)(createTestCall({ scope: createTestScope("run", undefined), principal: { agent } })),
    );
  expect([await of("a"), await of("b"), await of("a")]).toEqual([succeeded(0), succeeded(0), succeeded(1)]);
});
