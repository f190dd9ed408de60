import type { StandardSchemaWithJSON } from "@mastra/core/schema";
import { createTool, type Tool, type ToolExecutionContext } from "@mastra/core/tools";
import type { Session } from "../../runtime/session.ts";
import type { ToolOrClass } from "../../tools/decorator.ts";
import type { JsonSchema } from "../../types/json.ts";
import { checkIntegration } from "../check-integration.ts";
import {
  type IntegrationOptions,
  isPausedCallAnswer,
  listSessionTools,
  type PausedCallAnswer,
  type PausedCallRequest,
  type SessionToolInfo,
  type SessionToolTypes,
  toPausedCallRequest,
} from "../session-tools.ts";

/** Accepts every value, because the session validates and records refusals. */
const passThroughSchema = <Value>(schema: JsonSchema): StandardSchemaWithJSON<Value> => {
  const copy = () => structuredClone(schema) as Record<string, unknown>;
  return {
    "~standard": {
      version: 1,
      vendor: "haft",
      validate: (value) => ({ value: value as Value }),
      jsonSchema: { input: copy, output: copy },
    },
  };
};

/** The `suspendPayload` of a call that waits for approval. */
export interface MastraApprovalRequest extends PausedCallRequest {
  readonly callId: string;
  /**
   * The arguments as Mastra first passed them. On resume it passes others: for some models it removes nulls,
   * once.
   */
  readonly given: unknown;
}

/** A session's tool in Mastra. It returns the text that the model reads. */
export type MastraTool<Name extends string = string, Input = unknown> = Tool<
  Input,
  string,
  MastraApprovalRequest,
  PausedCallAnswer,
  MastraContext,
  Name
>;

/** The tools of a session by name, ready for `new Agent({ tools })`. */
export type MastraTools<All extends readonly ToolOrClass[]> = number extends All["length"]
  ? Record<string, MastraTool>
  : { [Name in keyof SessionToolTypes<All>]: MastraTool<Name, SessionToolTypes<All>[Name]["input"]> };

type MastraContext = ToolExecutionContext<MastraApprovalRequest, PausedCallAnswer>;

/**
 * Converts a session's tools to tools of Mastra. A call that needs approval suspends. When it is resumed, it
 * runs if it has been approved, and suspends again if there is no answer.
 */
export const toMastraTools = <const All extends readonly ToolOrClass[]>(
  session: Session<All>,
  options: IntegrationOptions = {},
): MastraTools<All> => {
  checkIntegration("toMastraTools", session, options);
  const entries = listSessionTools(session).map(
    (each) => [each.name, toMastraTool(session, each, options)] as const,
  );
  return Object.fromEntries(entries) as MastraTools<All>;
};

const stringSchema = { type: "string" } as const;
const approvalRequestSchema = passThroughSchema<MastraApprovalRequest>({
  type: "object",
  properties: {
    approvalId: stringSchema,
    callId: stringSchema,
    tool: stringSchema,
    input: {},
    reason: stringSchema,
    given: {},
  },
  required: ["approvalId", "callId", "tool", "input", "reason", "given"],
});

const toMastraTool = (
  session: Session,
  { name, title, description, inputSchema }: SessionToolInfo,
  options: IntegrationOptions,
) =>
  createTool({
    id: name,
    ...(title === undefined ? {} : { title }),
    description,
    inputSchema: passThroughSchema<unknown>(inputSchema),
    outputSchema: passThroughSchema<string>(stringSchema),
    // Makes Mastra run the calls of one message in sequence. It loses track of several suspended calls.
    suspendSchema: approvalRequestSchema,
    execute: async (input, context) => {
      const place: SuspendContext = context.agent ?? context.workflow ?? context;
      const id = context.agent?.toolCallId ?? place.suspendPayload?.callId ?? crypto.randomUUID();
      await recordMastraAnswer(session, place, id, options, context.abortSignal);
      const given = place.suspendPayload === undefined ? input : place.suspendPayload.given;
      const [reply] = await session.turn([{ id, tool: name, input: given }], {
        signal: context.abortSignal,
        onProgress: ({ update }) => void context.writer?.write(update).catch(() => {}),
      });
      if (reply?.pending !== undefined && place.suspend !== undefined) {
        await place.suspend({ ...toPausedCallRequest(reply.pending), callId: id, given });
        return undefined;
      }
      if (reply?.ok !== true) throw new Error(reply?.text);
      return reply.text;
    },
  });

type SuspendContext = Pick<
  ToolExecutionContext<MastraApprovalRequest>,
  "suspend" | "resumeData" | "suspendPayload"
>;

/** Records an answer only for the request that this call suspended with. */
const recordMastraAnswer = async (
  session: Session,
  { resumeData, suspendPayload }: SuspendContext,
  callId: string,
  { answeredBy }: IntegrationOptions,
  signal: AbortSignal | undefined,
): Promise<void> => {
  if (answeredBy === undefined || !isPausedCallAnswer(resumeData)) return;
  const { approvalId, ...decision } = resumeData;
  if (suspendPayload?.approvalId !== approvalId) return;
  const asked = (await session.pending()).find(({ id }) => id === approvalId);
  if (asked?.callId !== callId || asked.status !== "waiting") return;
  await session.answer(approvalId, decision, { by: answeredBy, signal });
};
