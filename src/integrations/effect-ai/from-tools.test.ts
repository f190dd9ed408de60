import * as Chat from "effect/ai/Chat";
import * as Tool from "effect/ai/Tool";
import * as Toolkit from "effect/ai/Toolkit";
import * as Effect from "effect/Effect";
import * as Schema from "effect/Schema";
import { expect, test } from "vitest";
import { runEffectAiLoop, runWithScriptedModel } from "../../../test/kit/effect-ai-loop.ts";
import { scriptedEffectAiModel } from "../../../test/kit/scripted-effect-ai.ts";
import { Haft } from "../../runtime/haft.ts";
import { fromEffectAiTools, IdempotencyKey } from "./from-tools.ts";

const principal = { agent: "clerk", allow: ["*"] };

const add = Tool.make("add", {
  description: "Adds.",
  parameters: Schema.Struct({ a: Schema.Number, b: Schema.NumberFromString }),
  success: Schema.Struct({ sum: Schema.Number }),
}).annotate(Tool.Readonly, true);

const calculator = Toolkit.make(add);
const ready = (toolkit: typeof calculator) =>
  Effect.runPromise(
    toolkit.pipe(Effect.provide(toolkit.toLayer({ add: ({ a, b }) => Effect.succeed({ sum: a + b }) }))),
  );

test("imports tools with their transforming schemas, under the ledger and the policy", async () => {
  const { tools, losses } = fromEffectAiTools(await ready(calculator));
  expect(losses).toEqual([]);
  expect(tools[0]?.spec.annotations).toEqual({ readOnly: true });
  const haft = await Haft.open({ tools, principal });
  expect(await haft.call("add", { a: 2, b: "3" })).toEqual({ sum: 5 });
  await expect(haft.call("add", { a: 2, b: 3 as never })).rejects.toMatchObject({ code: "invalid_input" });
  expect((await haft.log()).map(({ tool, ending }) => `${tool} ${ending}`)).toEqual([
    "add executed",
    "add failed",
  ]);
});

test("prefers the settings of about to those of the author", async () => {
  const about = { add: { risk: "high" as const, annotations: { openWorld: true } } };
  const { tools } = fromEffectAiTools(await ready(calculator), { about });
  expect(tools[0]?.spec).toMatchObject({ risk: "high", annotations: { openWorld: true } });
});

test("reports preliminary results as progress, returns typed failures and interrupts handlers", async () => {
  const toolkit = Toolkit.make(
    Tool.make("count", { description: "Counts.", success: Schema.Number }),
    Tool.make("refuse", { description: "Refuses.", failure: Schema.String, failureMode: "return" }),
    Tool.make("wait", { description: "Waits." }),
  );
  const controller = new AbortController();
  const interrupted = Promise.withResolvers<void>();
  const handlers = toolkit.toLayer({
    count: (_, { preliminary }) => Effect.as(preliminary(1), 2),
    refuse: () => Effect.fail("Not today."),
    wait: () =>
      Effect.sync(() => controller.abort()).pipe(
        Effect.andThen(Effect.never),
        Effect.onInterrupt(() => Effect.sync(interrupted.resolve)),
      ),
  });
  const { tools, losses } = fromEffectAiTools(await Effect.runPromise(Effect.provide(toolkit, handlers)));
  expect(losses).toEqual([{ tool: "refuse", what: "Its typed failures become text." }]);
  const haft = await Haft.open({ tools, principal });
  const reported: unknown[] = [];
  haft.on("tools.progress", ({ update }) => reported.push(update));
  expect(await haft.call("count", {})).toBe(2);
  expect(reported).toEqual([1]);
  await expect(haft.call("refuse", {})).rejects.toMatchObject({
    message: expect.stringContaining("Not today."),
  });
  await expect(haft.call("wait", {}, { signal: controller.signal })).rejects.toMatchObject({
    code: "cancelled",
  });
  await interrupted.promise;
});

test("names everything that cannot be imported", async () => {
  const search = Tool.providerDefined({ id: "acme.search", customName: "search", providerName: "search" })();
  const toolkit = Toolkit.make(
    search,
    Tool.dynamic("anything", { description: "Anything." }),
    Tool.make("careful", { needsApproval: () => true, toModelOutput: () => [] }),
    Tool.make("always", { description: "Always asks.", needsApproval: true }),
  );
  const handlers = toolkit.toLayer({
    anything: () => Effect.succeed(1),
    careful: () => Effect.void,
    always: () => Effect.void,
  });
  const { tools, losses } = fromEffectAiTools(await Effect.runPromise(Effect.provide(toolkit, handlers)));
  expect(tools.map(({ spec }) => [spec.name, spec.requiresApproval])).toEqual([
    ["anything", false],
    ["careful", true],
    ["always", true],
  ]);
  expect(losses.map(({ tool, what }) => `${tool}: ${what}`)).toMatchInlineSnapshot(`
    [
      "search: Left out: its provider runs it, and Haft never sees the call.",
      "anything: It accepts any arguments, so its calls cannot be validated: each requires approval.",
      "careful: \`needsApproval\` is a function: here every call requires approval.",
      "careful: \`toModelOutput\` is not used: the model reads the result as JSON.",
      "careful: It has no description: the model reads its name instead.",
    ]
  `);
});

test("runs an imported toolkit in its own loop", async () => {
  const haft = await Haft.open({ tools: fromEffectAiTools(await ready(calculator)).tools, principal });
  const model = scriptedEffectAiModel([["c1", "add", { a: 2, b: "2" }]]);
  await runWithScriptedModel(
    Effect.flatMap(Chat.empty, (chat) => runEffectAiLoop(chat, haft.session(), "2 + 2?")),
    model,
  );
  expect(model.toldOf("c1")).toEqual({ isFailure: false, result: { sum: 4 } });
  expect(await haft.log()).toMatchObject([{ callId: "c1", tool: "add", ending: "executed" }]);
});

test("passes the idempotency key of the call to a handler", async () => {
  const keys: unknown[] = [];
  const pay = Tool.make("pay", { description: "Pays.", success: Schema.Struct({ paid: Schema.Boolean }) });
  const toolkit = Toolkit.make(pay);
  const handlers = toolkit.toLayer({
    pay: () =>
      Effect.gen(function* () {
        keys.push(yield* IdempotencyKey);
        return { paid: true };
      }),
  });
  const ready = await Effect.runPromise(toolkit.pipe(Effect.provide(handlers)));
  const haft = await Haft.open({ tools: fromEffectAiTools(ready).tools, principal });
  expect(await haft.call("pay", {})).toEqual({ paid: true });
  expect(keys).toEqual([expect.stringMatching(/./)]);
});
