import * as Effect from "effect/Effect";
import { agent, Haft, tool } from "haft";
import { retry } from "haft/layers";
import { expect, it } from "vitest";
import { library } from "../src/registry/library.ts";
import type { VariantComparison } from "../src/registry/variants/shadow.ts";
import { variants } from "../src/registry/variants.ts";
import { calls, says, scriptedModel } from "./kit/scripted-model.ts";

const principal = { agent: "demo", allow: ["*"] };

const weather = (celsius: number, more: object = {}) =>
  tool({
    name: "weather",
    description: "The weather of a city.",
    input: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
    output: { type: "object", properties: { celsius: { type: "number" } }, required: ["celsius"] },
    annotations: { readOnly: true },
    run: async () => ({ celsius }),
    ...more,
  } as never);

it("a call of a tool with variants passes the pipeline like any other", async () => {
  const broken = weather(0, { run: () => ({ celsius: "cold" }) });
  const made = variants(
    { good: weather(1), broken },
    { pick: { sticky: (_, given) => (given as { city: string }).city, weights: { good: 1, broken: 1 } } },
  );
  const haft = await Haft.open({ principal, tools: [made] });
  const cities = Array.from({ length: 30 }, (_, index) => `city-${index}`);
  const outcomes = await Promise.all(
    cities.map((city) =>
      haft.call("weather", { city }).then(
        () => "answered",
        (error) => error.code,
      ),
    ),
  );
  expect(new Set(outcomes)).toEqual(new Set(["answered", "invalid_output"]));
  await expect(haft.call("weather", { city: 5 })).rejects.toMatchObject({ code: "invalid_input" });
  await haft.close();
});

it("all attempts of a call use one variant", async () => {
  const tried = new Map<string, Set<string>>();
  let attempts = 0;
  const failing = (name: string) =>
    weather(0, {
      run: (_: unknown, { callId }: { callId: string }) => {
        attempts++;
        tried.set(callId, (tried.get(callId) ?? new Set()).add(name));
        return Effect.fail(new Error("not now"));
      },
    });
  const made = variants({ a: failing("a"), b: failing("b") }, { pick: { weights: { a: 1, b: 1 } } });
  const haft = await Haft.open({ principal, tools: [made.layer(retry({ attempts: 4, base: 0 }))] });
  await Promise.allSettled(Array.from({ length: 20 }, () => haft.call("weather", { city: "Oslo" })));
  expect(attempts).toBeGreaterThan(20);
  expect([...tried.values()].map((names) => names.size)).toEqual(Array.from({ length: 20 }, () => 1));
  expect(new Set([...tried.values()].flatMap((names) => [...names]))).toEqual(new Set(["a", "b"]));
  await haft.close();
});

it("an agent's spec is bound to the variants of the library, and the shadow result is only reported", async () => {
  const reported = Promise.withResolvers<VariantComparison>();
  const made = variants(
    { live: weather(21), planned: weather(22) },
    { shadow: { answer: "live", compare: "planned", onCompared: reported.resolve } },
  );
  const model = scriptedModel([calls(["weather", { city: "Oslo" }]), says("Mild.")]);
  const haft = await Haft.open({ principal });
  const greeter = agent({ name: "helper", instructions: "Be brief.", model, tools: [weather(0).spec] });
  const response = await haft.run(greeter, "Oslo?", { library: library({ weather: made }) });
  expect(response.toolsUsed[0]?.result).toEqual({ celsius: 21 });
  expect(await reported.promise).toMatchObject({
    tool: "weather",
    equal: false,
    compared: { value: { celsius: 22 } },
  });
  await haft.close();
});
