import * as LanguageModel from "effect/ai/LanguageModel";
import * as Tool from "effect/ai/Tool";
import type * as Toolkit from "effect/ai/Toolkit";
import * as Effect from "effect/Effect";
import * as Schema from "effect/Schema";
import { Haft } from "../../runtime/haft.ts";
import { tool } from "../../tools/tool.ts";
import { fromEffectAiTools } from "./from-tools.ts";
import { toEffectAiTools } from "./to-tools.ts";

const sendMail = tool({
  name: "send_mail",
  description: "Sends a mail.",
  input: { type: "object", properties: { to: { type: "string" } }, required: ["to"] },
  run: ({ to }) => ({ sentTo: to }),
});
const haft = await Haft.open({ tools: [sendMail], principal: { agent: "clerk", allow: ["*"] } });
const { toolkit, layer } = toEffectAiTools(haft.session());

// The layer provides everything that the toolkit requires except the model.
export const answer: Effect.Effect<string, unknown, LanguageModel.LanguageModel> = LanguageModel.generateText(
  {
    prompt: "Hi",
    toolkit,
  },
).pipe(
  Effect.map(({ toolResults }) => {
    for (const each of toolResults) if (!each.isFailure) each.result.sentTo satisfies string;
    // @ts-expect-error it gives no `id`
    for (const each of toolResults) if (!each.isFailure) each.result.id;
    return "";
  }),
  Effect.provide(layer),
);

// Custom handlers have the input and output types of the tools.
toolkit.toLayer({ send_mail: ({ to }) => Effect.succeed({ sentTo: to }) });
// @ts-expect-error a call of it has no `from`
toolkit.toLayer({ send_mail: ({ from }) => Effect.succeed({ sentTo: from }) });
// @ts-expect-error it gives no number
toolkit.toLayer({ send_mail: () => Effect.succeed({ sentTo: 7 }) });
// @ts-expect-error no tool has this name
export const unknown = toolkit.tools.send_male;

// Imported tools keep their names and encoded types.
const lookup = Tool.make("lookup", {
  parameters: Schema.Struct({ id: Schema.NumberFromString }),
  success: Schema.Struct({ total: Schema.Number }),
});
declare const ready: Toolkit.WithHandler<{ readonly lookup: typeof lookup }>;
const { tools: imported } = fromEffectAiTools(ready);
const shop = await Haft.open({ tools: imported, principal: { agent: "clerk", allow: ["*"] } });
(await shop.call("lookup", { id: "7" })).total satisfies number;
// @ts-expect-error an encoded id is a text
await shop.call("lookup", { id: 7 });
