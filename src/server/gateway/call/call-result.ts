import {
  ProtocolError,
  ProtocolErrorCode,
  type Result,
  SERVER_INFO_META_KEY,
} from "@modelcontextprotocol/server";
import { toWords } from "../../call/corridor.ts";
import { fromValue, remoteResultOf } from "../../mcp/client/content/from-value.ts";
import { withParts } from "../../mcp/client/content/media-blocks.ts";
import { foreignWords } from "../../mcp/client/transport/foreign-words.ts";
import { ToolError } from "../../words/errors.ts";
import { type Failure, isRetryable } from "../../words/failure.ts";
import { failures } from "../../words/failures.ts";
import type { Refusal, RemoteResult } from "../../words/mcp.ts";
import type { Reply } from "../../words/reply.ts";
import type { LiveCall } from "./live-call.ts";
import { redactJson } from "./redact-json.ts";

type Redact = (text: string) => string;

const unfound: ReadonlySet<string> = new Set(["unknown_tool", "not_visible", "ambiguous_tool"]);

/** A reply as the result of a tool, or the protocol's error thrown. */
export const toolResult = (reply: Reply, live: LiveCall, redact: Redact, isRemote = false): Result => {
  if (reply.pending !== undefined) return waiting(reply);
  const { failure } = reply;
  if (failure === undefined) {
    const raw =
      live.rawOf(reply, redact) ?? (isRemote ? remoteResultOf(reply.value, reply.parts) : undefined);
    return raw === undefined
      ? (withMaskedValue(fromValue(reply), redact) as Result)
      : passedOn(raw as Result, redact);
  }
  if (unfound.has(failure.code)) {
    const message = redact(`Unknown tool: ${foreignWords(reply.tool)}`);
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, message);
  }
  throwRefusal(refusalOf(failure, live), redact);
  const raw = live.lastReceived;
  if (failure.code === "failed" && raw?.isError === true) return passedOn(raw as Result, redact);
  return { ...(fromValue(reply) as Result), _meta: failureMeta(failure) };
};

/** A remote result whole, but for what is ours to say: whether it is a question or a task, and who answers. */
const passedOn = (raw: Result, redact: Redact): Result => {
  const { resultType, inputRequests, requestState, taskId, _meta, ...result } = redactJson(
    raw,
    redact,
  ) as Result;
  const { [SERVER_INFO_META_KEY]: _, ...meta } = _meta ?? {};
  return Object.keys(meta).length === 0 ? result : { ...result, _meta: meta };
};

/** Words of the corridor are masked already; the value beside them is not. */
const withMaskedValue = (result: RemoteResult, redact: Redact): RemoteResult => {
  const { structuredContent } = result;
  if (structuredContent === undefined) return result;
  try {
    const value: unknown = JSON.parse(JSON.stringify(structuredContent));
    return { ...result, structuredContent: redactJson(value, redact) };
  } catch {
    return { content: result.content! };
  }
};

const waiting = ({ pending, text }: Reply): Result => {
  const { id, expiresAt } = pending!;
  const how = `It waits for a person: approval ${id}. An operator answers with \`haft approve ${id}\`.`;
  return {
    content: [{ type: "text", text: text.includes(id) ? text : `${text}\n${how}` }],
    isError: true,
    _meta: { "haft/approval": { id, ...(expiresAt === undefined ? {} : { expiresAt }) } },
  };
};

const failureMeta = (failure: Failure): Readonly<Record<string, unknown>> => ({
  "haft/failure": { code: failure.code, retryable: isRetryable(failure) },
});

const deepest = 4;

/** The server's own answer behind a failure, however often it was wrapped on its way here. */
const causeOf = ({ cause }: Failure): unknown => {
  let own = cause;
  for (let depth = 0; depth < deepest && ToolError.is(own); depth++) own = own.failure.cause;
  return own;
};

/** What a server behind ours answered as an error of the protocol, if that is why there is no result. */
export const refusalOf = (failure: Failure | undefined, live?: LiveCall): Refusal | undefined => {
  if (failure?.code !== "mcp_protocol") return undefined;
  const own = causeOf(failure) ?? live?.refusal;
  if (typeof own !== "object" || own === null) return undefined;
  const { code, message } = own as Partial<Refusal>;
  return Number.isSafeInteger(code) && typeof message === "string" ? (own as Refusal) : undefined;
};

/** It is one here too, word for word but for secrets. */
const throwRefusal = (refusal: Refusal | undefined, redact: Redact): void => {
  if (refusal === undefined) return;
  const { code, message, data } = refusal;
  throw new ProtocolError(code, redact(message.slice(0, 2000)), redactJson(data, redact));
};

/** A reply where the protocol knows no failed result: of a prompt or a resource. */
export const plainResult = (reply: Reply, live: LiveCall, redact: Redact): Result => {
  const { failure, pending, value } = reply;
  throwRefusal(refusalOf(failure, live), redact);
  if (failure !== undefined || pending !== undefined) {
    const { content, _meta } =
      pending === undefined ? { _meta: failureMeta(failure!) } : textOf(waiting(reply));
    throw new ProtocolError(ProtocolErrorCode.InternalError, content ?? reply.text, _meta);
  }
  const raw = live.rawOf(reply, redact) ?? withParts(value, reply.parts ?? []);
  if (typeof raw === "object" && raw !== null && !Array.isArray(raw)) return passedOn(raw as Result, redact);
  throw new ProtocolError(
    ProtocolErrorCode.InternalError,
    "The result is not one that this method can have.",
  );
};

const textOf = ({ content, _meta }: Result) => ({
  content: (content as readonly [{ readonly text: string }])[0].text,
  _meta,
});

/** What only an operator may read reaches a client as one plain sentence, as it does a model. */
const wordsOf = (failure: Failure): string => {
  if (failures[failure.code].reader === "model") return failure.message;
  if (failure.tool === undefined) return "This cannot be answered right now.";
  return toWords(failure, failure.tool).replace(/^Error: /, "");
};

/** Whatever went wrong as an error of the protocol. Nothing of our own insides gets out. */
export const toProtocolError = (error: unknown, redact: Redact): ProtocolError => {
  if (error instanceof ProtocolError) return error;
  if (!ToolError.is(error)) return new ProtocolError(ProtocolErrorCode.InternalError, "Internal error");
  try {
    throwRefusal(refusalOf(error.failure), redact);
  } catch (own) {
    return own as ProtocolError;
  }
  const message = redact(foreignWords(wordsOf(error.failure), 500));
  return new ProtocolError(ProtocolErrorCode.InternalError, message, failureMeta(error.failure));
};
