import {
  type FunctionTool,
  type StandardSchemaWithJSON,
  type ToolOutputFileContent,
  type ToolOutputImage,
  type ToolOutputText,
  tool,
} from "@openai/agents";
import type { Session } from "../../runtime/session.ts";
import type { ToolOrClass } from "../../tools/decorator.ts";
import { type ContentPart, describeMedia } from "../../types/message.ts";
import type { Reply } from "../../types/outcome.ts";
import { checkIntegration } from "../check-integration.ts";
import { listSessionTools, type SessionToolInfo, type SessionToolTypes } from "../session-tools.ts";

/**
 * A session's tool in the OpenAI Agents SDK. It returns the text that the model reads, with images and files
 * if there are any.
 */
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

/** Keyed by `invoke`, which copies of a tool share, such as those of toolNamespace. */
const toolOwners = new WeakMap<InvokeTool, { readonly session: object; readonly name: string }>();

export const sessionToolNameOf = (
  session: object,
  { invoke }: { readonly invoke: unknown },
): string | undefined => {
  const owner = toolOwners.get(invoke as InvokeTool);
  return owner?.session === session ? owner.name : undefined;
};

class FailedCallError extends Error {}

/**
 * Converts a session's tools to function tools of the OpenAI Agents SDK. A call that needs approval becomes
 * an interruption. An approval in a RunState runs nothing before `settleRunState` has recorded it.
 */
export const toOpenAiAgentsTools = <const All extends readonly ToolOrClass[]>(
  session: Session<All>,
): OpenAiAgentsTools<All> => {
  checkIntegration("toOpenAiAgentsTools", session);
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
    // In its strict mode the SDK would make every field required.
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
      // The model cannot correct other errors, such as a closed runtime.
      throw error;
    },
  });
  toolOwners.set(made.invoke as InvokeTool, { session, name });
  // The SDK replaces dashes by underscores, which could make two names equal.
  return { ...made, name } as unknown as OpenAiAgentsTool;
};

export type ToolOutputPart = ToolOutputText | ToolOutputImage | ToolOutputFileContent;

const toToolOutput = ({ text, parts }: Reply): string | ToolOutputPart[] =>
  parts === undefined ? text : [{ type: "text", text }, ...parts.map(toToolOutputPart)];

/** The SDK has no audio in results. */
const toToolOutputPart = (part: ContentPart): ToolOutputPart => {
  if (part.kind === "text") return { type: "text", text: part.text };
  const { kind, mediaType, name, data, url } = part;
  if (kind === "image") return { type: "image", image: data === undefined ? { url } : { data, mediaType } };
  if (kind === "audio") return { type: "text", text: `[${describeMedia(part)}: it cannot be shown to you.]` };
  const filename = name ?? "file";
  return { type: "file", file: data === undefined ? { url, filename } : { data, mediaType, filename } };
};
