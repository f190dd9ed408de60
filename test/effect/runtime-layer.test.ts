import { it } from "@effect/vitest";
import * as Cause from "effect/Cause";
import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import * as Fiber from "effect/Fiber";
import * as Layer from "effect/Layer";
import * as Logger from "effect/Logger";
import { TestClock } from "effect/testing";
import { type EntryClosing, type EntryOpening, tool, workspace } from "haft";
import {
  type AnyToolError,
  Audit,
  type AuditRecord,
  call,
  Events,
  InternalTools,
  internalToolsLayer,
  Ledger,
  type LedgerStore,
  memoryLedger,
  mergedRegistryLayer,
  OrgTools,
  orgToolsLayer,
  Policy,
  type PolicyEngine,
  type ProjectTools,
  projectToolsLayer,
  Registry,
  type RuntimeServices,
  runtimeLayer,
  Tools,
} from "haft/effect";
import { describe, expect } from "vitest";
import { redactor } from "../../src/base/json/redact.ts";

const any = { type: "object" } as const;
const principal = { agent: "clerk", session: "monday", user: "ada", allow: ["*"] };
const saying = (name: string, says: string) =>
  tool({ name, description: `Says ${says}`, input: any, run: () => says });

const failureOf = (layer: Layer.Layer<RuntimeServices, AnyToolError>) =>
  Effect.map(Effect.exit(Effect.provide(Tools, layer)), (exit) =>
    Exit.isFailure(exit) ? Cause.findErrorOption(exit.cause) : undefined,
  );

describe("invalid options", () => {
  const one = saying("one", "one");
  it.effect.each([
    ["an invalid setting", runtimeLayer({ config: { registry: { maxTools: -1 } } }), "/registry/maxTools"],
    ["a missing settings file", runtimeLayer({ config: "nowhere.json" }), "nowhere.json"],
    ["a duplicate name", runtimeLayer({ tools: [one, one] }), "already registered"],
    ["a misspelled right", runtimeLayer({ principal: { agent: "a", alow: ["*"] } as never }), "alow"],
    ["a misspelled option", runtimeLayer({ princpal: {} } as never), "runtimeLayer"],
    ["an invalid server", runtimeLayer({ mcp: { servers: { a: {} as never } } }), '"a"'],
  ] as const)("%s is a typed failure of the layer instead of a defect", ([, layer, words]) =>
    Effect.gen(function* () {
      const error = yield* failureOf(layer as Layer.Layer<RuntimeServices, AnyToolError>);
      expect(error).toMatchObject({ _tag: "Some", value: { message: expect.stringContaining(words) } });
    }),
  );

  it.effect("a policy in both the options and the parts is refused", () =>
    Effect.gen(function* () {
      const engine = Layer.succeed(Policy, { visible: () => yes, decide: () => yes });
      const error = yield* failureOf(runtimeLayer({ policy: { rules: [] }, parts: engine }));
      expect(error).toMatchObject({ value: { message: expect.stringContaining("remove one") } });
    }),
  );
});

const yes = { effect: "allow", reason: "the identity service says so", ruleIds: ["identity"] } as const;
const no = { ...yes, effect: "deny" } as const;

/** The service that both services of an identity provider call. */
class Directory extends Context.Service<
  Directory,
  { readonly mayCall: (tool: string) => Effect.Effect<boolean, Error>; readonly received: AuditRecord[] }
>()("test/Directory") {}

const identity = Layer.mergeAll(
  Layer.effect(
    Policy,
    Effect.map(
      Directory,
      ({ mayCall }): PolicyEngine => ({
        visible: () => yes,
        decide: ({ registration }) => Effect.map(mayCall(registration.key), (may) => (may ? yes : no)),
      }),
    ),
  ),
  Layer.effect(
    Audit,
    Effect.map(Directory, ({ received }) => ({
      record: (record) =>
        Effect.sync(() => {
          received.push(record);
        }),
    })),
  ),
);

const directory = (mayCall: (tool: string) => Effect.Effect<boolean, Error>) => {
  const received: AuditRecord[] = [];
  return { received, layer: Layer.succeed(Directory, { mayCall, received }) };
};

describe("policy and audit as services with their own requirements", () => {
  const fails = tool({
    name: "fails",
    description: "Fails with a secret",
    input: any,
    run: () => Effect.fail(new Error("the password is hunter2hunter2")),
  });
  const tools = [saying("works", "done"), saying("forbidden", "never"), fails] as const;

  it.effect("decide every call, and record every call with its caller and outcome", () => {
    const { received, layer } = directory((name) => Effect.succeed(name !== "forbidden"));
    return Effect.gen(function* () {
      const all = yield* Tools;
      const correlationId = "request-7";
      expect(yield* all.call("works", {}, { correlationId })).toBe("done");
      expect((yield* Effect.flip(all.call("forbidden", {}, { correlationId })))._tag).toBe(
        "ToolAuthorizationError",
      );
      yield* Effect.flip(all.call("fails", {}, { correlationId }));
      expect(received.map(({ tool: name, success, code }) => [name, success, code])).toEqual([
        ["works", true, undefined],
        ["forbidden", false, "denied"],
        ["fails", false, "failed"],
      ]);
      for (const record of received) {
        expect(record).toMatchObject({
          agent: "clerk",
          session: "monday",
          user: "ada",
          correlationId,
          durationMs: expect.any(Number),
        });
      }
      expect(received[1]).toMatchObject({ ruleIds: ["identity"] });
      expect(JSON.stringify(received)).not.toContain("hunter2hunter2");
    }).pipe(
      Effect.provide(
        runtimeLayer({
          tools,
          principal,
          parts: identity,
          credentials: { values: { password: "hunter2hunter2" } },
        }),
      ),
      Effect.provide(layer),
    );
  });

  it.effect("can only narrow the caller's rights, and deny when they fail", () => {
    const { layer } = directory((name) =>
      name === "works" ? Effect.fail(new Error("no connection")) : Effect.succeed(true),
    );
    return Effect.gen(function* () {
      const all = yield* Tools;
      const weak = { agent: "weak", allow: ["works"] };
      const refused = [
        yield* Effect.flip(all.call("works", {}, { principal: weak })),
        yield* Effect.flip(all.call("forbidden", {}, { principal: weak })),
      ];
      expect(refused.map(({ code }) => code)).toEqual(["denied", "not_visible"]);
    }).pipe(Effect.provide(runtimeLayer({ tools, principal, parts: identity })), Effect.provide(layer));
  });

  it.effect.each([
    ["fails", Effect.fail(new Error("the audit is down"))],
    ["dies", Effect.die(new Error("the audit is down"))],
    ["never answers", Effect.never],
  ] as const)("an audit that %s is logged, and the call keeps its outcome", ([, record]) =>
    Effect.gen(function* () {
      const lines: unknown[] = [];
      const parts = Layer.succeed(Audit, { record: () => record });
      const calling = yield* call(tools[0], {}).pipe(
        Effect.provide(runtimeLayer({ tools, principal, parts })),
        Effect.provide(Logger.layer([Logger.make(({ message }) => lines.push(message))])),
        Effect.forkChild,
      );
      yield* TestClock.adjust("30 seconds");
      expect(yield* Fiber.join(calling)).toBe("done");
      expect(String(lines)).toMatch(/The audit of call ".+" failed/);
    }),
  );

  it.effect("an audit receives one record of a pending call, when it is over", () => {
    const { received, layer } = directory(() => Effect.succeed(true));
    const asks = tool({
      name: "asks",
      description: "Asks",
      input: any,
      requiresApproval: true,
      run: () => 1,
    });
    return Effect.gen(function* () {
      const all = yield* Tools;
      const [reply] = yield* all.turn([{ id: "1", tool: "asks", input: "{}" }]);
      expect(received).toEqual([]);
      yield* all.resume(reply!.pending!.id, { kind: "allow" });
      expect(received.map(({ tool: name, success }) => [name, success])).toEqual([["asks", true]]);
    }).pipe(
      Effect.provide(runtimeLayer({ tools: [asks], principal, parts: identity, approver: () => undefined })),
      Effect.provide(layer),
    );
  });

  it.effect("a ledger among the parts is used and audited, even if it is an instance of a class", () => {
    const inner = memoryLedger({ redactor: redactor() });
    class Store implements LedgerStore {
      readonly #inner = inner;
      open(opening: EntryOpening) {
        return this.#inner.open(opening);
      }
      close(closing: EntryClosing) {
        return this.#inner.close(closing);
      }
      entries() {
        return this.#inner.entries();
      }
    }
    const mine = new Store();
    const received: string[] = [];
    const audit = Layer.succeed(Audit, {
      record: ({ tool: name }) => Effect.sync(() => void received.push(name)),
    });
    return Effect.gen(function* () {
      yield* call(tools[0], {});
      const ledger = yield* Ledger;
      expect((yield* ledger.entries()).map(({ tool: name }) => name)).toEqual(["works"]);
      expect((yield* mine.entries()).length).toBe(1);
      expect(received).toEqual(["works"]);
    }).pipe(
      Effect.provide(
        runtimeLayer({ tools, principal, parts: Layer.merge(Layer.succeed(Ledger, mine), audit) }),
      ),
    );
  });
});

describe("sources as layers", () => {
  const internal = saying("greet", "internal");
  const ofOrg = workspace().toolbox("desk").add(saying("greet", "org"), saying("bye", "org")).build();
  const ofProject = workspace().toolbox("shop").add(saying("greet", "project")).build();

  it.effect("are merged by the registry: project wins over org, and org over internal", () =>
    Effect.gen(function* () {
      const merged = (...projects: readonly Layer.Layer<ProjectTools>[]) =>
        Effect.map(Registry, (registry) => registry.get("greet")?.key).pipe(
          Effect.provide(
            runtimeLayer({
              parts: Layer.mergeAll(
                internalToolsLayer([internal]),
                orgToolsLayer(ofOrg, "acme"),
                ...projects,
              ),
            }),
          ),
        );
      expect(yield* merged(projectToolsLayer(ofProject))).toBe("shop/greet");
      expect(yield* merged()).toBe("acme/desk/greet");
    }),
  );

  it.effect("can be loaded by an Effect that needs services, and used without the whole runtime", () =>
    Effect.gen(function* () {
      const names = Effect.map(Registry, (registry) => registry.list().map(({ key }) => key));
      class Disk extends Context.Service<Disk, { readonly read: Effect.Effect<typeof ofOrg> }>()(
        "test/Disk",
      ) {}
      const sources = Layer.mergeAll(
        Layer.succeed(InternalTools, { tools: [] }),
        Layer.effect(
          OrgTools,
          Effect.flatMap(Disk, ({ read }) =>
            Effect.map(read, (tools) => ({ name: "acme", workspace: tools })),
          ),
        ),
        projectToolsLayer(),
      );
      const { configurationLayer, eventsLayer } = yield* Effect.promise(() => import("haft/effect"));
      const registry = mergedRegistryLayer.pipe(
        Layer.provide(Layer.mergeAll(sources, configurationLayer(), eventsLayer)),
        Layer.provide(Layer.succeed(Disk, { read: Effect.succeed(ofOrg) })),
      );
      expect(yield* Effect.provide(names, registry)).toEqual(["acme/desk/bye", "acme/desk/greet"]);
    }),
  );
});

describe("warnings", () => {
  const bare = tool({
    name: "bare",
    description: "Has undescribed parameters",
    input: {
      type: "object",
      properties: {
        x: { type: "number" },
        y: { type: "number", description: "Up" },
        z: { type: "number", description: " " },
      },
    } as const,
    run: () => 1,
  });
  const shadowing = workspace().toolbox("shop").add(saying("greet", "project")).build();

  const logged = <A, E>(effect: Effect.Effect<A, E>) => {
    const lines: string[] = [];
    const logger = Logger.make(({ logLevel, message }) => {
      lines.push(`${logLevel} ${message}`);
    });
    return Effect.as(Effect.provide(effect, Logger.layer([logger])), lines);
  };

  it.effect("about overrides and undescribed parameters are logged while the runtime opens", () =>
    Effect.gen(function* () {
      const opening = runtimeLayer({ tools: [saying("greet", "internal"), bare], project: shadowing });
      expect(yield* logged(Effect.provide(Tools, opening))).toEqual([
        'Warn The tool "bare" has parameters without a description for the model: x, z.',
        'Warn "greet" now means the tool "shop/greet". Call the other one by its full name, "internal/greet".',
      ]);
    }),
  );

  it.effect("are logged and emitted once for each tool that is registered later", () =>
    Effect.gen(function* () {
      const received: unknown[] = [];
      const lines = yield* logged(
        Effect.gen(function* () {
          const events = yield* Events;
          const registry = yield* Registry;
          events.on("tools.undescribed", (event) => received.push(event));
          events.on("tools.overridden", (event) => received.push(event));
          registry.register(bare);
          registry.registerWorkspace(shadowing, { origin: "project" });
        }).pipe(Effect.provide(runtimeLayer({ tools: [saying("greet", "internal")] }))),
      );
      expect(received).toEqual([
        { toolName: "bare", parameters: ["x", "z"] },
        { name: "greet", toolName: "shop/greet", shadowed: "greet" },
      ]);
      expect(lines).toHaveLength(2);
    }),
  );
});
