import { type ServerContext, TRACEPARENT_META_KEY } from "@modelcontextprotocol/server";
import type { JsonObject } from "../../../base/json/is-object.ts";
import { readTraceparentFields } from "../../../base/text/traceparent.ts";
import type { IncomingTrace } from "../../../types/observer.ts";
import type { ClientConnection } from "../client-connection.ts";
import type { GatewayCallParameters } from "./run-gateway-call.ts";

const maxMetaLength = 512;

export const requestMetaOf = (
  { conversation, loaded }: ClientConnection,
  { mcpReq, http }: ServerContext,
): Pick<GatewayCallParameters, "conversation" | "correlationId" | "idempotencyKey" | "trace" | "loaded"> => {
  const meta = mcpReq._meta as JsonObject | undefined;
  const headers = http?.req?.headers;
  const trace = traceOf(meta, (name) => headers?.get(name) ?? undefined);
  const correlationId = trace?.message ?? trace?.transport;
  const idempotencyKey = boundedText(meta?.["haft/idempotencyKey"]);
  return {
    ...(conversation === undefined ? {} : { conversation }),
    ...(correlationId === undefined ? {} : { correlationId }),
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    ...(trace === undefined ? {} : { trace }),
    ...(loaded === undefined ? {} : { loaded }),
  };
};

const traceOf = (
  meta: JsonObject | undefined,
  header: (name: string) => string | undefined,
): IncomingTrace | undefined => {
  const message = validTraceparent(meta?.[TRACEPARENT_META_KEY]);
  const transport = validTraceparent(header("traceparent"));
  if (message === undefined && transport === undefined) return undefined;
  return {
    message,
    messageState: boundedText(meta?.tracestate),
    transport,
    transportState: boundedText(header("tracestate")),
  };
};

/** The ledger stores this client text. */
const validTraceparent = (value: unknown): string | undefined => {
  const text = boundedText(value);
  return text === undefined || readTraceparentFields(text) === undefined ? undefined : text;
};

const boundedText = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" && value.length <= maxMetaLength ? value : undefined;
