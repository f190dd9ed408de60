import { it } from "@effect/vitest";
import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import * as Layer from "effect/Layer";
import { TestClock } from "effect/testing";
import { type EventName, type Principal, ToolError, tool } from "haft";
import {
  Configuration,
  CurrentPrincipal,
  configurationLayer,
  credentialsLayer,
  type EventBus,
  Events,
  eventsLayer,
  httpEgressLayer,
  Ledger,
  type LedgerStore,
  ledgerLayer,
  memoryLedger,
  Policy,
  type PolicyEngine,
  pipelineLayer,
  policyLayer,
  Registry,
  registryLayer,
  runtimeLayer,
  Tools,
  toolsLayer,
} from "haft/effect";
import { describe, expect } from "vitest";

const any = { type: "object" } as const;
const ada: Principal = { agent: "ada", allow: ["*"] };
const bob: Principal = { agent: "bob", allow: ["*"] };
const stranger: Principal = { agent: "stranger", allow: [] };

const whoami = tool({
  name: "whoami",
  description: "Says who is calling",
  input: any,
  run: (_, { principal }) => principal.agent,
});

class Clouds extends Context.Service<Clouds, { readonly cover: number }>()("test/Clouds") {}

const sky = tool({
  name: "sky",
  description: "Looks at the sky",
  input: any,
  run: () => Effect.map(Clouds, ({ cover }) => cover),
});

describe("the caller", () => {
  it.effect("is the fiber's principal, and no tool can be used without one", () =>
    Effect.gen(function* () {
      const tools = yield* Tools;
      const denied = yield* Effect.flip(tools.call("whoami", {}));
      expect(denied).toMatchObject({ _tag: "ToolAuthorizationError", code: "not_visible" });
      const asAda = tools.call("whoami", {}).pipe(Effect.provideService(CurrentPrincipal, ada));
      expect(yield* asAda).toBe("ada");
      expect((yield* Effect.flip(tools.call("whoami", {}))).code).toBe("not_visible");
    }).pipe(Effect.provide(runtimeLayer({ tools: [whoami] }))),
  );

  it.effect("named with the call wins over the fiber's, and the fiber's over the runtime's", () =>
    Effect.gen(function* () {
      const tools = yield* Tools;
      const inBob = Effect.provideService(CurrentPrincipal, bob);
      expect(yield* tools.call("whoami", {})).toBe("ada");
      expect(yield* inBob(tools.call("whoami", {}))).toBe("bob");
      expect(yield* inBob(tools.call("whoami", {}, { principal: ada }))).toBe("ada");
      const narrowed = yield* inBob(Effect.flip(tools.call("whoami", {}, { principal: stranger })));
      expect(narrowed.code).toBe("not_visible");
    }).pipe(Effect.provide(runtimeLayer({ tools: [whoami], principal: ada }))),
  );

  it.effect("of every call of a turn is the fiber's principal", () =>
    Effect.gen(function* () {
      const tools = yield* Tools;
      const calls = ["1", "2", "3"].map((id) => ({ id, tool: "whoami", input: "{}" }));
      const replies = yield* tools.turn(calls).pipe(Effect.provideService(CurrentPrincipal, bob));
      expect(replies.map((reply) => reply.value)).toEqual(["bob", "bob", "bob"]);
      const ledger = yield* Ledger;
      expect((yield* ledger.entries()).map((row) => row.agent)).toEqual(["bob", "bob", "bob"]);
    }).pipe(Effect.provide(runtimeLayer({ tools: [whoami] }))),
  );
});

describe("services", () => {
  it.effect("that a tool requires come from the runtime", () =>
    Effect.gen(function* () {
      const tools = yield* Tools;
      expect(yield* tools.call("sky", {})).toBe(7);
    }).pipe(
      Effect.provide(
        runtimeLayer({
          tools: [sky],
          principal: ada,
          services: Layer.succeed(Clouds, { cover: 7 }),
        }),
      ),
    ),
  );

  it.effect("are acquired once and released with the runtime", () => {
    const seen: string[] = [];
    const clouds = Layer.effect(
      Clouds,
      Effect.acquireRelease(
        Effect.sync(() => {
          seen.push("acquired");
          return { cover: 1 };
        }),
        () => Effect.sync(() => seen.push("released")),
      ),
    );
    return Effect.gen(function* () {
      const tools = yield* Tools;
      yield* tools.call("sky", {});
      yield* tools.call("sky", {});
      seen.push("used");
    }).pipe(
      Effect.provide(runtimeLayer({ tools: [sky], principal: ada, services: clouds })),
      Effect.andThen(Effect.sync(() => expect(seen).toEqual(["acquired", "used", "released"]))),
    );
  });

  it.effect("a layer that cannot be built fails the runtime with the error of its options", () =>
    Effect.gen(function* () {
      const exit = yield* Effect.exit(
        Effect.provide(Tools, runtimeLayer({ config: { registry: { maxTools: -1 } } })),
      );
      expect(String(exit)).toContain("/registry/maxTools");
    }),
  );
});

interface Parts {
  readonly ledger?: Layer.Layer<Ledger>;
  readonly policy?: Layer.Layer<Policy>;
  readonly events?: Layer.Layer<Events>;
}

/** The runtime composed from layers, with some parts replaced. */
const composed = ({ ledger, policy, events }: Parts) => {
  const options = { tools: [whoami], principal: ada };
  const base = Layer.mergeAll(
    configurationLayer({ limits: { maxInputDepth: 4 } }),
    events ?? eventsLayer,
    credentialsLayer({}),
    httpEgressLayer({}),
  );
  return toolsLayer(options).pipe(
    Layer.provideMerge(pipelineLayer({})),
    Layer.provideMerge(
      Layer.mergeAll(
        policy ?? policyLayer(undefined),
        registryLayer(options),
        ledger ?? ledgerLayer(undefined),
      ),
    ),
    Layer.provideMerge(base),
  );
};

describe("a replaced part", () => {
  it.effect("can be the ledger", () => {
    const written: string[] = [];
    const plain = { value: (value: unknown) => value, text: (text: string) => text };
    const inner = memoryLedger({ redactor: plain });
    const mine: LedgerStore = {
      ...inner,
      open: (opening) => {
        written.push(`open ${opening.tool}`);
        return inner.open(opening);
      },
      close: (closing) => {
        written.push(`close ${closing.ending}`);
        return inner.close(closing);
      },
    };
    return Effect.gen(function* () {
      const tools = yield* Tools;
      yield* tools.call("whoami", {});
      expect(written).toEqual(["open whoami", "close executed"]);
    }).pipe(Effect.provide(composed({ ledger: Layer.succeed(Ledger, mine) })));
  });

  it.effect("can be the policy", () => {
    const decision = (effect: "allow" | "deny") => ({ effect, reason: "on Mondays", ruleIds: ["monday"] });
    const engine: PolicyEngine = { visible: () => decision("allow"), decide: () => decision("deny") };
    return Effect.gen(function* () {
      const tools = yield* Tools;
      expect(yield* Effect.flip(tools.call("whoami", {}))).toMatchObject({ code: "denied" });
      const [row] = yield* (yield* Ledger).entries();
      expect(row?.decision).toBe("on Mondays");
    }).pipe(Effect.provide(composed({ policy: Layer.succeed(Policy, engine) })));
  });

  it.effect("can be the event bus, which receives all events", () => {
    const received: EventName[] = [];
    const bus: EventBus = {
      on: () => () => {},
      emit: (name) => {
        received.push(name);
      },
      isHeard: () => true,
    };
    return Effect.gen(function* () {
      const tools = yield* Tools;
      yield* tools.call("whoami", {});
      expect(received).toEqual(["tools.registered", "tools.started", "tools.executed"]);
    }).pipe(Effect.provide(composed({ events: Layer.succeed(Events, bus) })));
  });

  it.effect("leaves the other parts unchanged", () =>
    Effect.gen(function* () {
      expect((yield* Configuration).limits).toMatchObject({ maxInputDepth: 4, maxInputLength: 1_048_576 });
      expect((yield* Registry).size).toBe(1);
      const tools = yield* Tools;
      const error = yield* Effect.flip(tools.call("whoami", { a: { b: { c: { d: { e: 1 } } } } }));
      expect(error.code).toBe("unreadable_input");
    }).pipe(Effect.provide(composed({}))),
  );
});

describe("failures", () => {
  it.effect("are caught by the tag of their class", () =>
    Effect.gen(function* () {
      const tools = yield* Tools;
      const caught = tools
        .call("nobody", {})
        .pipe(Effect.catchTag("ToolNotFoundError", (error) => Effect.succeed(`caught ${error.code}`)));
      expect(yield* caught).toBe("caught unknown_tool");
      const passed = tools.call("whoami", "no object").pipe(
        Effect.catchTag("ToolNotFoundError", () => Effect.succeed("caught")),
        Effect.flip,
      );
      const error = yield* passed;
      expect(error).toBeInstanceOf(ToolError);
      expect(error).toMatchObject({ _tag: "ToolHydrationError" });
    }).pipe(Effect.provide(runtimeLayer({ tools: [whoami], principal: ada }))),
  );

  it.effect("of a turn and of an envelope are values, never in the error channel", () =>
    Effect.gen(function* () {
      const tools = yield* Tools;
      const [reply] = yield* tools.turn([{ id: "1", tool: "nobody", input: "{}" }]);
      const envelope = { toolName: "nobody", arguments: {}, agentId: "a", sessionId: "s" };
      expect([reply?.failure?.code, (yield* tools.execute(envelope)).success]).toEqual([
        "unknown_tool",
        false,
      ]);
    }).pipe(Effect.provide(runtimeLayer({ tools: [whoami], principal: ada }))),
  );
});

describe("the clock", () => {
  const hang = tool({ name: "hang", description: "Hangs", input: any, run: () => Effect.never });

  it.effect("of the caller decides when a call times out, and which times the ledger records", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(1_000_000);
      const tools = yield* Tools;
      const call = yield* Effect.forkChild(Effect.flip(tools.call("hang", {})));
      yield* TestClock.adjust("29 seconds");
      expect(call.pollUnsafe()).toBeUndefined();
      yield* TestClock.adjust("1 second");
      expect((yield* Fiber.join(call)).code).toBe("timed_out");
      const [row] = yield* (yield* Ledger).entries();
      expect(row).toMatchObject({ at: 1_000_000, durationMs: 30_000 });
    }).pipe(Effect.provide(runtimeLayer({ tools: [hang], principal: ada }))),
  );

  it("can be a test clock even if the runtime was opened under the real one", () =>
    Effect.gen(function* () {
      const context = yield* Layer.build(runtimeLayer({ tools: [hang], principal: ada }));
      const tools = Context.get(context, Tools);
      yield* Effect.gen(function* () {
        const call = yield* Effect.forkChild(Effect.flip(tools.call("hang", {})));
        yield* TestClock.adjust("30 seconds");
        expect((yield* Fiber.join(call)).code).toBe("timed_out");
      }).pipe(Effect.provide(TestClock.layer()));
    }).pipe(Effect.scoped, Effect.runPromise));
});
