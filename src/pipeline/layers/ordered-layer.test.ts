import * as Effect from "effect/Effect";
import { describe, expect, test } from "vitest";
import { createTestCall, createTestScope } from "../../../test/contracts/test-call.ts";
import { failed, final, type Outcome, rewrite, succeeded } from "../../types/outcome.ts";
import type { Handler, ToolLayer } from "../../types/tool.ts";
import { agentContext } from "./agent-context.ts";
import { asyncLayer } from "./async-layer.ts";
import { retry } from "./retry.ts";
import { type ContextOptions, runContext } from "./run-context.ts";

const received: string[] = [];

/** Records its name and the value it receives, and adds its name to the value. */
const naming = (name: string): ContextOptions<number> => ({
  initial: () => 0,
  step: (count, _call, outcome) => {
    received.push(`${name} ${outcome._tag === "value" ? outcome.value : outcome._tag}`);
    return [
      count + 1,
      outcome._tag === "value" ? rewrite(`${outcome.value}>${name}`, outcome.value) : outcome,
    ];
  },
});

const ending: ContextOptions<number> = {
  initial: () => 0,
  step: (count) => [count + 1, final("enough")],
};

const ask = (handler: Handler) => {
  received.length = 0;
  const call = createTestCall({ scope: createTestScope("r", "a"), annotations: { readOnly: true } });
  return Effect.runPromise(handler(call));
};
const value: Handler = () => Effect.succeed(succeeded("x"));
const said = (outcome: Outcome): unknown => (outcome._tag === "value" ? outcome.value : outcome._tag);

describe("context around another context", () => {
  test("steps first and passes its answer to the inner context", async () => {
    const outcome = await ask(runContext(naming("run"))(agentContext(naming("agent"))(value)));
    expect(received).toEqual(["run x", "agent x>run"]);
    expect(said(outcome)).toBe("x>run>agent");
  });

  test("skips the inner context when it returns a final value", async () => {
    const outcome = await ask(runContext(ending)(agentContext(naming("agent"))(value)));
    expect(received).toEqual([]);
    expect(outcome).toMatchObject({ value: "enough", flow: { kind: "final" } });
  });

  test("does not skip the inner context when the tool returns a final value", async () => {
    const done: Handler = () => Effect.succeed(final("x"));
    const passing: ContextOptions<number> = {
      initial: () => 0,
      step: (count, _, outcome) => [count, outcome],
    };
    await ask(runContext(passing)(agentContext(naming("agent"))(done)));
    expect(received).toEqual(["agent x"]);
  });

  test("steps first at any depth and through other layers", async () => {
    const between: ToolLayer[] = [
      asyncLayer(async (call, next) => next(call)),
      (next) => (call) => next(call),
    ];
    const inner = agentContext(naming("agent"))(runContext(naming("tool"))(value));
    await ask(runContext(naming("run"))(between[0]!(between[1]!(inner))));
    expect(received).toEqual(["run x", "agent x>run", "tool x>run>agent"]);
  });
});

test("steps an inner context for each attempt of a retry and the outer one for the last attempt", async () => {
  let attempts = 0;
  const flaky: Handler = () =>
    Effect.sync(() =>
      ++attempts < 3 ? failed({ code: "failed", message: "no", retryable: true }) : succeeded("x"),
    );
  const retrying = retry({ attempts: 3, base: 0 });
  const outcome = await ask(runContext(naming("run"))(retrying(agentContext(naming("agent"))(flaky))));
  expect(received).toEqual(["agent failure", "agent failure", "run x", "agent x>run"]);
  expect(said(outcome)).toBe("x>run>agent");
});

test("orders a call that another call makes separately", async () => {
  const other = createTestCall({ scope: createTestScope("r2", "b"), id: "inner" });
  const nested: Handler = () => Effect.map(agentContext(naming("inner"))(value)(other), () => succeeded("x"));
  await ask(runContext(naming("run"))(nested));
  expect(received).toEqual(["inner x", "run x"]);
});
