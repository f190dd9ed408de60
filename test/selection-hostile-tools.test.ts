import { pickTools } from "haft";
import { describe, expect, it } from "vitest";
import { toolIndex } from "../src/registry/selection/tool-index.ts";
import type { JsonSchema } from "../src/types/json.ts";
import { checkAnswers, checkHits, indexOfSpecs, sampleSpec, sampleSpecs } from "./kit/selection-checks.ts";

const million = 1_000_000;

const nested = (depth: number): JsonSchema => {
  let schema: JsonSchema = { type: "string", description: "weather at the bottom" };
  for (let level = 0; level < depth; level++)
    schema = {
      type: "object",
      properties: { [`level${level}`]: schema, items: { type: "array", items: schema } },
    };
  return schema;
};

const circular = (): JsonSchema => {
  const schema: Record<string, unknown> = { type: "object" };
  schema.properties = { self: schema, items: { type: "array", items: schema } };
  schema.$defs = { self: schema };
  return schema as JsonSchema;
};

/** Deeper than the call stack. */
const chain = (depth: number): JsonSchema => {
  let schema: JsonSchema = { type: "string" };
  for (let level = 0; level < depth; level++) schema = { type: "object", properties: { next: schema } };
  return schema;
};

describe("a tool with a hostile definition", () => {
  const wide = (count: number): JsonSchema => ({
    type: "object",
    properties: Object.fromEntries(
      Array.from({ length: count }, (_, at) => [
        `field_${at}`,
        { type: "string", description: `Part ${at}` },
      ]),
    ),
  });
  const inputs: readonly (readonly [string, JsonSchema])[] = [
    ["refers to itself", { $ref: "#", $defs: { node: { $ref: "#/$defs/node" } } }],
    ["contains itself", circular()],
    ["is eighteen levels deep, with two branches at each level", nested(18)],
    ["has a long chain of levels", chain(20_000)],
    ["has ten thousand parameters", wide(10_000)],
    [
      "allows ten thousand values",
      {
        type: "object",
        properties: { kind: { enum: Array.from({ length: 10_000 }, (_, at) => `kind ${at}`) } },
      },
    ],
    [
      "has odd parts",
      { type: "object", properties: { a: true, b: false, c: { type: ["string", "null"] } } } as JsonSchema,
    ],
    [
      "has parts that are not schemas",
      { properties: { a: null, b: 1, c: "text", d: [] }, enum: [null, {}, []] } as never,
    ],
    ["has properties that are not an object", { type: "object", properties: "all of them" } as never],
    [
      "names members of Object",
      JSON.parse('{"properties":{"__proto__":{"description":"weather"},"constructor":{}}}'),
    ],
  ];
  it.each(inputs)("whose input %s can be added, found by its name, and removed", async (_, input) => {
    const hostile = sampleSpec("hostile_tool", { input });
    const index = indexOfSpecs([...sampleSpecs, hostile]);
    expect(index.search("hostile", { limit: 1 })[0]?.key).toBe("hostile_tool");
    expect(index.search("weather of a city", { limit: 1 })[0]?.key).toBe("get_weather");
    expect(index.remove("hostile_tool")).toBe(true);
    expect(index.search("hostile", { limit: 5 })).toEqual([]);
    expect(index.size).toBe(sampleSpecs.length);
    const picked = await pickTools("hostile tool", [...sampleSpecs, hostile], { allowUnsafe: true });
    expect(picked[0]?.name).toBe("hostile_tool");
  });

  it("with a description of a million characters neither breaks the search nor displaces other tools", async () => {
    const loud = sampleSpec("loud", {
      description: "weather city today tomorrow forecast spam ".repeat(million / 42),
    });
    const noise = sampleSpec("noise", {
      description: "\ud83d\0'".repeat(million / 3),
      tags: ["x".repeat(million)],
    });
    const specs = [loud, noise, ...sampleSpecs];
    const index = indexOfSpecs(specs);
    checkHits(index.search("weather in a city", { limit: 5 }));
    expect(index.search("message to an address", { limit: 1 })[0]?.key).toBe("send_mail");
    expect(index.remove("loud") && index.remove("noise")).toBe(true);
    expect((await pickTools("sends a message", specs))[0]?.name).toBe("send_mail");
  });

  it("can have any name, and replaces another tool with the same key", () => {
    const names = ["", " ", "__proto__", "\0", "😀", "\ud83d", "a".repeat(100_000), "工具"];
    const index = toolIndex();
    for (const name of names) index.add(name, sampleSpec(name, { description: "weather" }));
    expect(index.size).toBe(names.length);
    expect(index.search("weather", { limit: 100 })).toHaveLength(names.length);
    for (const name of names) index.add(name, sampleSpec(name, { description: "penguin" }));
    expect(index.size).toBe(names.length);
    expect(index.search("weather", { limit: 100 })).toEqual([]);
    for (const name of names) expect(index.remove(name)).toBe(true);
    for (const name of names) expect(index.remove(name)).toBe(false);
    expect(index.size).toBe(0);
    expect(index.search("penguin", { limit: 100 })).toEqual([]);
  });

  it("is not changed by a search", async () => {
    const specs = sampleSpecs.map((spec) => Object.freeze({ ...spec }));
    const before = JSON.stringify(specs);
    await checkAnswers("weather __proto__", specs);
    expect(JSON.stringify(specs)).toBe(before);
  });
});
