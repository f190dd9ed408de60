import * as Effect from "effect/Effect";
import { Haft, type PolicyOptions, tool } from "haft";
import { expect, test } from "vitest";
import { testLayerLaws } from "../../../test/contracts/test-layer-laws.ts";
import type { Handler, ToolLayer } from "../../types/tool.ts";
import { inputSchema } from "./input-schema.ts";

testLayerLaws("inputSchema", () => inputSchema("strict"));
testLayerLaws("lenient inputSchema", () => inputSchema("lenient"));

/** Replaces the authorized input. */
const changeTo =
  (input: unknown): ToolLayer =>
  (next: Handler): Handler =>
  (call) =>
    next({ ...call, input });

/** Calls a tool that requires a city, and returns what it received, the reply and the entry. */
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

test("runs a changed input that matches the schema, with defaults applied", async () => {
  const { seen, reply } = await ask([inputSchema(), changeTo({ city: "Rome" })]);
  expect(reply.value).toBe("ran");
  expect(seen).toEqual([{ city: "Rome", unit: "celsius" }]);
});

test("refuses a changed input that breaks the schema in strict mode, with the issues", async () => {
  const { seen, reply, entry } = await ask([inputSchema("strict"), changeTo({ city: 7 })]);
  expect(reply.failure).toMatchObject({ code: "invalid_input", issues: [{ pointer: "/city" }] });
  expect(reply.text).toContain("/city");
  expect(seen).toEqual([]);
  expect(entry).toMatchObject({ ending: "failed", ran: false });
});

test("refuses it in strict mode for a lenient tool", async () => {
  const { seen, reply } = await ask([inputSchema("strict"), changeTo({ city: 7 })], "lenient");
  expect(reply.failure?.code).toBe("invalid_input");
  expect(seen).toEqual([]);
});

test("runs a changed input that breaks the schema in lenient mode and adds a note", async () => {
  const { seen, reply, entry } = await ask([inputSchema("lenient"), changeTo({ city: 7 })]);
  expect(reply.value).toBe("ran");
  expect(seen).toEqual([{ city: 7 }]);
  expect(entry.notes).toContainEqual(expect.stringContaining("lenient input"));
});

test("denies a changed input that breaks the schema under a conditional rule, even in lenient mode", async () => {
  const policy: PolicyOptions = { rules: [{ effect: "allow", when: { required: ["city"] } }] };
  const good = await ask([inputSchema("lenient"), changeTo({ city: "Rome" })], "strict", policy);
  expect(good.reply.value).toBe("ran");
  const { seen, reply } = await ask([inputSchema("lenient"), changeTo({ city: 7 })], "strict", policy);
  expect(reply.failure?.code).toBe("denied");
  expect(seen).toEqual([]);
});

test("refuses a changed input that is not JSON in both modes", async () => {
  for (const mode of ["strict", "lenient"] as const) {
    const { seen, reply } = await ask([inputSchema(mode), changeTo({ city: "Rome", at: new Date(0) })]);
    expect(reply.failure?.code).toBe("unreadable_input");
    expect(seen).toEqual([]);
  }
});

test("leaves the mode of the tool in force when the layer is absent", async () => {
  expect((await ask([changeTo({ city: 7 })])).reply.failure?.code).toBe("invalid_input");
  expect((await ask([changeTo({ city: 7 })], "lenient")).reply.value).toBe("ran");
});

test("returns the inner handler unchanged", async () => {
  const next: Handler = () => Effect.succeed({} as never);
  expect(inputSchema()(next)).toBe(next);
});
