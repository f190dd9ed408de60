import { it } from "@effect/vitest";
import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import * as Layer from "effect/Layer";
import { TestClock } from "effect/testing";
import { type Principal, Tool, ToolError, tool } from "haft";
import { CurrentPrincipal, call, Offers, type OffersService, runtimeLayer, Tools } from "haft/effect";
import type { ToolLayer } from "haft/layers";
import { describe, expect } from "vitest";
import { z } from "zod";
import { toTaggedError } from "../../src/types/errors.ts";

const any = { type: "object" } as const;
const ada: Principal = { agent: "ada", allow: ["*"] };

class Clouds extends Context.Service<Clouds, { readonly cover: number }>()("test/Clouds") {}

const whoami = tool({
  name: "whoami",
  description: "Says who is calling",
  input: any,
  run: (_, { principal }) => principal.agent,
});
const sky = tool({
  name: "sky",
  description: "Looks at the sky",
  input: any,
  run: () => Effect.map(Clouds, ({ cover }) => cover),
});
const hang = tool({ name: "hang", description: "Hangs", input: any, run: () => Effect.never });
const clouds = Layer.succeed(Clouds, { cover: 7 });

const Shout = Tool({ name: "shout", description: "Shouts", input: z.object({ text: z.string() }) })(
  class {
    readonly text: string;
    constructor(input: { readonly text: string }) {
      this.text = input.text;
    }
    run(): string {
      return this.text.toUpperCase();
    }
  },
);

describe("a call by the tool itself", () => {
  it.effect("uses its name, or the name in the decorator of a class", () =>
    Effect.gen(function* () {
      expect(yield* call(whoami, {})).toBe("ada");
      expect(yield* call(Shout, { text: "hey" })).toBe("HEY");
    }).pipe(Effect.provide(runtimeLayer({ tools: [whoami, Shout], principal: ada }))),
  );

  it.effect("of a tool that the runtime does not have fails with its tag", () =>
    Effect.gen(function* () {
      const caught = call(whoami, {}).pipe(
        Effect.catchTag("ToolNotFoundError", (error) => Effect.succeed(error.toolName ?? "")),
      );
      expect(yield* caught).toBe("whoami");
    }).pipe(Effect.provide(runtimeLayer({ tools: [hang], principal: ada }))),
  );

  it.effect("fails for other values and names what a call takes", () =>
    Effect.gen(function* () {
      class Undecorated {
        run(): number {
          return 1;
        }
      }
      const error = yield* Effect.flip(call(Undecorated, {}));
      expect(error._tag).toBe("ConfigurationError");
      expect(error.message).toContain("a class with @Tool");
    }).pipe(Effect.provide(runtimeLayer({ principal: ada }))),
  );

  it.effect("fails with the one tag that its handler narrows to", () =>
    Effect.gen(function* () {
      const calling = yield* call(hang, {}).pipe(
        Effect.catchTag("ToolTimeoutError", ({ code, retryable }) => Effect.succeed([code, retryable])),
        Effect.forkChild,
      );
      yield* TestClock.adjust("30 seconds");
      expect(yield* Fiber.join(calling)).toEqual(["timed_out", true]);
    }).pipe(Effect.provide(runtimeLayer({ tools: [hang], principal: ada }))),
  );
});

it("an error with an unknown tag becomes the error of its code, and keeps the response", () => {
  class Own extends ToolError {
    override readonly _tag = "Own";
  }
  const response = { content: "so far" } as never;
  const error = toTaggedError(
    Object.assign(new Own("timed_out", "Too late.", { tool: "hang" }), { response }),
  );
  expect(error).toMatchObject({ _tag: "ToolTimeoutError", toolName: "hang", message: "Too late.", response });
  expect(toTaggedError(error)).toBe(error);
});

describe("services that tools require", () => {
  it.effect("can be provided to the runtime layer, and services in its options take precedence", () =>
    Effect.gen(function* () {
      const seen = call(sky, {});
      const around = runtimeLayer({ tools: [sky], principal: ada });
      expect(yield* Effect.provide(seen, Layer.provide(around, clouds))).toBe(7);
      expect(yield* seen.pipe(Effect.provide(around), Effect.provide(clouds))).toBe(7);
      const both = runtimeLayer({
        tools: [sky],
        principal: ada,
        services: Layer.succeed(Clouds, { cover: 1 }),
      });
      expect(yield* Effect.provide(seen, Layer.provide(both, clouds))).toBe(1);
    }),
  );

  it.effect("include nothing of the fiber that built the runtime", () =>
    Effect.gen(function* () {
      const layer = Layer.provide(runtimeLayer({ tools: [whoami] }), clouds);
      const context = yield* Layer.build(layer).pipe(Effect.provideService(CurrentPrincipal, ada));
      const tools = Context.get(context, Tools);
      expect((yield* Effect.flip(tools.call("whoami", {}))).code).toBe("not_visible");
      expect(tools.context.mapUnsafe.has(Clouds.key)).toBe(true);
      expect(
        [...tools.context.mapUnsafe.keys()].filter((key) => /Clock|Scope|CurrentPrincipal/.test(key)),
      ).toEqual([]);
    }),
  );

  it.live("are available to a hydrated call that runs later", () =>
    Effect.gen(function* () {
      const tools = yield* Tools;
      const [hydrated] = yield* tools.hydrate([{ id: "1", tool: "sky", input: "{}" }]);
      expect(yield* Effect.promise(() => hydrated!.tool!.run())).toBe(7);
    }).pipe(Effect.provide(runtimeLayer({ tools: [sky], principal: ada, services: clouds }))),
  );
});

it.effect("layers receive the env of the runtime, or the env of the call", () => {
  const seen: string[] = [];
  const userLayer: ToolLayer<{ readonly user: string }> = (next) => (given) => {
    seen.push(given.env.user);
    return next(given);
  };
  return Effect.gen(function* () {
    yield* call(whoami, {});
    yield* call(whoami, {}, { env: { user: "bob" } });
    expect(seen).toEqual(["ada", "bob"]);
  }).pipe(
    Effect.provide(
      runtimeLayer({ tools: [whoami], principal: ada, layers: [userLayer], env: { user: "ada" } }),
    ),
  );
});

describe("an offer", () => {
  const tools = [whoami, sky];
  const layer = runtimeLayer({ tools, principal: ada, services: clouds });

  it.effect.each(["openai", "openai-responses", "anthropic", "ollama", "gemini", "mcp"] as const)(
    "shows the tools of the fiber's principal as %s",
    (format) =>
      Effect.gen(function* () {
        const { offer } = yield* Offers;
        const whole = yield* offer({ format });
        expect(whole.format).toBe(format);
        expect(whole.offer.specs.map(({ name }) => name)).toEqual(["sky", "whoami"]);
        const less = offer({ format }).pipe(
          Effect.provideService(CurrentPrincipal, { agent: "bob", allow: ["sky"] }),
        );
        expect(JSON.stringify((yield* less).tools)).not.toContain("whoami");
        const named = yield* offer({ format, principal: { agent: "eve", allow: [] } });
        expect(named.offer.specs).toEqual([]);
      }).pipe(Effect.provide(layer)),
  );

  it.effect("in an unknown format fails and names the known formats", () =>
    Effect.gen(function* () {
      const { offer } = yield* Offers;
      const error = yield* Effect.flip(offer({ format: "antropic" as never }));
      expect(error._tag).toBe("ConfigurationError");
      expect(error.message).toContain("anthropic");
    }).pipe(Effect.provide(layer)),
  );

  it.effect("requested by a tool's code is for its caller", () =>
    Effect.gen(function* () {
      const look = tool({
        name: "look",
        description: "Lists what its caller may see",
        input: any,
        run: () =>
          Effect.gen(function* () {
            const { offer } = yield* Offers;
            return (yield* offer()).offer.specs.map(({ name }) => name);
          }),
      });
      const late: { offers?: OffersService } = {};
      const offers = Layer.succeed(Offers, {
        offer: (options) => Effect.suspend(() => late.offers!.offer(options)),
      });
      const context = yield* Layer.build(
        Layer.provide(runtimeLayer({ tools: [look, whoami], principal: ada }), offers),
      );
      late.offers = Context.get(context, Offers);
      const seen = call(look, {}, { principal: { agent: "weak", allow: ["look"] } });
      expect(yield* Effect.provideContext(seen, context)).toEqual(["look"]);
    }),
  );
});
