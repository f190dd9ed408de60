import { randomUUID } from "node:crypto";
import * as Tool from "effect/ai/Tool";
import * as Toolkit from "effect/ai/Toolkit";
import * as Effect from "effect/Effect";
import type * as Layer from "effect/Layer";
import * as Schema from "effect/Schema";
import { hashInput } from "../../base/json/canonical-json.ts";
import type { SessionProgress } from "../../runtime/session/session-turn.ts";
import type { Session } from "../../runtime/session.ts";
import type { ToolNameIn, ToolTypes } from "../../runtime/tool-types.ts";
import type { ToolOrClass } from "../../tools/decorator.ts";
import type { RawCall } from "../../types/call.ts";
import type { Reply } from "../../types/outcome.ts";
import { checkIntegration } from "../check-integration.ts";
import { listSessionTools, type SessionToolInfo, type SessionToolTypes } from "../session-tools.ts";
import { createResultNoter, type NoteResults, notRequestedText } from "../settle-requests.ts";
import { findPromptResults } from "./approval-parts.ts";

/** A session's tool in Effect's types. A call without a result fails with the text for the model. */
export type EffectAiTool<Name extends string, Types extends ToolTypes> = Tool.Tool<
  Name,
  {
    readonly parameters: Schema.Codec<Types["input"]>;
    readonly success: Schema.Codec<Types["output"]>;
    readonly failure: typeof Schema.String;
    readonly failureMode: "return";
  }
>;

/** A session's tools by name. */
export type EffectAiTools<All extends readonly ToolOrClass[]> = {
  readonly [Name in ToolNameIn<All>]: EffectAiTool<Name, SessionToolTypes<All>[Name]>;
};

/** A toolkit and the layer with its handlers. */
export interface EffectAiToolkit<All extends readonly ToolOrClass[]> {
  readonly toolkit: Toolkit.Toolkit<EffectAiTools<All>>;
  readonly layer: Layer.Layer<Tool.HandlersFor<EffectAiTools<All>>>;
}

/**
 * Converts a session's tools to an `effect/ai` toolkit. A call that needs approval becomes an approval
 * request. Only the ledger decides whether a call runs, whatever the prompt says.
 */
export const toEffectAiTools = <const All extends readonly ToolOrClass[]>(
  session: Session<All>,
): EffectAiToolkit<All> => {
  checkIntegration("toEffectAiTools", session);
  const context: ToolkitContext = { session, note: createResultNoter(session), allowedCalls: new Set() };
  const sessionTools = listSessionTools(session);
  const toolkit = Toolkit.make(...sessionTools.map((each) => toToolkitTool(context, each)));
  const handlers = Object.fromEntries(
    sessionTools.map(({ name }) => [name, toToolkitHandler(context, name)]),
  );
  return { toolkit, layer: toolkit.toLayer(handlers) } as unknown as EffectAiToolkit<All>;
};

interface ToolkitContext {
  readonly session: Session;
  readonly note: NoteResults;
  /** Calls of the model that may run. All others come from the prompt and may be forged. */
  readonly allowedCalls: Set<string>;
}

const toToolkitTool = (
  { session, note, allowedCalls }: ToolkitContext,
  { name, description, inputSchema }: SessionToolInfo,
) =>
  Tool.dynamic(name, {
    description,
    // Haft validates the arguments; Effect only shows the schema to the model.
    parameters: { ...inputSchema },
    success: Schema.Unknown,
    failure: Schema.String,
    failureMode: "return",
    needsApproval: (input: unknown, { toolCallId, messages }: Tool.NeedsApprovalContext) =>
      Effect.promise(async () => {
        await note(findPromptResults(messages));
        const call = { id: toolCallId, tool: name, input };
        const isAsked = (await session.asks(call)) !== undefined;
        if (!isAsked) allowedCalls.add(callKeyOf(call));
        return isAsked;
      }),
  });

/** Interrupting the handler aborts the call. */
const toToolkitHandler =
  ({ session, allowedCalls }: ToolkitContext, tool: string) =>
  (input: unknown, { toolCallId, preliminary }: Toolkit.HandlerContext<Tool.Any>) => {
    const call = { id: toolCallId ?? randomUUID(), tool, input };
    const isAllowed = toolCallId === undefined || allowedCalls.delete(callKeyOf(call));
    const result = Effect.promise(async (signal): Promise<Pick<Reply, "ok" | "text" | "value">> => {
      if (!isAllowed && (await session.stands(call)) === "none") {
        return { ok: false, text: `Error: ${notRequestedText(tool)}` };
      }
      const onProgress = ({ update }: SessionProgress) => void Effect.runFork(preliminary(update as never));
      const [reply] = await session.turn([call], { signal, onProgress });
      return reply!;
    });
    return Effect.flatMap(result, ({ ok, text, value }) =>
      ok ? Effect.succeed(value ?? null) : Effect.fail(text),
    );
  };

const callKeyOf = ({ id, tool, input }: RawCall): string => `${id}\n${tool}\n${hashInput(input)}`;
