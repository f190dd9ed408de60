import * as Effect from "effect/Effect";
import { describe, expect, test } from "vitest";
import { createTestCall, createTestScope } from "../../../test/contracts/test-call.ts";
import type { Handler, ToolLayer } from "../../types/layer.ts";
import { failed, final, type Outcome, rewrite, succeeded } from "../../types/outcome.ts";
import { agentContext } from "./agent-context.ts";
import { asyncLayer } from "./async-layer.ts";
import { retry } from "./retry.ts";
import { type ContextOptions, runContext } from "./run-context.ts";

const heard: string[] = [];

/** Says its name and what it was asked about, and adds itself to the value. */
const naming = (name: string): ContextOptions<number> => ({
  initial: () => 0,
  step: (count, _call, outcome) => {
    heard.push(`${name} ${outcome._tag === "value" ? outcome.value : outcome._tag}`);
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
  heard.length = 0;
  const call = createTestCall({ scope: createTestScope("r", "a"), annotations: { readOnly: true } });
  return Effect.runPromise(handler(call));
};
const value: Handler = () => Effect.succeed(succeeded("x"));
const said = (outcome: Outcome): unknown => (outcome._tag === "value" ? outcome.value : outcome._tag);

describe("a context around another", () => {
  test("is asked first, and the inner one is asked about what it answered", async () => {
    const outcome = await ask(runContext(naming("run"))(agentContext(naming("agent"))(value)));
    expect(heard).toEqual(["run x", "agent x>run"]);
    expect(said(outcome)).toBe("x>run>agent");
  });

  test("stops the inner one with a final", async () => {
    const outcome = await ask(runContext(ending)(agentContext(naming("agent"))(value)));
    expect(heard).toEqual([]);
    expect(outcome).toMatchObject({ value: "enough", flow: { kind: "final" } });
  });

  test("does not stop it where the tool itself ended the run", async () => {
    const done: Handler = () => Effect.succeed(final("x"));
    const passing: ContextOptions<number> = {
      initial: () => 0,
      step: (count, _, outcome) => [count, outcome],
    };
    await ask(runContext(passing)(agentContext(naming("agent"))(done)));
    expect(heard).toEqual(["agent x"]);
  });

  test("is asked first through any depth and through layers between them, by promises too", async () => {
    const between: ToolLayer[] = [
      asyncLayer(async (call, next) => next(call)),
      (next) => (call) => next(call),
    ];
    const inner = agentContext(naming("agent"))(runContext(naming("tool"))(value));
    await ask(runContext(naming("run"))(between[0]!(between[1]!(inner))));
    expect(heard).toEqual(["run x", "agent x>run", "tool x>run>agent"]);
  });
});

test("a context inside of a retry counts every attempt, and answers for the last", async () => {
  let attempts = 0;
  const flaky: Handler = () =>
    Effect.sync(() =>
      ++attempts < 3 ? failed({ code: "failed", message: "no", retryable: true }) : succeeded("x"),
    );
  const retrying = retry({ attempts: 3, base: 0 });
  const outcome = await ask(runContext(naming("run"))(retrying(agentContext(naming("agent"))(flaky))));
  expect(heard).toEqual(["agent failure", "agent failure", "run x", "agent x>run"]);
  expect(said(outcome)).toBe("x>run>agent");
});

test("a call that is made inside of another call's code has an order of its own", async () => {
  const other = createTestCall({ scope: createTestScope("r2", "b"), id: "inner" });
  const nested: Handler = () => Effect.map(agentContext(naming("inner"))(value)(other), () => succeeded("x"));
  await ask(runContext(naming("run"))(nested));
  expect(heard).toEqual(["inner x", "run x"]);
});
