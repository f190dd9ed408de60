import { createTool, type Tool, type ToolExecutionContext } from "@mastra/core/tools";
import type { Session } from "../../runtime/session.ts";
import type { Toolish } from "../../tool/decorator.ts";
import {
  type BridgedTool,
  type BridgedTypes,
  type BridgeOptions,
  bridgedTools,
  isPausedAnswer,
  type PausedCallAnswer,
  type PausedCallQuestion,
  toPausedQuestion,
} from "../bridged-tool.ts";
import { passThrough } from "./pass-through.ts";

/** What a call suspends with while it waits for a person: `suspendPayload` of Mastra. */
export interface MastraQuestion extends PausedCallQuestion {
  readonly callId: string;
  /** The arguments as Mastra gave them at first. It gives others when it resumes: for some models it leaves nulls out, once. */
  readonly given: unknown;
}

/** One tool of a session as Mastra knows tools. What comes out is the text that the model reads. */
export type MastraTool<Name extends string = string, Input = unknown> = Tool<
  Input,
  string,
  MastraQuestion,
  PausedCallAnswer,
  MastraContext,
  Name
>;

/** The tools of a session by name, ready for `new Agent({ tools })`. */
export type MastraTools<All extends readonly Toolish[]> = number extends All["length"]
  ? Record<string, MastraTool>
  : { [Name in keyof BridgedTypes<All>]: MastraTool<Name, BridgedTypes<All>[Name]["input"]> };

type MastraContext = ToolExecutionContext<MastraQuestion, PausedCallAnswer>;

/**
 * The tools that a session's model may use, as tools of Mastra. A call that waits for a person suspends; resumed, it is
 * made if the ledger has a yes by then, and suspends again with the same question if it has no answer.
 */
export const toMastraTools = <const All extends readonly Toolish[]>(
  session: Session<All>,
  options: BridgeOptions = {},
): MastraTools<All> => {
  const made = bridgedTools(session).map((each) => [each.name, toTool(session, each, options)] as const);
  return Object.fromEntries(made) as MastraTools<All>;
};

const text = { type: "string" } as const;
const questionSchema = passThrough<MastraQuestion>({
  type: "object",
  properties: { approvalId: text, callId: text, tool: text, input: {}, reason: text, given: {} },
  required: ["approvalId", "callId", "tool", "input", "reason", "given"],
});

const toTool = (
  session: Session,
  { name, title, description, inputSchema }: BridgedTool,
  options: BridgeOptions,
) =>
  createTool({
    id: name,
    ...(title === undefined ? {} : { title }),
    description,
    inputSchema: passThrough<unknown>(inputSchema),
    outputSchema: passThrough<string>(text),
    // Makes Mastra start calls of one message one by one: of several that are suspended at once, it loses sight.
    suspendSchema: questionSchema,
    execute: async (input, context) => {
      const place: Suspendable = context.agent ?? context.workflow ?? context;
      const id = context.agent?.toolCallId ?? place.suspendPayload?.callId ?? crypto.randomUUID();
      await recordAnswer(session, place, id, options, context.abortSignal);
      const given = place.suspendPayload === undefined ? input : place.suspendPayload.given;
      const [reply] = await session.turn([{ id, tool: name, input: given }], {
        signal: context.abortSignal,
        onProgress: ({ update }) => void context.writer?.write(update).catch(() => {}),
      });
      if (reply?.pending !== undefined && place.suspend !== undefined) {
        await place.suspend({ ...toPausedQuestion(reply.pending), callId: id, given });
        return undefined;
      }
      if (reply?.ok !== true) throw new Error(reply?.text);
      return reply.text;
    },
  });

/** Where a tool runs: in an agent, in a step of a workflow, or behind an MCP server. */
type Suspendable = Pick<ToolExecutionContext<MastraQuestion>, "suspend" | "resumeData" | "suspendPayload">;

/** Counts only for the question that this call suspended with. Of several answers the first one counts, whoever gave it. */
const recordAnswer = async (
  session: Session,
  { resumeData, suspendPayload }: Suspendable,
  callId: string,
  { answeredBy }: BridgeOptions,
  signal: AbortSignal | undefined,
): Promise<void> => {
  if (answeredBy === undefined || !isPausedAnswer(resumeData)) return;
  const { approvalId, ...decision } = resumeData;
  if (suspendPayload?.approvalId !== approvalId) return;
  const asked = (await session.pending()).find(({ id }) => id === approvalId);
  if (asked?.callId !== callId || asked.status !== "waiting") return;
  await session.answer(approvalId, decision, { by: answeredBy, signal });
};
