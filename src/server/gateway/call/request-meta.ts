import { type ServerContext, TRACEPARENT_META_KEY } from "@modelcontextprotocol/server";
import type { JsonObject } from "../../json/is-object.ts";
import type { IncomingTrace } from "../../words/observer.ts";
import type { ClientConnection } from "../client-connection.ts";
import type { CallParameters } from "./run-call.ts";

const longestMeta = 512;

/** What the caller says of itself with a request, its trace and its own name for the call, and what its connection keeps. */
export const requestMeta = (
  { conversation, loaded }: ClientConnection,
  { mcpReq, http }: ServerContext,
): Pick<CallParameters, "conversation" | "correlationId" | "idempotencyKey" | "trace" | "loaded"> => {
  const meta = mcpReq._meta as JsonObject | undefined;
  const headers = http?.req?.headers;
  const trace = traceOf(meta, (name) => headers?.get(name) ?? undefined);
  const correlationId = trace?.message ?? trace?.transport;
  const idempotencyKey = shortText(meta?.["haft/idempotencyKey"]);
  return {
    ...(conversation === undefined ? {} : { conversation }),
    ...(correlationId === undefined ? {} : { correlationId }),
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    ...(trace === undefined ? {} : { trace }),
    ...(loaded === undefined ? {} : { loaded }),
  };
};

/** A message has a trace of its own; the request that carries it may have another, and carry more than one message. */
const traceOf = (
  meta: JsonObject | undefined,
  header: (name: string) => string | undefined,
): IncomingTrace | undefined => {
  const message = shortText(meta?.[TRACEPARENT_META_KEY]);
  const transport = shortText(header("traceparent"));
  if (message === undefined && transport === undefined) return undefined;
  return {
    message,
    messageState: shortText(meta?.tracestate),
    transport,
    transportState: shortText(header("tracestate")),
  };
};

const shortText = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" && value.length <= longestMeta ? value : undefined;
