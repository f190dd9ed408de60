import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import { Haft, http, tool } from "haft";
import { Outside } from "haft/effect";
import { type AuthorizedCall, approvalByEnv, type Handler, type ToolLayer } from "haft/layers";
import type { BoundCall, HydratedCall } from "../src/call/call-state.ts";
import type { AnyTool } from "../src/words/tool.ts";

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
const clouds = Layer.succeed(Clouds, { cover: 7 });
const stars = Layer.succeed(Stars, { count: 3 });

/** Compiled, never called. */
export const services = async (): Promise<void> => {
  await Haft.open({ tools: [add] });
  await Haft.open({ tools: [sky], services: clouds });
  await Haft.open({ tools: [sky, night], services: Layer.merge(clouds, stars) });
  // What the runtime itself has, nobody needs to provide.
  await Haft.open({ tools: [page] });
  await Haft.open({
    tools: [tool({ name: "out", description: "Out", input: any, run: () => Effect.as(Outside, 1) })],
  });

  // @ts-expect-error nobody provides Clouds
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

  // A name that was registered later is not known to the compiler: anything goes in, unknown comes out.
  const later = await haft.call("later", { whatever: true });
  holds<Equal<typeof later, unknown>>();
  const any = await haft.call("add" as string, { whatever: true });
  holds<Equal<typeof any, unknown>>();
};

declare const userLayer: ToolLayer<{ readonly user: string }>;

export const environments = async (): Promise<void> => {
  await Haft.open({ layers: [userLayer], env: { user: "ada" } });
  await Haft.open({ layers: [approvalByEnv()], env: { approve: () => ({ kind: "allow" as const }) } });

  // @ts-expect-error the layer needs a user, and this env has none
  await Haft.open({ layers: [userLayer], env: { session: "one" } });
  // @ts-expect-error the user is a string
  await Haft.open({ layers: [userLayer], env: { user: 7 } });
  // An env that is left out altogether may come with each call, so the compiler lets it pass.
  await Haft.open({ layers: [userLayer] });
};

declare const hydrated: HydratedCall;
declare const bound: BoundCall;
declare const authorized: AuthorizedCall;
declare const handler: Handler;

handler(authorized);
// @ts-expect-error nobody authorized it: running it does not compile
handler(bound);
// @ts-expect-error it is not even bound
handler(hydrated);
// @ts-expect-error the receipt cannot be written by hand
handler({ ...bound, grant: authorized.grant, env: undefined });

/** A list that was put together at run time: what its tools need shows when they are called. */
declare const many: readonly AnyTool[];
export const lists = async (): Promise<void> => {
  await Haft.open({ tools: many });
};
