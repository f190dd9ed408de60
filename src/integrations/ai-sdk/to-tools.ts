import { jsonSchema, type Tool, type ToolExecutionOptions } from "ai";
import type { Session } from "../../runtime/session.ts";
import type { ToolOrClass } from "../../tools/decorator.ts";
import type { RawCall } from "../../types/call.ts";
import { ToolError } from "../../types/errors.ts";
import type { Reply } from "../../types/reply.ts";
import { checkIntegration } from "../check-integration.ts";
import { createResultNoter, type NoteResults } from "../note-results.ts";
import { recordAnswer } from "../record-framework-answer.ts";
import {
  type IntegrationOptions,
  listSessionTools,
  type SessionToolInfo,
  type SessionToolTypes,
} from "../session-tools.ts";
import { notRequestedText } from "../settle-requests.ts";
import { findApprovalResponse, findToolResults, isCallInMessages } from "./approval-parts.ts";
import { createModelOutputs, type ModelOutputs } from "./model-outputs.ts";
import { requestAiSdkApproval } from "./request-ai-sdk-approval.ts";

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
