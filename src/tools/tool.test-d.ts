import { type } from "arktype";
import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Schema from "effect/Schema";
import * as v from "valibot";
import { z } from "zod";
import { final } from "../types/outcome.ts";
import type { AnyTool, Implementation } from "../types/tool.ts";
import { effectImplementation } from "./effect-implementation.ts";
import { fromFunction } from "./from-function.ts";
import { tool } from "./tool.ts";

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const holds = <_ extends true>(): void => {};

type InputOf<T extends AnyTool> = NonNullable<T["types"]>["input"];
type OutputOf<T extends AnyTool> = NonNullable<T["types"]>["output"];
type ServicesOf<T extends AnyTool> = T["implementation"] extends Implementation<infer R> ? R : never;

class Clouds extends Context.Service<Clouds, { readonly look: () => Effect.Effect<number> }>()("Clouds") {}

const fromZod = tool({
  name: "get_weather",
  description: "Weather",
  input: z.object({ city: z.string(), days: z.number().default(1), unit: z.enum(["c", "f"]).optional() }),
  output: z.object({ celsius: z.number() }),
  run: async (input, context) => {
    holds<Equal<typeof input, { city: string; days: number; unit?: "c" | "f" | undefined }>>();
    holds<Equal<typeof context.signal, AbortSignal>>();
    return { celsius: 21 };
  },
});
holds<
  Equal<InputOf<typeof fromZod>, { city: string; days?: number | undefined; unit?: "c" | "f" | undefined }>
>();
holds<Equal<OutputOf<typeof fromZod>, { celsius: number }>>();
holds<Equal<ServicesOf<typeof fromZod>, never>>();
holds<Equal<(typeof fromZod)["spec"]["name"], "get_weather">>();
const renamed = fromZod.withName("other").layer();
holds<Equal<(typeof renamed)["spec"]["name"], "other">>();
holds<Equal<InputOf<typeof renamed>, InputOf<typeof fromZod>>>();

tool({
  name: "wrong",
  description: "Answers with something else than it promises",
  input: z.object({}),
  output: z.object({ celsius: z.number() }),
  // @ts-expect-error celsius must be a number
  run: () => ({ celsius: "hot" }),
});

tool({
  name: "final",
  description: "May end the run instead",
  input: z.object({}),
  output: z.object({ unit: z.enum(["c", "f"]) }),
  run: (input) => (Object.keys(input).length > 0 ? { unit: "c" } : final({ unit: "f" })),
});
const unit = {
  description: "One of a few words",
  input: z.object({}),
  output: z.object({ unit: z.enum(["c", "f"]) }),
};
tool({ ...unit, name: "value", run: (_) => ({ unit: "c" }) });
tool({ ...unit, name: "promise", run: async (_) => ({ unit: "c" }) });
tool({ ...unit, name: "effect", run: (_) => Effect.succeed({ unit: "c" }) });

const fromValibot = tool({
  name: "valibot",
  description: "Valibot",
  input: v.object({ city: v.string(), days: v.optional(v.number(), 1) }),
  run: (input) => {
    holds<Equal<typeof input, { city: string; days: number }>>();
    return input.days;
  },
});
holds<Equal<OutputOf<typeof fromValibot>, number>>();

tool({
  name: "arktype",
  description: "Arktype",
  input: type({ city: "string", "days?": "number" }),
  run: (input) => {
    holds<Equal<typeof input, { city: string; days?: number }>>();
    return null;
  },
});

const fromEffect = tool({
  name: "effect",
  description: "Effect Schema, and an Effect that needs a service",
  input: Schema.Struct({ city: Schema.String, days: Schema.optional(Schema.Number) }),
  output: Schema.Struct({ cover: Schema.Number }),
  run: (input) => {
    holds<Equal<typeof input.city, string>>();
    holds<Equal<typeof input.days, number | undefined>>();
    return Effect.gen(function* () {
      const clouds = yield* Clouds;
      return { cover: yield* clouds.look() };
    });
  },
});
holds<Equal<ServicesOf<typeof fromEffect>, Clouds>>();
holds<Equal<OutputOf<typeof fromEffect>["cover"], number>>();

const withoutOutput = tool({
  name: "cover",
  description: "Says by its Effect alone what comes out",
  input: Schema.Struct({ factor: Schema.Number }),
  run: ({ factor }) =>
    Effect.flatMap(Clouds, (clouds) => Effect.map(clouds.look(), (cover) => cover * factor)),
});
holds<Equal<OutputOf<typeof withoutOutput>, number>>();
holds<Equal<ServicesOf<typeof withoutOutput>, Clouds>>();

const fromList = tool({
  name: "list",
  description: "A parameter list",
  parameters: [
    { name: "query", type: "string", description: "Search query", required: true },
    { name: "maxResults", type: "number", description: "Max results", required: false, default: 5 },
    { name: "sort", type: "string", description: "Order", required: false, enum: ["new", "old"] },
  ],
  run: (input) => {
    holds<
      Equal<
        typeof input,
        { readonly query: string; readonly maxResults: number; readonly sort?: "new" | "old" }
      >
    >();
    return input.query;
  },
});
holds<
  Equal<
    InputOf<typeof fromList>,
    { readonly query: string; readonly maxResults?: number; readonly sort?: "new" | "old" }
  >
>();
holds<Equal<OutputOf<typeof fromList>, string>>();

tool({
  name: "bare",
  description: "Bare properties",
  parameters: {
    location: { type: "string", description: "The name of the city" },
    format: { type: "string", enum: ["celsius", "fahrenheit"] },
    required: ["location"],
  },
  run: (input) => {
    holds<Equal<typeof input, { readonly location: string; readonly format?: "celsius" | "fahrenheit" }>>();
    return "";
  },
});

tool({
  name: "json",
  description: "JSON Schema",
  input: {
    type: "object",
    properties: { tags: { type: "array", items: { type: "string" } }, at: { type: ["number", "null"] } },
    required: ["tags", "at"],
  },
  run: (input) => {
    holds<Equal<typeof input, { readonly tags: readonly string[]; readonly at: number | null }>>();
    return true;
  },
});

const wide: { readonly [keyword: string]: unknown } = { type: "object" };
tool({
  name: "wide",
  description: "A schema of which nothing is known",
  input: wide,
  run: (input) => {
    holds<Equal<typeof input, Record<string, unknown>>>();
    return 1;
  },
});

tool({
  name: "free",
  description: "No schema at all",
  allowNoSchema: true,
  run: (input) => {
    holds<Equal<typeof input, Record<string, unknown>>>();
    return 1;
  },
});

declare const elsewhere: Implementation<Clouds>;
const withImplementation = tool({
  name: "elsewhere",
  description: "Code of another kind",
  input: [],
  output: z.object({ celsius: z.number() }),
  implementation: elsewhere,
});
holds<Equal<ServicesOf<typeof withImplementation>, Clouds>>();
holds<Equal<OutputOf<typeof withImplementation>, { celsius: number }>>();

const implemented = effectImplementation({
  execute: (input: { readonly city: string }) => Effect.map(Clouds, () => input.city),
});
holds<Equal<typeof implemented, Implementation<Clouds>>>();

const add = fromFunction((a: number, b: number) => a + b, {
  name: "add",
  description: "Adds",
  parameters: [
    { name: "a", type: "number", required: true },
    { name: "b", type: "number", required: true },
  ],
});
holds<Equal<OutputOf<typeof add>, number>>();
holds<Equal<InputOf<typeof add>, { readonly a: number; readonly b: number }>>();

const greet = fromFunction(async ({ name }: { readonly name: string }) => `Hello, ${name}!`, {
  description: "Greets",
  input: z.object({ name: z.string() }),
});
holds<Equal<OutputOf<typeof greet>, string>>();

fromFunction(
  // @ts-expect-error the first parameter is a number
  (a: string) => a,
  { name: "wrong", description: "Wrong", input: [{ name: "a", type: "number", required: true }] },
);
