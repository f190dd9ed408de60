// The runtime as Effect services: typed calls and failures, tools that require services, and replaced parts.
import assert from "node:assert/strict";
//#region tool
import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import { tool } from "haft";
import { CurrentPrincipal, call, runtimeLayer } from "haft/effect";

class Prices extends Context.Service<Prices, { readonly of: (item: string) => Effect.Effect<number> }>()(
  "example/Prices",
) {}

const price = tool({
  name: "price_of",
  description: "What an item costs, in cents",
  input: {
    type: "object",
    properties: { item: { type: "string", description: "Its name in the shop" } },
    required: ["item"],
  } as const,
  output: { type: "number" },
  annotations: { readOnly: true },
  run: ({ item }) => Effect.flatMap(Prices, (prices) => prices.of(item)),
});
//#endregion

//#region run
const prices = Layer.succeed(Prices, { of: (item) => Effect.succeed(item.length * 100) });
const shop = { agent: "shop", allow: ["price_of"] };

// Effect<number, AnyToolError, Tools>
const lamp = call(price, { item: "lamp" });

// Layer<RuntimeServices, AnyToolError, Prices>: the layer requires what its tools require.
const runtime = runtimeLayer({ tools: [price] });

const cents = await lamp.pipe(
  Effect.provideService(CurrentPrincipal, shop),
  Effect.provide(Layer.provide(runtime, prices)),
  Effect.runPromise,
);
assert.equal(cents, 400);
//#endregion

//#region failures
const described = lamp.pipe(
  Effect.map((found) => `${found} cents`),
  Effect.catchTag("ToolTimeoutError", () => Effect.succeed("later")),
  Effect.catchTag("ToolAuthorizationError", (error) => Effect.succeed(`not for ${error.toolName}`)),
);
//#endregion
const denied = await Effect.runPromise(Effect.provide(described, Layer.provide(runtime, prices)));
assert.equal(denied, "not for price_of");

//#region layer
import * as Ref from "effect/Ref";
import { failed, type ToolLayer } from "haft/layers";

class Counts extends Context.Service<Counts, Ref.Ref<number>>()("example/Counts") {}

const counting =
  (count: Ref.Ref<number>): ToolLayer =>
  (next) =>
  (each) =>
    Effect.andThen(
      Ref.update(count, (calls) => calls + 1),
      next(each),
    );

const closedOn =
  (day: string): ToolLayer<{ readonly today: string }> =>
  (next) =>
  (each) =>
    each.env.today === day
      ? Effect.succeed(failed({ code: "denied", message: `The shop is closed on ${day}.` }))
      : next(each);

// Layer<RuntimeServices, AnyToolError, Prices | Counts>
const counted = Layer.unwrap(
  Effect.map(Counts, (count) =>
    runtimeLayer({
      tools: [price],
      principal: shop,
      layers: [closedOn("Sunday"), counting(count)], // the last is outermost: it also counts what the first refuses
      env: { today: "Sunday" },
    }),
  ),
);
//#endregion
const count = Ref.makeUnsafe(0);
const refused = await Effect.flip(lamp).pipe(
  Effect.provide(Layer.provide(counted, Layer.merge(prices, Layer.succeed(Counts, count)))),
  Effect.runPromise,
);
assert.equal(refused.message, "The shop is closed on Sunday.");
assert.equal(Ref.getUnsafe(count), 1);

//#region policy
import { Audit, type AuditRecord, Policy, type PolicyEngine } from "haft/effect";

class Directory extends Context.Service<
  Directory,
  {
    readonly mayUse: (agent: string, tool: string) => Effect.Effect<boolean, Error>;
    readonly keep: (record: AuditRecord) => Effect.Effect<void, Error>;
  }
>()("example/Directory") {}

const says = (effect: "allow" | "deny") => ({
  effect,
  reason: "the directory says so",
  ruleIds: ["directory"],
});

const policy = Layer.effect(
  Policy,
  Effect.map(
    Directory,
    ({ mayUse }): PolicyEngine => ({
      visible: () => says("allow"),
      decide: ({ principal, registration }) =>
        Effect.map(mayUse(principal?.agent ?? "", registration.key), (may) => says(may ? "allow" : "deny")),
    }),
  ),
);

const audit = Layer.effect(
  Audit,
  Effect.map(Directory, ({ keep }) => ({ record: keep })),
);

// Layer<RuntimeServices, AnyToolError, Prices | Directory>
const governed = runtimeLayer({ tools: [price], principal: shop, parts: Layer.mergeAll(policy, audit) });
//#endregion

//#region test
const kept: AuditRecord[] = [];
const directory = Layer.succeed(Directory, {
  mayUse: (agent) => Effect.succeed(agent === "shop"),
  keep: (record) => Effect.sync(() => void kept.push(record)),
});
const freebies = Layer.succeed(Prices, { of: () => Effect.succeed(0) });

const tested = Layer.provide(governed, Layer.mergeAll(directory, freebies));
const results = await Effect.all([
  lamp,
  Effect.flip(call(price, { item: "lamp" }, { principal: { agent: "thief", allow: ["*"] } })),
]).pipe(Effect.provide(tested), Effect.runPromise);

assert.equal(results[0], 0);
assert.equal(results[1].code, "denied");
assert.deepEqual(
  kept.map(({ agent, tool: name, success }) => [agent, name, success]),
  [
    ["shop", "price_of", true],
    ["thief", "price_of", false],
  ],
);

//#endregion

//#region clock
import * as Duration from "effect/Duration";
import * as Fiber from "effect/Fiber";
import * as TestClock from "effect/testing/TestClock";

const slow = Layer.succeed(Prices, { of: () => Effect.never });
const impatient = runtimeLayer({
  tools: [price],
  principal: shop,
  config: { execution: { defaultTimeoutMs: 5_000 } },
});

const late = await Effect.gen(function* () {
  const waiting = yield* Effect.forkChild(Effect.flip(lamp));
  yield* TestClock.adjust(Duration.seconds(5));
  return (yield* Fiber.join(waiting))._tag;
}).pipe(Effect.provide(Layer.provide(impatient, slow)), Effect.provide(TestClock.layer()), Effect.runPromise);
assert.equal(late, "ToolTimeoutError");

//#endregion

//#region ledger
import { Ledger, Tools } from "haft/effect";

const rows = Effect.gen(function* () {
  const tools = yield* Tools;
  const replies = yield* tools.turn([{ id: "1", tool: "price_of", input: '{"item":"lamp"}' }]);
  const ledger = yield* Ledger;
  return { text: replies[0]?.text, rows: (yield* ledger.entries()).length };
});
//#endregion
assert.deepEqual(await Effect.runPromise(Effect.provide(rows, tested)), { text: "0", rows: 1 });

//#region offer
import { Offers } from "haft/effect";

const shown = Effect.gen(function* () {
  const { offer } = yield* Offers;
  const { tools, report } = yield* offer({ format: "anthropic" });
  return { tools, report };
});
//#endregion
const { tools: forModel } = await Effect.runPromise(Effect.provide(shown, tested));
assert.deepEqual(
  forModel.map(({ name }) => name),
  ["price_of"],
);

//#region sources
import { workspace } from "haft";
import { OrgTools, projectToolsLayer, Registry } from "haft/effect";

const loaded = Layer.effect(
  OrgTools,
  Effect.sync(() => ({ name: "acme", workspace: workspace().toolbox("shop").add(price).build() })),
);
const discounts = workspace().toolbox("sale").add(price).build();

const found = Effect.map(Registry, (registry) => registry.get("price_of")?.key);
const sourced = runtimeLayer({ parts: Layer.mergeAll(loaded, projectToolsLayer(discounts)) });
//#endregion
const quiet = Layer.provide(sourced, Layer.succeed(Prices, { of: () => Effect.succeed(1) }));
assert.equal(await Effect.runPromise(Effect.provide(found, quiet)), "sale/price_of");

//#region mcp
import { Mcp } from "haft/effect";

const servers = Effect.gen(function* () {
  const { connect, list } = yield* Mcp;
  const state = yield* connect({ id: "files", command: "no-such-command" }).pipe(
    Effect.catchTag("MCPConnectionError", (error) => Effect.succeed({ status: error.code })),
  );
  return [state.status, (yield* list).length] as const;
});
//#endregion
const unlocked = runtimeLayer({ mcp: { lock: false } });
assert.deepEqual(await Effect.runPromise(Effect.provide(servers, unlocked)), ["mcp_unreachable", 0]);
console.log({ cents, denied, kept: kept.length });
