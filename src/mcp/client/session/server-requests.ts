import { type Client, type ClientCapabilities, ProtocolError } from "@modelcontextprotocol/client";
import type { InputRequests, InputResponses, McpCaller } from "../../../types/mcp.ts";
import { uiExtension, uiMimeType } from "../to-tool/tool-link.ts";
import type { ActiveCallers } from "./server-connection.ts";
import { type McpRequestInfo, protocolViolationError } from "./session-errors.ts";

const internalErrorCode = -32_603;
const requestKey = "question";

const noCallerReasons = {
  none: "No caller with an open request on this connection can answer input requests.",
  several:
    "Several callers have open requests on this connection, so the input request cannot be assigned to one.",
} as const;

const withoutProgressToken = (params: unknown): unknown => {
  const meta = (params as { readonly _meta?: Readonly<Record<string, unknown>> } | undefined)?._meta;
  if (meta?.progressToken === undefined) return params;
  const { progressToken: _, ...rest } = meta;
  const { _meta, ...others } = params as Record<string, unknown>;
  return Object.keys(rest).length === 0 ? others : { ...others, _meta: rest };
};

/** A legacy server's request is forwarded only if exactly one caller is in flight. */
export const handleServerRequests = (client: Client, callers: ActiveCallers): void => {
  const answerRequest = async (method: string, given: unknown, signal: AbortSignal): Promise<never> => {
    const params = withoutProgressToken(given);
    const caller = callers.inputCaller();
    if (typeof caller === "string") throw new ProtocolError(internalErrorCode, noCallerReasons[caller]);
    const ask = caller.ask as NonNullable<McpCaller["ask"]>;
    const inputRequests: InputRequests = {
      [requestKey]: params === undefined ? { method } : { method, params },
    };
    let responses: InputResponses;
    try {
      responses = await callers.withPausedDeadlines(caller, () => ask(inputRequests, signal));
    } catch {
      // The reason stays private to the caller.
      throw new ProtocolError(internalErrorCode, "The caller did not answer the input request.");
    }
    const response = responses[requestKey];
    if (response === undefined)
      throw new ProtocolError(internalErrorCode, "The caller did not answer the input request.");
    return response as never;
  };
  client.setRequestHandler("elicitation/create", ({ method, params }, context) =>
    answerRequest(method, params, context.mcpReq.signal),
  );
  client.setRequestHandler("sampling/createMessage", ({ method, params }, context) =>
    answerRequest(method, params, context.mcpReq.signal),
  );
  client.setRequestHandler("roots/list", ({ method, params }, context) =>
    answerRequest(method, params, context.mcpReq.signal),
  );
};

export const isInputRequiredResult = (result: Readonly<Record<string, unknown>>): result is never =>
  result.resultType === "input_required";

const neverAborted = new AbortController().signal;

export const requestCallerInput = async (
  requests: InputRequests,
  caller: McpCaller | undefined,
  info: McpRequestInfo,
): Promise<InputResponses> => {
  if (Object.keys(requests).length === 0) return {};
  if (caller?.ask === undefined) {
    throw protocolViolationError(info, "it requires input, and the caller cannot answer input requests");
  }
  return caller.ask(requests, info.signal ?? neverAborted);
};

const tasksExtension = "io.modelcontextprotocol/tasks";

export const clientCapabilities: ClientCapabilities = {
  elicitation: { form: {}, url: {} },
  sampling: { tools: {}, context: {} },
  roots: { listChanged: true },
  extensions: { [tasksExtension]: {}, [uiExtension]: { mimeTypes: [uiMimeType] } },
};

const inputCapabilities = ["elicitation", "sampling", "roots"] as const;
const taskCapabilities: Readonly<Record<string, unknown>> = { extensions: { [tasksExtension]: {} } };
const noCapabilitiesDeclared: Readonly<Record<string, unknown>> = {};

const withUiCapability = (
  base: Readonly<Record<string, unknown>>,
  { capabilities: own }: McpCaller,
): Readonly<Record<string, unknown>> => {
  const extensions = own?.extensions as Readonly<Record<string, unknown>> | undefined;
  const ui = extensions?.[uiExtension];
  if (ui === undefined) return base;
  return { ...base, extensions: { ...(base.extensions as object | undefined), [uiExtension]: ui } };
};

/**
 * In the modern era, each request declares what this caller supports. Undefined if that equals the
 * connection's capabilities.
 */
export const capabilitiesOfCaller = (
  caller: McpCaller | undefined,
): Readonly<Record<string, unknown>> | undefined => {
  const withoutInput = caller?.waitsForTasks === false ? noCapabilitiesDeclared : taskCapabilities;
  const minimum = caller === undefined ? withoutInput : withUiCapability(withoutInput, caller);
  if (caller?.ask === undefined) return minimum;
  const own = caller.capabilities;
  if (own === undefined) return undefined;
  const has: Record<string, unknown> = { ...minimum };
  for (const kind of inputCapabilities) if (own[kind] !== undefined) has[kind] = own[kind];
  return has;
};
