import * as Effect from "effect/Effect";
import { Haft, type PolicyOptions, tool } from "haft";
import { expect, test } from "vitest";
import { testLayerLaws } from "../../../test/contracts/test-layer-laws.ts";
import type { Handler, ToolLayer } from "../../types/layer.ts";
import { inputSchema } from "./input-schema.ts";

testLayerLaws("inputSchema", () => inputSchema("strict"));
testLayerLaws("lenient inputSchema", () => inputSchema("lenient"));

/** Puts another input in place of the one that was granted. */
const changeTo =
  (input: unknown): ToolLayer =>
  (next: Handler): Handler =>
  (call) =>
    next({ ...call, input });

/** What a tool that wants a city got, and what its caller and the ledger were told, under these layers. */
const ask = async (
  layers: readonly ToolLayer[],
  validate: "strict" | "lenient" = "strict",
  policy: PolicyOptions = {},
) => {
  const seen: unknown[] = [];
  const weather = tool({
    name: "weather",
    description: "Weather of a city",
    input: {
      type: "object",
      properties: { city: { type: "string" }, unit: { type: "string", default: "celsius" } },
      required: ["city"],
    },
    validate,
    run: (input) => {
      seen.push(input);
      return "ran";
    },
  });
  const haft = await Haft.open({
    tools: [weather.layer(...layers)],
    principal: { agent: "tester", allow: ["*"] },
    policy,
  });
  const [reply] = await haft.turn([{ id: "1", tool: "weather", input: { city: "Oslo" } }]);
  const [entry] = await haft.log();
  await haft.close();
  return { seen, reply: reply!, entry: entry! };
};

test("a changed input that keeps to the schema runs, with its defaults filled in", async () => {
  const { seen, reply } = await ask([inputSchema(), changeTo({ city: "Rome" })]);
  expect(reply.value).toBe("ran");
  expect(seen).toEqual([{ city: "Rome", unit: "celsius" }]);
});

test("strict refuses a changed input that breaks the schema, with the place and the reason", async () => {
  const { seen, reply, entry } = await ask([inputSchema("strict"), changeTo({ city: 7 })]);
  expect(reply.failure).toMatchObject({ code: "invalid_input", issues: [{ pointer: "/city" }] });
  expect(reply.text).toContain("/city");
  expect(seen).toEqual([]);
  expect(entry).toMatchObject({ ending: "failed", ran: false });
});

test("strict refuses it for a tool that is lenient otherwise", async () => {
  const { seen, reply } = await ask([inputSchema("strict"), changeTo({ city: 7 })], "lenient");
  expect(reply.failure?.code).toBe("invalid_input");
  expect(seen).toEqual([]);
});

test("lenient lets a changed input that breaks the schema run, and the ledger says so", async () => {
  const { seen, reply, entry } = await ask([inputSchema("lenient"), changeTo({ city: 7 })]);
  expect(reply.value).toBe("ran");
  expect(seen).toEqual([{ city: 7 }]);
  expect(entry.notes).toContainEqual(expect.stringContaining("lenient input"));
});

test("a changed input that breaks the schema meets no permission that has a condition, though lenient lets it pass", async () => {
  const policy: PolicyOptions = { rules: [{ effect: "allow", when: { required: ["city"] } }] };
  const good = await ask([inputSchema("lenient"), changeTo({ city: "Rome" })], "strict", policy);
  expect(good.reply.value).toBe("ran");
  const { seen, reply } = await ask([inputSchema("lenient"), changeTo({ city: 7 })], "strict", policy);
  expect(reply.failure?.code).toBe("denied");
  expect(seen).toEqual([]);
});

test("a changed input that is not JSON is refused by either", async () => {
  for (const mode of ["strict", "lenient"] as const) {
    const { seen, reply } = await ask([inputSchema(mode), changeTo({ city: "Rome", at: new Date(0) })]);
    expect(reply.failure?.code).toBe("unreadable_input");
    expect(seen).toEqual([]);
  }
});

test("without the layer, a changed input is held against the schema as the tool says", async () => {
  expect((await ask([changeTo({ city: 7 })])).reply.failure?.code).toBe("invalid_input");
  expect((await ask([changeTo({ city: 7 })], "lenient")).reply.value).toBe("ran");
});

test("the layer itself changes nothing on its way in or out", async () => {
  const next: Handler = () => Effect.succeed({} as never);
  expect(inputSchema()(next)).toBe(next);
});
