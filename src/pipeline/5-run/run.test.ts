import * as Effect from "effect/Effect";
import { Haft, SandboxError, tool } from "haft";
import { succeeded, type ToolLayer } from "haft/layers";
import { describe, expect, it } from "vitest";
import * as z from "zod";

const principal = { agent: "tester", allow: ["*"] };
const twice: ToolLayer = (next) => (call) => Effect.flatMap(next(call), () => next(call));

describe("input transformed by the schema of the author", () => {
  it("is computed once per attempt", async () => {
    let made = 0;
    const counting = tool({
      name: "count",
      description: "Counts",
      input: z.object({ day: z.string().transform((text) => [++made, text] as const) }),
      annotations: { idempotent: true },
      run: ({ day }) => day[0],
    });
    const haft = await Haft.open({ tools: [counting], principal });
    expect(await haft.call("count", { day: "monday" })).toBe(1);
    expect(await haft.call("count", { day: "monday" }, { layers: [twice] })).toBe(3);
    expect(made).toBe(3);
  });

  it("is reused when the schema rejects the same input on a second attempt", async () => {
    let judged = 0;
    const fickle = tool({
      name: "count",
      description: "Counts",
      input: z.object({
        day: z
          .string()
          .refine(() => ++judged === 1)
          .transform((text) => text.toUpperCase()),
      }),
      annotations: { idempotent: true },
      run: ({ day }) => day,
    });
    const haft = await Haft.open({ tools: [fickle], principal });
    expect(await haft.call("count", { day: "monday" }, { layers: [twice] })).toBe("MONDAY");
  });
});

describe("value returned by the code", () => {
  it("is recorded when a later attempt fails and a layer answers instead", async () => {
    let starts = 0;
    const fickle = tool({
      name: "give",
      description: "Gives once",
      input: [],
      annotations: { idempotent: true },
      run: () => (++starts === 1 ? Promise.resolve("first") : Promise.reject(new Error("no more"))),
    });
    const covering: ToolLayer = (next) => (call) => Effect.as(twice(next)(call), succeeded("covered"));
    const haft = await Haft.open({ tools: [fickle], principal });
    expect(await haft.call("give", {}, { layers: [covering] })).toBe("covered");
    expect((await haft.log())[0]).toMatchObject({ result: '"covered"', original: '"first"' });
  });
});

describe("layer around failing code", () => {
  it.each<[string, () => unknown, boolean]>([
    ["rejects", () => Promise.reject(new Error("no")), true],
    ["dies", () => Effect.die("bug"), true],
    ["interrupts itself", () => Effect.interrupt, true],
    ["never answers", () => new Promise<never>(() => {}), true],
    [
      "fails with an error that does not say whether it ran",
      () => Effect.fail(new SandboxError("sandbox_failed", "no")),
      true,
    ],
    [
      "fails with an error that says that it did not run",
      () => Effect.fail(new SandboxError("sandbox_failed", "no", { ran: false })),
      false,
    ],
  ])("sees whether the code may have taken effect when it %s", async (_, run, ran) => {
    const reported: unknown[] = [];
    const listening: ToolLayer = (next) => (call) =>
      Effect.map(next(call), (outcome) => {
        reported.push(outcome._tag === "failure" ? outcome.failure.ran : outcome._tag);
        return outcome;
      });
    const bad = tool({ name: "bad", description: "Fails", input: [], timeout: "5 millis", run });
    const haft = await Haft.open({ tools: [bad.layer(listening)], principal });
    await haft.turn([{ id: "1", tool: "bad", input: "{}" }]);
    expect(reported).toEqual([ran]);
  });
});
