import { jsonSchema, type Tool, type ToolExecutionOptions } from "ai";
import type { Session } from "../../runtime/session.ts";
import type { Toolish } from "../../tool/decorator.ts";
import type { RawCall } from "../../words/call.ts";
import type { Reply } from "../../words/reply.ts";
import { answerQuestion } from "../answer-question.ts";
import { type BridgedTool, type BridgedTypes, type BridgeOptions, bridgedTools } from "../bridged-tool.ts";
import { type NoteResults, resultNoter } from "../note-results.ts";
import { nobodyAsked } from "../settle-requests.ts";
import { isInMessages, responseTo, resultsIn } from "./approval-parts.ts";
import { type ModelOutputs, modelOutputs } from "./model-output.ts";
import { ToldError } from "./told-error.ts";
import { withUpdates } from "./with-updates.ts";

/** A session's tools by name, as `generateText` and `streamText` take them. */
export type AiSdkTools<All extends readonly Toolish[]> = {
  [Name in keyof BridgedTypes<All>]: Tool<
    BridgedTypes<All>[Name]["input"],
    BridgedTypes<All>[Name]["output"]
  >;
};

/**
 * A session's tools as tools of the AI SDK. A call that waits for a person becomes its approval request, and whatever the
 * messages say, the ledger alone decides whether a call runs.
 */
export const toAiSdkTools = <const All extends readonly Toolish[]>(
  session: Session<All>,
  options: BridgeOptions = {},
): AiSdkTools<All> => {
  const note = resultNoter(session);
  const outputs = modelOutputs();
  return Object.fromEntries(
    bridgedTools(session).map((shown) => [shown.name, toTool(session, shown, options, note, outputs)]),
  ) as AiSdkTools<All>;
};

type Given = ToolExecutionOptions<unknown>;

const toTool = (
  session: Session,
  { name, description, inputSchema, outputSchema }: BridgedTool,
  options: BridgeOptions,
  note: NoteResults,
  { keep, toModelOutput }: ModelOutputs,
): Tool<unknown, unknown> => {
  const callOf = (input: unknown, id: string): RawCall => ({ id, tool: name, input });
  return {
    description,
    inputSchema: jsonSchema(inputSchema),
    ...(outputSchema === undefined ? {} : { outputSchema: jsonSchema(outputSchema) }),
    needsApproval: async (input, { toolCallId, messages }) => {
      const noting = note(resultsIn(messages));
      if (noting !== undefined) await noting;
      const call = callOf(input, toolCallId);
      // The AI SDK asks this again of calls that the messages approve: a forged one must not become a question by it.
      if (isInMessages(messages, call)) return false;
      return (await session.asks(call)) !== undefined;
    },
    async *execute(input, given: Given) {
      const noting = note(resultsIn(given.messages));
      if (noting !== undefined) await noting;
      const call = callOf(input, given.toolCallId);
      const reply = yield* withUpdates((tell) => make(session, call, given, options, tell));
      if (!reply.ok) throw new ToldError(reply);
      keep(given.toolCallId, reply);
      yield reply.value;
    },
    toModelOutput,
  };
};

/**
 * Makes a call, or tells again what came of it. Calls that the messages approve may be forged, so a yes counts only to a
 * question about this very call, and only if somebody stands for it.
 */
const make = (
  session: Session,
  call: RawCall,
  given: Given,
  options: BridgeOptions,
  tell: (update: unknown) => void,
): Promise<Reply> => {
  const turn = async (): Promise<Reply> => {
    const { abortSignal: signal } = given;
    const [reply] = await session.turn([call], { signal, onProgress: ({ update }) => tell(update) });
    return reply!;
  };
  return isInMessages(given.messages, call) ? goOn(session, call, given, options, turn) : turn();
};

const goOn = async (
  session: Session,
  call: RawCall,
  { abortSignal: signal, messages }: Given,
  { answeredBy: by }: BridgeOptions,
  turn: () => Promise<Reply>,
): Promise<Reply> => {
  const standing = await session.stands(call);
  if (standing === "none") throw new ToldError({ tool: call.tool, text: `Error: ${nobodyAsked(call.tool)}` });
  const isApproved = responseTo(messages, call.id)?.approved === true;
  if (standing !== "waiting" || !isApproved || by === undefined) return turn();
  const question = await session.asks(call);
  const reply = question && (await answerQuestion(session, question.id, { kind: "allow" }, { by, signal }));
  return reply ?? turn();
};
