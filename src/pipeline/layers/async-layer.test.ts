import * as Cause from "effect/Cause";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import { Haft, tool } from "haft";
import { describe, expect, it } from "vitest";
import { createTestCall } from "../../../test/contracts/test-call.ts";
import { testLayerLaws } from "../../../test/contracts/test-layer-laws.ts";
import { failed, type Outcome, rewrite, succeeded } from "../../types/outcome.ts";
import type { Handler } from "../../types/tool.ts";
import { asyncLayer } from "./async-layer.ts";

const passing = () => asyncLayer((call, next) => next(call));

testLayerLaws("asyncLayer", passing);

/** Answers each call with its number. */
const counting = () => {
  const inputs: unknown[] = [];
  const next: Handler = (call) =>
    Effect.sync(() => {
      inputs.push(call.input);
      return succeeded(inputs.length);
    });
  return { inputs, next };
};

const defectOf = (exit: Exit.Exit<Outcome>): unknown =>
  Exit.isFailure(exit) ? exit.cause.reasons.filter(Cause.isDieReason)[0]?.defect : undefined;

describe("layer written with promises", () => {
  it("can call next several times, in sequence and in parallel", async () => {
    const { inputs, next } = counting();
    const twice = asyncLayer(async (call, inner) => {
      const first = await inner(call);
      const both = await Promise.all([inner(call), inner(call)]);
      return succeeded([first, ...both].map((outcome) => outcome._tag === "value" && outcome.value));
    });
    expect(await Effect.runPromise(twice(next)(createTestCall()))).toEqual(succeeded([1, 2, 3]));
    expect(inputs).toHaveLength(3);
  });

  it("can answer without calling next", async () => {
    const { inputs, next } = counting();
    const instead = asyncLayer(async () => succeeded("instead"));
    expect(await Effect.runPromise(instead(next)(createTestCall()))).toEqual(succeeded("instead"));
    expect(inputs).toEqual([]);
  });

  it("can change the call and the outcome", async () => {
    const { inputs, next } = counting();
    const changing = asyncLayer(async (call, inner) =>
      rewrite("told", await inner({ ...call, input: { city: "Bergen" } })),
    );
    expect(await Effect.runPromise(changing(next)(createTestCall()))).toEqual(rewrite("told", succeeded(1)));
    expect(inputs).toEqual([{ city: "Bergen" }]);
  });

  it("receives failures as outcomes", async () => {
    const no: Outcome = failed({ code: "failed", message: "no" });
    const seen: Outcome[] = [];
    const watching = asyncLayer(async (call, inner) => {
      const outcome = await inner(call);
      seen.push(outcome);
      return outcome;
    });
    expect(await Effect.runPromise(watching(() => Effect.succeed(no))(createTestCall()))).toBe(no);
    expect(seen).toEqual([no]);
  });

  it.each<[string, () => Promise<Outcome>]>([
    ["rejects", () => Promise.reject(new Error("layer"))],
    [
      "throws synchronously",
      () => {
        throw new Error("layer");
      },
    ],
  ])("dies with a defect when it %s", async (_, body) => {
    const { inputs, next } = counting();
    const exit = await Effect.runPromiseExit(asyncLayer(body)(next)(createTestCall()));
    expect(defectOf(exit)).toMatchObject({ message: "layer" });
    expect(inputs).toEqual([]);
  });

  it("can catch a defect of the inner handler", async () => {
    const repairing = asyncLayer(async (call, inner) =>
      inner(call).catch((error: unknown) => succeeded(`caught ${error}`)),
    );
    const outcome = await Effect.runPromise(repairing(() => Effect.die("broken"))(createTestCall()));
    expect(outcome).toEqual(succeeded("caught broken"));
  });
});

it("reports layer_broke to the operator and a generic message to the model when a layer rejects", async () => {
  let ran = 0;
  const work = tool({
    name: "work",
    description: "Works",
    input: { type: "object" } as const,
    run: () => ++ran,
    layers: [asyncLayer(() => Promise.reject(new Error("layer")))],
  });
  const haft = await Haft.open({ tools: [work], principal: { agent: "tester", allow: ["*"] } });
  const [reply] = await haft.turn([{ id: "1", tool: "work", input: "{}" }]);
  expect(reply?.failure).toMatchObject({ code: "layer_broke", detail: "layer" });
  expect(reply?.text).toBe('Error: The tool "work" is not available right now. Continue without it.');
  expect(ran).toBe(0);
  expect(await haft.log()).toMatchObject([{ ending: "failed", code: "layer_broke" }]);
});
