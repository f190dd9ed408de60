import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import { TestClock } from "effect/testing";
import { tool } from "haft";
import { CurrentPrincipal, Ledger, runtimeLayer, Tools } from "haft/effect";
import { expect, it } from "vitest";

const whoami = tool({
  name: "whoami",
  description: "Says who",
  input: { type: "object" } as const,
  run: (_, { principal }) => principal.agent,
});
const admin = { agent: "admin", allow: ["*"] };

it("callers without a principal do not inherit the principal of the fiber that built the runtime", () =>
  Effect.gen(function* () {
    const built = Layer.build(runtimeLayer({ tools: [whoami] }));
    const tools = Context.get(yield* Effect.provideService(built, CurrentPrincipal, admin), Tools);
    expect((yield* Effect.flip(tools.call("whoami", {}))).code).toBe("not_visible");
  }).pipe(Effect.scoped, Effect.runPromise));

it("a call uses the caller's clock instead of the clock under which the runtime was built", () =>
  Effect.gen(function* () {
    const built = Layer.build(runtimeLayer({ tools: [whoami], principal: admin }));
    const context = yield* Effect.provide(built, TestClock.layer());
    yield* Context.get(context, Tools).call("whoami", {});
    expect((yield* Context.get(context, Ledger).entries())[0]?.at).toBeGreaterThan(1_000_000);
  }).pipe(Effect.scoped, Effect.runPromise));
