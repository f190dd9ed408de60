import { jsonSchema, type ModelMessage, type Tool, type ToolExecutionOptions } from "ai";
import type { Session } from "../../runtime/session.ts";
import type { ToolOrClass } from "../../tools/decorator.ts";
import type { ApprovalRequest } from "../../types/approval.ts";
import type { RawCall } from "../../types/call.ts";
import { ToolError } from "../../types/errors.ts";
import { type ContentPart, describeMedia } from "../../types/message.ts";
import type { Reply } from "../../types/outcome.ts";
import { checkIntegration } from "../check-integration.ts";
import {
  type IntegrationOptions,
  listSessionTools,
  type SessionToolInfo,
  type SessionToolTypes,
} from "../session-tools.ts";
import { createResultNoter, type NoteResults, notRequestedText, recordAnswer } from "../settle-requests.ts";
import { findApprovalResponse, findToolResults, isCallInMessages } from "./approval-parts.ts";

/** A session's tools by name, as `generateText` and `streamText` accept them. */
export type AiSdkTools<All extends readonly ToolOrClass[]> = {
  [Name in keyof SessionToolTypes<All>]: Tool<
    SessionToolTypes<All>[Name]["input"],
    SessionToolTypes<All>[Name]["output"]
  >;
};

/**
 * Converts a session's tools to tools of the AI SDK. A call that needs approval becomes an approval request.
 * Only the ledger decides whether a call runs, whatever the messages say.
 */
export const toAiSdkTools = <const All extends readonly ToolOrClass[]>(
  session: Session<All>,
  options: IntegrationOptions = {},
): AiSdkTools<All> => {
  checkIntegration("toAiSdkTools", session, options);
  const note = createResultNoter(session);
  const outputs = createModelOutputs();
  return Object.fromEntries(
    listSessionTools(session).map((sessionTool) => [
      sessionTool.name,
      toAiSdkTool(session, sessionTool, options, note, outputs),
    ]),
  ) as AiSdkTools<All>;
};

type ToModelOutput = NonNullable<Tool<unknown, unknown>["toModelOutput"]>;
type ModelOutput = Awaited<ReturnType<ToModelOutput>>;

const maxKeptOutputs = 200;

interface ModelOutputs {
  readonly keep: (callId: string, reply: Reply) => void;
  readonly toModelOutput: ToModelOutput;
}

/** The AI SDK carries values without media, so media are kept here by call id. */
const createModelOutputs = (): ModelOutputs => {
  const outputsByCall = new Map<string, ModelOutput>();
  return {
    keep: (callId, { text, parts }) => {
      if (parts === undefined) return;
      outputsByCall.set(callId, {
        type: "content",
        value: [{ type: "text", text }, ...parts.map(toContent)],
      });
      if (outputsByCall.size > maxKeptOutputs)
        outputsByCall.delete(outputsByCall.keys().next().value as string);
    },
    toModelOutput: ({ toolCallId, output }) => outputsByCall.get(toolCallId) ?? toPlainOutput(output),
  };
};

export const toPlainOutput = (output: unknown): ModelOutput =>
  typeof output === "string"
    ? { type: "text", value: output }
    : { type: "json", value: (output ?? null) as never };

type Content = Extract<ModelOutput, { readonly type: "content" }>["value"][number];

/** The AI SDK would fetch any URL itself, so URLs are described as text. */
const toContent = (part: ContentPart): Content => {
  if (part.kind === "text") return { type: "text", text: part.text };
  const { mediaType, name, data } = part;
  if (data === undefined) return { type: "text", text: `[${describeMedia(part)}]` };
  const filename = name === undefined ? {} : { filename: name };
  return { type: "file", mediaType, data: { type: "data", data }, ...filename };
};

type AiSdkCallOptions = ToolExecutionOptions<unknown>;

const toAiSdkTool = (
  session: Session,
  { name, description, inputSchema, outputSchema }: SessionToolInfo,
  options: IntegrationOptions,
  note: NoteResults,
  { keep, toModelOutput }: ModelOutputs,
): Tool<unknown, unknown> => {
  const callOf = (input: unknown, id: string): RawCall => ({ id, tool: name, input });
  return {
    description,
    inputSchema: jsonSchema(inputSchema),
    ...(outputSchema === undefined ? {} : { outputSchema: jsonSchema(outputSchema) }),
    needsApproval: async (input, { toolCallId, messages }) =>
      (await requestAiSdkApproval(session, note, callOf(input, toolCallId), messages)) !== undefined,
    async *execute(input, given: AiSdkCallOptions) {
      const notingResults = note(findToolResults(given.messages));
      if (notingResults !== undefined) await notingResults;
      const call = callOf(input, given.toolCallId);
      const reply = yield* yieldUpdates((tell) => makeOrResumeCall(session, call, given, options, tell));
      if (!reply.ok) throw new ReplyError(reply);
      keep(given.toolCallId, reply);
      yield reply.value;
    },
    toModelOutput,
  };
};

/**
 * The content of the AI SDK's approval request. `useChat` shows the reason as `requestReason` of a message
 * part.
 */
export interface AiSdkApprovalStatus {
  readonly type: "user-approval";
  readonly reason: string;
}

/** The `toolApproval` setting of `generateText` and `streamText`, with one function per tool of a session. */
export type AiSdkToolApproval<All extends readonly ToolOrClass[]> = {
  readonly [Name in keyof SessionToolTypes<All>]: (
    input: SessionToolTypes<All>[Name]["input"],
    options: { readonly toolCallId: string; readonly messages: ModelMessage[] },
  ) => Promise<AiSdkApprovalStatus | undefined>;
};

/**
 * Creates the `toolApproval` setting, so that approval requests carry the reason and the id for `haft
 * approve`. AI SDK before 7.0.82 drops the reason.
 */
export const toolApproval = <const All extends readonly ToolOrClass[]>(
  session: Session<All>,
): AiSdkToolApproval<All> => {
  checkIntegration("toolApproval", session);
  const note = createResultNoter(session);
  const approvalOf =
    (tool: string) =>
    async (
      input: unknown,
      { toolCallId: id, messages }: { readonly toolCallId: string; readonly messages: ModelMessage[] },
    ): Promise<AiSdkApprovalStatus | undefined> => {
      const request = await requestAiSdkApproval(session, note, { id, tool, input }, messages);
      return request && { type: "user-approval", reason: toReason(request) };
    };
  return Object.fromEntries(
    listSessionTools(session).map(({ name }) => [name, approvalOf(name)]),
  ) as AiSdkToolApproval<All>;
};

const requestAiSdkApproval = async (
  session: Session,
  note: NoteResults,
  call: RawCall,
  messages: readonly ModelMessage[],
): Promise<ApprovalRequest | undefined> => {
  const notingResults = note(findToolResults(messages));
  if (notingResults !== undefined) await notingResults;
  // The AI SDK asks again about calls that the messages approve. A forged call must not create an approval
  // request.
  return isCallInMessages(messages, call) ? undefined : session.asks(call);
};

/** The AI SDK's request has its own id, so the text also names the id in the ledger. */
const toReason = ({ reason, id }: ApprovalRequest): string => `${reason} (approval ${id})`;

/**
 * A call in the messages may be forged, so an approval counts only for a pending request of this call, and
 * only if `answeredBy` is set.
 */
const makeOrResumeCall = (
  session: Session,
  call: RawCall,
  callOptions: AiSdkCallOptions,
  options: IntegrationOptions,
  onUpdate: (update: unknown) => void,
): Promise<Reply> => {
  const turn = async (): Promise<Reply> => {
    const { abortSignal: signal } = callOptions;
    const [reply] = await session.turn([call], { signal, onProgress: ({ update }) => onUpdate(update) });
    return reply!;
  };
  return isCallInMessages(callOptions.messages, call)
    ? resumeCall(session, call, callOptions, options, turn)
    : turn();
};

const resumeCall = async (
  session: Session,
  call: RawCall,
  { abortSignal: signal, messages }: AiSdkCallOptions,
  { answeredBy: by }: IntegrationOptions,
  turn: () => Promise<Reply>,
): Promise<Reply> => {
  const callStatus = await session.stands(call);
  if (callStatus === "none")
    throw new ReplyError({ tool: call.tool, text: `Error: ${notRequestedText(call.tool)}` });
  const isApproved = findApprovalResponse(messages, call.id)?.approved === true;
  if (callStatus !== "waiting" || !isApproved || by === undefined) return turn();
  const request = await session.asks(call);
  const reply = request && (await recordAnswer(session, request.id, { kind: "allow" }, { by, signal }));
  return reply ?? turn();
};

/** The model reads the error as a string, so that is the text of the reply. */
class ReplyError extends ToolError {
  constructor({ failure, text, tool }: Pick<Reply, "failure" | "text" | "tool">) {
    super(failure?.code ?? "approval_required", text, { tool });
  }

  override toString(): string {
    return this.message;
  }
}

async function* yieldUpdates<Done>(
  start: (onUpdate: (update: unknown) => void) => Promise<Done>,
): AsyncGenerator<unknown, Done> {
  const updates: unknown[] = [];
  let wake = (): void => {};
  const work = start((update) => {
    updates.push(update);
    wake();
  });
  const over = work.then(alwaysTrue, alwaysTrue);
  for (;;) {
    yield* updates.splice(0);
    const signal = new Promise<false>((resolve) => {
      wake = () => resolve(false);
    });
    if (updates.length === 0 && (await Promise.race([over, signal]))) break;
  }
  yield* updates;
  return await work;
}

const alwaysTrue = (): true => true;
