import { type } from "arktype";
import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Schema from "effect/Schema";
import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { effectOf } from "../../test/kit/effect-of.ts";
import type { CallContext } from "../types/call.ts";
import { ToolDefinitionError } from "../types/errors.ts";
import type { AnyLayer, AnyTool, Implementation } from "../types/tool.ts";
import { tool } from "./tool.ts";

const context = {} as CallContext;

/** Validates and runs a tool like the pipeline, without the pipeline. */
const answer = (subject: AnyTool, input: unknown): Effect.Effect<unknown, unknown, never> => {
  const validation = subject.input(input);
  if (!validation.ok) return Effect.fail(validation.issues);
  return effectOf(subject.implementation.bind(subject.spec)(validation.value, context)) as Effect.Effect<
    unknown,
    unknown
  >;
};

const weather = {
  name: "get_weather",
  description: "Current weather for a city",
  input: z.object({ city: z.string() }),
  run: ({ city }: { city: string }) => `Sun over ${city}`,
};

describe("tool()", () => {
  it("copies and freezes lists of the definition", () => {
    const tags = ["a"];
    const layers: AnyLayer[] = [];
    const subject = tool({ ...weather, tags, layers });
    tags.push("b");
    layers.push((next) => next);
    expect(subject.spec.tags).toEqual(["a"]);
    expect(subject.layers).toEqual([]);
    expect(Object.isFrozen(subject)).toBe(true);
    expect(Object.isFrozen(subject.layers)).toBe(true);
  });

  it("adds layers to a copy, the last one outermost", () => {
    const [one, two, three]: AnyLayer[] = [(next) => next, (next) => next, (next) => next];
    const plain = tool({ ...weather, layers: [one as AnyLayer] });
    const layered = plain.layer(two as AnyLayer).layer(three as AnyLayer);
    expect(plain.layers).toEqual([one]);
    expect(layered.layers).toEqual([one, two, three]);
    expect(layered.spec).toBe(plain.spec);
  });

  it("renames a copy and rejects an invalid name", () => {
    const subject = tool(weather);
    const renamed = subject.withName("forecast");
    expect(renamed.spec).toEqual({ ...subject.spec, name: "forecast" });
    expect(subject.spec.name).toBe("get_weather");
    expect(renamed.implementation).toBe(subject.implementation);
    expect(() => subject.withName("no spaces")).toThrow(ToolDefinitionError);
  });

  it("supports values, promises and Effects", async () => {
    const input = z.object({ n: z.number() });
    const answers = [
      tool({ name: "value", description: "A value", input, run: ({ n }) => n + 1 }),
      tool({ name: "promise", description: "A promise", input, run: async ({ n }) => n + 1 }),
      tool({ name: "effect", description: "An Effect", input, run: ({ n }) => Effect.succeed(n + 1) }),
    ];
    for (const subject of answers) expect(await Effect.runPromise(answer(subject, { n: 1 }))).toBe(2);
  });

  it("may need services that are provided at run time", () => {
    class Clouds extends Context.Service<Clouds, { readonly cover: number }>()("test/Clouds") {}
    const subject = tool({
      name: "clouds",
      description: "How cloudy it is",
      input: Schema.Struct({ factor: Schema.Number }),
      run: ({ factor }) => Effect.map(Clouds, ({ cover }) => cover * factor),
    });
    const effect = effectOf(subject.implementation.bind(subject.spec)({ factor: 2 }, context));
    expect(Effect.runSync(Effect.provideService(effect, Clouds, { cover: 4 }))).toBe(8);
  });

  it.each([
    ["zod", z.object({ city: z.string(), days: z.number().default(3) })],
    ["valibot", v.object({ city: v.string(), days: v.optional(v.number(), 3) })],
    ["arktype", type({ city: "string", days: "number = 3" })],
    [
      "Effect",
      Schema.Struct({
        city: Schema.String,
        days: Schema.Number.pipe(Schema.withDecodingDefaultKey(Effect.succeed(3))),
      }),
    ],
  ])("fills in defaults of the input schema: %s", (_, input) => {
    const subject = tool({
      name: "echo",
      description: "Says it again",
      input,
      run: (given: unknown) => given,
    });
    expect(Effect.runSync(answer(subject, { city: "Oslo" }))).toEqual({ city: "Oslo", days: 3 });
    expect(Effect.runSyncExit(answer(subject, { city: 1 }))._tag).toBe("Failure");
  });

  it("accepts another implementation", () => {
    const implementation: Implementation = { _tag: "echo", bind: (spec) => () => Effect.succeed(spec.name) };
    const subject = tool({ name: "echo", description: "Says its name", input: [], implementation });
    expect(subject.implementation).toBe(implementation);
    expect(Effect.runSync(answer(subject, {}))).toBe("echo");
  });
});

describe("legacy definitions", () => {
  it("are accepted with a parameter list", () => {
    const webSearch = tool({
      name: "web-search",
      description: "Search the web for information using a query string",
      parameters: [
        { name: "query", type: "string", description: "Search query", required: true },
        {
          name: "maxResults",
          type: "number",
          description: "Max results to return",
          required: false,
          default: 5,
        },
      ],
      category: "search",
      risk: "low",
      timeout: 10_000,
      requiresApproval: false,
      source: "builtin",
      run: ({ query, maxResults }) => ({ query, maxResults }),
    });
    expect(webSearch.spec.input).toEqual({
      type: "object",
      properties: {
        query: { type: "string", description: "Search query" },
        maxResults: { type: "number", description: "Max results to return", default: 5 },
      },
      required: ["query"],
      additionalProperties: false,
    });
    expect(Effect.runSync(answer(webSearch, { query: "haft" }))).toEqual({ query: "haft", maxResults: 5 });
    expect(webSearch.input({})).toMatchObject({ ok: false });
  });

  it("are accepted with bare properties and a required list", () => {
    const subject = tool({
      type: "function",
      name: "get_current_weather",
      description: "Get the current weather for a given location",
      parameters: {
        location: { type: "string", description: "The name of the city e.g. San Francisco, CA" },
        format: {
          type: "string",
          enum: ["celsius", "fahrenheit"],
          description: "The format to return the weather in",
        },
        required: ["location", "format"],
      },
      run: ({ location }) => `The current weather in ${location}.`,
    });
    expect(Effect.runSync(answer(subject, { location: "Oslo", format: "celsius" }))).toBe(
      "The current weather in Oslo.",
    );
    expect(subject.input({ location: "Oslo" })).toMatchObject({ ok: false });
    expect(subject.input({ location: "Oslo", format: "kelvin" })).toMatchObject({
      ok: false,
      issues: [{ pointer: "/format" }],
    });
  });
});
