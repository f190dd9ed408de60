import { randomUUID } from "node:crypto";
import type { CallbackManagerForToolRun } from "@langchain/core/callbacks/manager";
import { type ContentBlock, ToolMessage } from "@langchain/core/messages";
import type { ToolRunnableConfig } from "@langchain/core/tools";
import { hashInput } from "../../base/json/canonical-json.ts";
import { checkPackage, missingPackage } from "../../base/platform/peer-packages.ts";
import type { Session } from "../../runtime/session.ts";
import type { ApprovalRequest } from "../../types/approval.ts";
import type { RawCall } from "../../types/call.ts";
import { toError } from "../../types/errors.ts";
import type { ContentPart } from "../../types/message.ts";
import type { Reply } from "../../types/outcome.ts";
import {
  type IntegrationOptions,
  isPausedCallAnswer,
  type PausedCallAnswer,
  toPausedCallRequest,
} from "../session-tools.ts";

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

const noCheckpointerText = "This graph cannot pause for the approval because it has no checkpointer.";

const resultOrThrow = ({ failure, ok, pending, text: message, tool, value }: Reply): unknown => {
  if (ok) return value;
  throw toError(
    failure ?? { code: "approval_required", message, tool, ...(pending && { approval: pending }) },
  );
};

const toContentBlock = (part: ContentPart): ContentBlock.Standard => {
  if (part.kind === "text") return { type: "text", text: part.text };
  const { kind: type, mediaType: mimeType, name, data, url } = part;
  const metadata = name === undefined ? {} : { metadata: { filename: name } };
  return data === undefined ? { type, mimeType, url, ...metadata } : { type, mimeType, data, ...metadata };
};

interface GraphConfig {
  /** LangGraph's function, or a record of functions if the graph names its interrupts. */
  readonly interrupt?: unknown;
  readonly configurable?: Readonly<Record<string, unknown>>;
}

/** The first call that interrupts receives the resume values for all calls of the node. */
const resumeValuesByNode = new WeakMap<object, unknown[]>();

/** Only a graph with a checkpointer can pause. */
const canPause = ({ interrupt, configurable }: GraphConfig): boolean =>
  interrupt !== undefined && Boolean(configurable?.__pregel_checkpointer);

/** Pauses the graph by throwing, or returns the next resume value. */
type Interrupt = (value: unknown) => unknown;

const langGraphRequirement = "A LangChain tool that pauses its graph needs";

const loadInterrupt = async ({ interrupt }: GraphConfig): Promise<Interrupt> => {
  if (typeof interrupt === "function") return interrupt as Interrupt;
  checkPackage("@langchain/langgraph", langGraphRequirement);
  const graph = await import("@langchain/langgraph").catch(
    missingPackage("@langchain/langgraph", langGraphRequirement),
  );
  return graph.interrupt;
};

/** Consumes each answer once. */
const answerOrPause = async (
  request: ApprovalRequest,
  config: GraphConfig,
  acceptsAnswers: boolean,
): Promise<PausedCallAnswer> => {
  const pausedCall = toPausedCallRequest(request);
  const interrupt = await loadInterrupt(config);
  const node = (config.configurable?.__pregel_scratchpad ?? {}) as object;
  const values = resumeValuesByNode.get(node) ?? [];
  resumeValuesByNode.set(node, values);
  while (true) {
    const at = values.findIndex(
      (value) => acceptsAnswers && isPausedCallAnswer(value) && value.approvalId === pausedCall.approvalId,
    );
    if (at >= 0) return values.splice(at, 1)[0] as PausedCallAnswer;
    const next = interrupt(pausedCall);
    values.push(...(Array.isArray(next) ? next : [next]));
  }
};
