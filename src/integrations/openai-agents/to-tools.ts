import { type FunctionTool, type StandardSchemaWithJSON, tool } from "@openai/agents";
import type { Session } from "../../runtime/session.ts";
import type { ToolOrClass } from "../../tools/decorator.ts";
import { listSessionTools, type SessionToolInfo, type SessionToolTypes } from "../session-tools.ts";
import { type ToolOutputPart, toToolOutput } from "./tool-output.ts";

/** One tool of a session as the OpenAI Agents SDK knows tools. What comes out is the text that the model reads, with pictures and files where there are some. */
export type OpenAiAgentsTool<Name extends string = string, Input = unknown> = FunctionTool<
  unknown,
  StandardSchemaWithJSON<Input>,
  string | ToolOutputPart[]
> & { readonly name: Name };

/** The tools of a session, ready for `new Agent({ tools })`. */
export type OpenAiAgentsTools<All extends readonly ToolOrClass[]> = number extends All["length"]
  ? OpenAiAgentsTool[]
  : {
      [Name in keyof SessionToolTypes<All>]: OpenAiAgentsTool<Name, SessionToolTypes<All>[Name]["input"]>;
    }[keyof SessionToolTypes<All>][];

type InvokeTool = OpenAiAgentsTool["invoke"];

/** Whose tool it is, by the one function that copies of a tool, such as toolNamespace makes, have in common. */
const toolOwners = new WeakMap<InvokeTool, { readonly session: object; readonly name: string }>();

/** The name under which a session knows a tool of an agent; nothing if the tool is not of this session. */
export const sessionToolNameOf = (
  session: object,
  { invoke }: { readonly invoke: unknown },
): string | undefined => {
  const owner = toolOwners.get(invoke as InvokeTool);
  return owner?.session === session ? owner.name : undefined;
};

/** Tells the SDK that a call has failed; its message is what the model reads. */
class FailedCallError extends Error {}

/**
 * The tools that a session's model may use, as function tools of the OpenAI Agents SDK. A call that waits for a person
 * becomes an interruption. What a RunState says of it makes nothing run: `settleRunState` takes it to the ledger first.
 */
export const toOpenAiAgentsTools = <const All extends readonly ToolOrClass[]>(
  session: Session<All>,
): OpenAiAgentsTools<All> => {
  const tools: unknown[] = listSessionTools(session).map((each) => toOpenAiAgentsTool(session, each));
  return tools as OpenAiAgentsTools<All>;
};

const toOpenAiAgentsTool = (
  session: Session,
  { name, description, inputSchema }: SessionToolInfo,
): OpenAiAgentsTool => {
  const made = tool({
    name,
    description,
    // The session validates; what the SDK calls strict would make every field required.
    strict: false,
    parameters: inputSchema as never,
    needsApproval: async (_context, input, callId) =>
      callId !== undefined && (await session.asks({ id: callId, tool: name, input })) !== undefined,
    execute: async (input, _context, { toolCall, signal } = {}) => {
      const call = { id: toolCall?.callId ?? crypto.randomUUID(), tool: name, input };
      const [reply] = await session.turn([call], { signal });
      if (reply?.ok !== true) throw new FailedCallError(reply?.text);
      return toToolOutput(reply);
    },
    errorFunction: (_context, error) => {
      if (error instanceof FailedCallError) return error.message;
      // Such as a runtime that is closed: nothing that a model could mend, so the run fails.
      throw error;
    },
  });
  toolOwners.set(made.invoke as InvokeTool, { session, name });
  // The SDK writes every dash as an underscore, and two names could become one.
  return { ...made, name } as unknown as OpenAiAgentsTool;
};
