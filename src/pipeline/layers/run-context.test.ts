import * as Deferred from "effect/Deferred";
import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import { expect, test } from "vitest";
import { createTestCall, createTestScope } from "../../../test/contracts/test-call.ts";
import { testLayerLaws } from "../../../test/contracts/test-layer-laws.ts";
import type { RunScope } from "../../types/call.ts";
import { failed, type Outcome, rewrite, succeeded } from "../../types/outcome.ts";
import type { Handler, ToolLayer } from "../../types/tool.ts";
import { agentContext } from "./agent-context.ts";
import { type ContextOptions, runContext } from "./run-context.ts";

const passing: ContextOptions<number> = {
  initial: () => 0,
  step: (count, _call, outcome) => [count + 1, outcome],
};
testLayerLaws("runContext", () => runContext(passing));
testLayerLaws("agentContext", () => agentContext(passing));

/** Answers each call with the number of earlier calls. */
const numbering: ContextOptions<number> = {
  initial: () => 0,
  step: (count) => [count + 1, succeeded(count)],
};

const next: Handler = () => Effect.succeed(succeeded("inner"));

const ask = async (layer: ToolLayer, run: RunScope): Promise<unknown> => {
  const outcome = await Effect.runPromise(
    layer(next)(createTestCall({ scope: run, principal: { agent: "caller" } })),
  );
  return outcome._tag === "value" ? outcome.value : outcome._tag;
};

test("keeps the state of each run apart, even with the same run id", async () => {
  const layer = runContext(numbering);
  const [one, other] = [createTestScope("r", "a"), createTestScope("r", "a")];
  expect([await ask(layer, one), await ask(layer, one), await ask(layer, other)]).toEqual([0, 1, 0]);
});

test("keeps the state of an agent across runs", async () => {
  const layer = agentContext(numbering);
  const seen = [
    await ask(layer, createTestScope("1", "a")),
    await ask(layer, createTestScope("2", "a")),
    await ask(layer, createTestScope("3", "b")),
    await ask(layer, createTestScope("4", undefined)),
    await ask(layer, createTestScope("5", "caller")),
  ];
  expect(seen).toEqual([0, 1, 0, 0, 1]);
});

test("drops the state of the least recently used agent above max", async () => {
  const layer = agentContext({ ...numbering, max: 2 });
  const seen: unknown[] = [];
  for (const agent of ["a", "b", "a", "c", "a", "b"])
    seen.push(await ask(layer, createTestScope("r", agent)));
  expect(seen).toEqual([0, 0, 1, 0, 2, 0]);
});

test.each([
  ["runContext", runContext],
  ["agentContext", agentContext],
])("loses no update of %s in parallel calls and does not serialize them", async (_name, make) => {
  const scope = createTestScope("r", "a");
  const states: number[] = [];
  let inside = 0;
  await Effect.runPromise(
    Effect.gen(function* () {
      const gate = yield* Deferred.make<void>();
      const layer = make<number>({
        initial: () => 0,
        step: (count, _call, outcome) => {
          states.push(count + 1);
          return [count + 1, outcome];
        },
      });
      const handler = layer(() => {
        inside++;
        return Effect.as(Deferred.await(gate), succeeded(1));
      });
      const fibers = yield* Effect.forEach(Array.from({ length: 100 }), () =>
        Effect.forkChild(handler(createTestCall({ scope })), { startImmediately: true }),
      );
      expect(inside).toBe(100);
      yield* Deferred.succeed(gate, undefined);
      yield* Fiber.awaitAll(fibers);
    }),
  );
  expect(states).toEqual(Array.from({ length: 100 }, (_each, i) => i + 1));
});

test("passes failures to step, which may replace them", async () => {
  const layer = runContext<string[]>({
    initial: () => [],
    step: (seen, call, outcome) => {
      const word = outcome._tag === "failure" ? outcome.failure.code : outcome._tag;
      const all = [...seen, `${call.registration.key} ${word}`];
      return [all, rewrite(all, outcome)];
    },
  });
  const scope = createTestScope("r", "a");
  const no: Outcome = failed({ code: "failed", message: "no" });
  const answer = await Effect.runPromise(layer(() => Effect.succeed(no))(createTestCall({ scope })));
  expect(answer).toEqual(rewrite(["get_weather failed"], no));
});

test("keeps the state when step throws", async () => {
  const scope = createTestScope("r", "a");
  const layer = runContext<number>({
    initial: () => 0,
    step: (count, call) => {
      if (call.request.raw.id === "bad") throw new Error("broken");
      return [count + 1, succeeded(count)];
    },
  });
  const handler = layer(next);
  await Effect.runPromise(handler(createTestCall({ scope })));
  await Effect.runPromise(Effect.exit(handler(createTestCall({ scope, id: "bad" }))));
  expect(await Effect.runPromise(handler(createTestCall({ scope })))).toEqual(succeeded(1));
});
