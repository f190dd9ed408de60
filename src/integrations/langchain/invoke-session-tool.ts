import { randomUUID } from "node:crypto";
import type { CallbackManagerForToolRun } from "@langchain/core/callbacks/manager";
import { ToolMessage } from "@langchain/core/messages";
import type { ToolRunnableConfig } from "@langchain/core/tools";
import { hashInput } from "../../base/json/hash-input.ts";
import type { Session } from "../../runtime/session.ts";
import type { RawCall } from "../../types/call.ts";
import { toError } from "../../types/errors.ts";
import type { Reply } from "../../types/reply.ts";
import type { IntegrationOptions } from "../session-tools.ts";
import { toContentBlock } from "./content-blocks.ts";
import { answerOrPause, canPause, type GraphConfig } from "./paused-call.ts";

type LangChainCallConfig = ToolRunnableConfig & GraphConfig;

/** A node that is resumed or retried runs again from its beginning and gets the recorded result here. */
export const invokeSessionTool = async (
  session: Session,
  { tool, input }: Pick<RawCall, "tool" | "input">,
  { answeredBy }: IntegrationOptions,
  run: CallbackManagerForToolRun | undefined,
  config: LangChainCallConfig,
): Promise<unknown> => {
  const { signal } = config;
  const call: RawCall = { id: callIdOf(tool, input, config), tool, input };
  const isResumed: Promise<void>[] = [];
  const turn = async (): Promise<Reply> => {
    const [reply] = await session.turn([call], {
      ...(signal && { signal }),
      ...(run && { onProgress: ({ update }) => void isResumed.push(run.handleToolEvent(update)) }),
    });
    await Promise.allSettled(isResumed);
    signal?.throwIfAborted();
    return reply as Reply;
  };

  let reply = await turn();
  while (reply.pending !== undefined && canPause(config)) {
    const { approvalId, ...decision } = await answerOrPause(reply.pending, config, Boolean(answeredBy));
    // A late or invalid answer is refused; the next turn returns the state of the call.
    await session.answer(approvalId, decision, { by: answeredBy, signal }).catch(() => {});
    reply = await turn();
  }
  return config.toolCall === undefined ? resultOrThrow(reply) : toLangChainMessage(reply, config);
};

/**
 * Without a model's id, the id depends on node and arguments, so that a repeated node makes the call once.
 */
const callIdOf = (tool: string, input: unknown, { toolCall, configurable }: LangChainCallConfig): string => {
  if (toolCall?.id) return toolCall.id;
  const node = configurable?.checkpoint_ns;
  return node ? `${node}/${tool}/${hashInput(input)}` : randomUUID();
};

export const toLangChainMessage = (
  reply: Reply,
  { interrupt, toolCall }: LangChainCallConfig,
): ToolMessage => {
  const { ok, pending, text, tool, parts } = reply;
  const messageText =
    pending === undefined || interrupt === undefined ? text : `${text} ${noCheckpointerText}`;
  return new ToolMessage({
    ...(parts === undefined
      ? { content: messageText }
      : { contentBlocks: [{ type: "text", text: messageText }, ...parts.map(toContentBlock)] }),
    tool_call_id: toolCall?.id ?? "",
    name: tool,
    status: ok ? "success" : "error",
  });
};

const noCheckpointerText =
  "This graph cannot pause until the answer is there, because it has no checkpointer.";

const resultOrThrow = ({ failure, ok, pending, text: message, tool, value }: Reply): unknown => {
  if (ok) return value;
  throw toError(
    failure ?? { code: "approval_required", message, tool, ...(pending && { approval: pending }) },
  );
};
