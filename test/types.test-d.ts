import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import { agent, Haft, http, Tool, tool, workspace } from "haft";
import { HttpEgress } from "haft/effect";
import {
  type AuthorizedCall,
  approval,
  approvalByEnv,
  authorize,
  type Handler,
  type ToolLayer,
} from "haft/layers";
import { z } from "zod";
import type { BoundCall, HydratedCall } from "../src/pipeline/call-state.ts";
import type { AnyTool } from "../src/types/tool.ts";

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const holds = <_ extends true>(): void => {};

class Clouds extends Context.Service<Clouds, { readonly cover: number }>()("test/Clouds") {}
class Stars extends Context.Service<Stars, { readonly count: number }>()("test/Stars") {}

const any = { type: "object" } as const;
const add = tool({
  name: "add",
  description: "Adds",
  input: {
    type: "object",
    properties: { a: { type: "number" }, b: { type: "number" } },
    required: ["a"],
  } as const,
  run: ({ a, b = 0 }) => a + b,
});
const sky = tool({
  name: "sky",
  description: "Looks at the sky",
  input: any,
  run: () => Effect.map(Clouds, ({ cover }) => cover),
});
const night = tool({
  name: "night",
  description: "Looks at the night",
  input: any,
  run: () => Effect.map(Stars, ({ count }) => `${count} stars`),
});
const page = tool({
  name: "page",
  description: "Fetches",
  input: any,
  implementation: http({ url: "https://example.com/" }),
});
const later = tool({
  name: "later",
  description: "Counts",
  input: { type: "object", properties: { text: { type: "string" } }, required: ["text"] } as const,
  run: ({ text }) => text.length,
});

@Tool({ name: "get_weather", description: "Weather", input: z.object({ city: z.string() }) })
class Weather {
  readonly city: string;
  constructor(input: { readonly city: string }) {
    this.city = input.city;
  }
  async run(): Promise<string> {
    return this.city;
  }
}

@Tool({
  description: "Takes a text and makes a number of it",
  input: z.object({ cents: z.string().transform(Number) }),
})
class Converted {
  declare static readonly types: { readonly input: { readonly cents: string }; readonly output: number };
  run({ cents }: { readonly cents: number }): number {
    return cents;
  }
}

@Tool({ description: "Clouds", parameters: [] })
class Overcast {
  run(): Effect.Effect<number, Error, Clouds> {
    return Effect.map(Clouds, ({ cover }) => cover);
  }
}

const clouds = Layer.succeed(Clouds, { cover: 7 });
const stars = Layer.succeed(Stars, { count: 3 });

/** Compiled, never called. */
export const services = async (): Promise<void> => {
  await Haft.open({ tools: [add] });
  await Haft.open({ tools: [sky], services: clouds });
  await Haft.open({ tools: [sky, night], services: Layer.merge(clouds, stars) });
  const project = workspace().toolbox("weather").add(sky).build();
  await Haft.open({ project, services: clouds });
  await Haft.open({ org: { name: "acme", workspace: project }, services: clouds });
  // @ts-expect-error a tool of the project needs clouds
  await Haft.open({ project });
  // @ts-expect-error a tool of the organization needs clouds
  await Haft.open({ org: project, services: stars });
  // Services of the runtime itself need not be provided.
  await Haft.open({ tools: [page] });
  await Haft.open({
    tools: [tool({ name: "out", description: "Out", input: any, run: () => Effect.as(HttpEgress, 1) })],
  });

  // @ts-expect-error Clouds is not provided
  await Haft.open({ tools: [sky] });
  // @ts-expect-error Stars are provided, Clouds are not
  await Haft.open({ tools: [sky, night], services: stars });
  // @ts-expect-error one tool among several that need nothing still needs its own
  await Haft.open({ tools: [add, sky] });
};

export const calls = async (): Promise<void> => {
  const haft = await Haft.open({ tools: [add, sky, night], services: Layer.merge(clouds, stars) });
  const sum = await haft.call("add", { a: 1 });
  holds<Equal<typeof sum, number>>();
  const sight = await haft.call("night", {});
  holds<Equal<typeof sight, string>>();
  const cover = await haft.as({ agent: "other" }).call("sky", {});
  holds<Equal<typeof cover, number>>();

  // @ts-expect-error a is required
  await haft.call("add", {});
  // @ts-expect-error a is a number
  await haft.call("add", { a: "one" });

  // @ts-expect-error every tool is known, and none of them has this name
  await haft.call("nmae", {});
  // @ts-expect-error nor has another handle of the same runtime
  await haft.as({ agent: "other" }).call("nmae", {});

  // A name that is known only at run time: any input, unknown result.
  const any = await haft.call("add" as string, { whatever: true });
  holds<Equal<typeof any, unknown>>();

  // A tool that was registered later is called by the key that register returned, or by itself, which types
  // the call.
  const key = haft.register(later);
  holds<Equal<Awaited<ReturnType<typeof byKey>>, unknown>>();
  const byKey = () => haft.call(key, { whatever: true });
  const length = await haft.call(later, { text: "word" });
  holds<Equal<typeof length, number>>();
  // @ts-expect-error its text is a text
  await haft.call(later, { text: 1 });
};

/** If other sources may add tools, any name is accepted, and known tools stay typed. */
export const openNames = async (): Promise<void> => {
  const runtimes = [
    await Haft.open({ tools: [add], mcp: { servers: {}, ask: async (requests) => ({ ...requests }) } }),
    await Haft.open({ tools: [add], project: workspace().build() }),
    await Haft.open({ tools: [add], org: { name: "acme", workspace: workspace().build() } }),
    await Haft.open({ tools: [add, Weather] }),
    await Haft.open({ tools: [add], skills: ["file-read"] }),
  ] as const;
  // @ts-expect-error there is no such built-in tool
  await Haft.open({ skills: ["file-delete"] });
  for (const haft of runtimes) {
    const unknown = await haft.call("ns/other", { whatever: true });
    holds<Equal<typeof unknown, unknown>>();
    const sum = await haft.call("add", { a: 1 });
    holds<Equal<typeof sum, number>>();
    // @ts-expect-error a is a number, whatever other tools exist
    await haft.call("add", { a: "one" });
  }
  // Nothing is known about a runtime that starts without tools, or about a list that was created at run time.
  await (await Haft.open({})).call("later", {});
  await (await Haft.open({ tools: many })).call("one", {});
  const closed: Haft = await Haft.open({ tools: [add] });
  await closed.call("anything", {});
};

/** A class is called by itself: the compiler does not see the name in its decorator. */
export const classes = async (): Promise<void> => {
  const haft = await Haft.open({ tools: [Weather, Converted, add] });
  const said = await haft.call(Weather, { city: "Oslo" });
  holds<Equal<typeof said, string>>();
  const cents = await haft.call(Converted, { cents: "7" });
  holds<Equal<typeof cents, number>>();
  // @ts-expect-error the city is a text
  await haft.call(Weather, { city: 7 });
  // @ts-expect-error callers give what the class says they do, before its schema makes a number of it
  await haft.call(Converted, { cents: 7 });
  // @ts-expect-error the class needs Clouds, as a tool would
  await Haft.open({ tools: [Overcast] });
  await Haft.open({ tools: [Overcast], services: clouds });
};

export const definitions = (): void => {
  tool({ name: "coded", description: "Has code", input: any, run: () => 1 });
  tool({
    name: "other",
    description: "Has other code",
    input: any,
    implementation: page.implementation,
  });
  // @ts-expect-error it has no code
  tool({ name: "empty", description: "Has none", input: any });
  // @ts-expect-error a misspelled field is none
  tool({ name: "empty", description: "Has none", input: any, rnu: () => 1 });
};

export const approvals = (): void => {
  approval({ when: ({ tool: name }) => name === "refund", reason: "money" });
  authorize(({ input }) => (input === undefined ? { kind: "deny", reason: "empty" } : { kind: "allow" }));

  // @ts-expect-error a function says allow or deny, and goes to authorize
  approval(() => true);
  // @ts-expect-error a decision, such as { kind: "allow" }
  authorize(() => true);
  // @ts-expect-error a decision comes at once
  authorize(async () => ({ kind: "allow" as const }));
};

declare const userLayer: ToolLayer<{ readonly user: string }>;

export const environments = async (): Promise<void> => {
  await Haft.open({ layers: [userLayer], env: { user: "ada" } });
  await Haft.open({ layers: [approvalByEnv()], env: { approve: () => ({ kind: "allow" as const }) } });

  // @ts-expect-error the layer needs a user, and this env has none
  await Haft.open({ layers: [userLayer], env: { session: "one" } });
  // @ts-expect-error the user is a string
  await Haft.open({ layers: [userLayer], env: { user: 7 } });
  // An omitted env may come with each call, so it compiles.
  await Haft.open({ layers: [userLayer] });
};

declare const hydrated: HydratedCall;
declare const bound: BoundCall;
declare const authorized: AuthorizedCall;
declare const handler: Handler;

handler(authorized);
// @ts-expect-error not authorized: running it does not compile
handler(bound);
// @ts-expect-error it is not even bound
handler(hydrated);
// @ts-expect-error the receipt cannot be written by hand
handler({ ...bound, grant: authorized.grant, env: undefined });

/** A list that was created at run time: the requirements of its tools appear when they are called. */
declare const many: readonly AnyTool[];
export const lists = async (): Promise<void> => {
  await Haft.open({ tools: many });
};

const reporter = agent({
  name: "reporter",
  instructions: "Report.",
  output: z.object({ city: z.string(), at: z.string().transform((text) => text.length) }),
});
const open = await Haft.open({ principal: { agent: "typist" } });
const reported = await open.run(reporter, "Report");
holds<Equal<typeof reported.output, { city: string; at: number } | undefined>>();
const streamed = await open.stream(reporter, "Report").response;
holds<Equal<typeof streamed.output, { city: string; at: number } | undefined>>();
// @ts-expect-error: the answer has no such field.
reported.output?.town;
const listed = await open.run(
  agent({ name: "a", instructions: "b", output: { type: "array", items: { type: "string" } } }),
  "List",
);
holds<Equal<typeof listed.output, readonly string[] | undefined>>();
const plain = await open.run(agent({ name: "a", instructions: "b" }), "Say");
holds<Equal<typeof plain.output, undefined>>();
holds<Equal<typeof plain.content, string>>();
