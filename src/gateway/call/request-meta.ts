import { type ServerContext, TRACEPARENT_META_KEY } from "@modelcontextprotocol/server";
import type { JsonObject } from "../../json/is-object.ts";
import type { ClientConnection } from "../client-connection.ts";
import type { CallParameters } from "./run-call.ts";

const longestMeta = 512;

/** What the caller says of itself with a request: its trace, and its own name for the call. */
export const requestMeta = (
  { conversation }: ClientConnection,
  { mcpReq }: ServerContext,
): Pick<CallParameters, "conversation" | "correlationId" | "idempotencyKey"> => {
  const meta = mcpReq._meta as JsonObject | undefined;
  const correlationId = shortText(meta?.[TRACEPARENT_META_KEY]);
  const idempotencyKey = shortText(meta?.["haft/idempotencyKey"]);
  return {
    ...(conversation === undefined ? {} : { conversation }),
    ...(correlationId === undefined ? {} : { correlationId }),
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
  };
};

const shortText = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" && value.length <= longestMeta ? value : undefined;
