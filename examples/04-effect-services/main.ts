// The same runtime as Effect services: tools that require services, and a ledger replaced for a test.
import assert from "node:assert/strict";
import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import { tool } from "haft";
import { CurrentPrincipal, Ledger, runtimeLayer, Tools } from "haft/effect";

//#region service
class Prices extends Context.Service<Prices, { readonly of: (item: string) => Effect.Effect<number> }>()(
  "example/Prices",
) {}

const price = tool({
  name: "price_of",
  description: "What an item costs, in cents",
  input: { type: "object", properties: { item: { type: "string" } }, required: ["item"] } as const,
  output: { type: "number" },
  annotations: { readOnly: true },
  run: ({ item }) => Effect.flatMap(Prices, (prices) => prices.of(item)),
});

const services = Layer.succeed(Prices, { of: (item) => Effect.succeed(item.length * 100) });
//#endregion

//#region program
const program = Effect.gen(function* () {
  const tools = yield* Tools;
  const cents = yield* tools.call("price_of", { item: "lamp" });
  const refused = yield* Effect.flip(tools.call("price_of", { item: 7 }));
  const ledger = yield* Ledger;
  return { cents, refused: refused._tag, rows: (yield* ledger.entries()).length };
});

const result = await program.pipe(
  Effect.provideService(CurrentPrincipal, { agent: "shop", allow: ["price_of"] }),
  Effect.provide(runtimeLayer({ tools: [price], services })),
  Effect.runPromise,
);
//#endregion
assert.deepEqual(result, { cents: 400, refused: "ToolInputValidationError", rows: 2 });
console.log(result);
