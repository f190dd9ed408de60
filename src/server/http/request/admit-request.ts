import type { IncomingMessage } from "node:http";
import type { Principal } from "../../../types/principal.ts";
import { isControlBytes, type MessageKind } from "../../gateway/wire/message-kind.ts";
import { type HttpRejection, isHttpRejection } from "../http-rejection.ts";
import type { RequestSlot } from "../lifecycle/requests-in-flight.ts";
import { rateLimitKeyOf } from "../limits/rate-limit-key.ts";
import { acquireSlot, concurrencyRejection, type HostServices, isLimitRejection } from "./host-services.ts";

export interface AdmittedRequest {
  readonly kind: MessageKind;
  readonly slots: RequestSlot[];
  /** For requests admitted only as control traffic. */
  readonly checkBody: (body: Uint8Array | undefined) => HttpRejection | undefined;
}

export const holdAllSlots = (slots: readonly RequestSlot[]) => (): (() => void) => {
  const held = slots.map(({ hold }) => hold());
  return () => {
    for (const release of held) release();
  };
};

const kindByMethod: Readonly<Record<string, MessageKind>> = { GET: "standing", DELETE: "note" };

interface AdmissionRequest {
  readonly request: IncomingMessage;
  readonly principal: Principal;
}

/** Over a limit, a POST is still read: cancellations and answers free what fills the limit. */
export const admitRequest = (
  services: HostServices,
  { request, principal }: AdmissionRequest,
  webRequest: Request | undefined,
): AdmittedRequest | HttpRejection => {
  const { mcp } = services.options;
  const kind = kindByMethod[request.method!] ?? "call";
  const taken = acquireSlot(services, principal, { kind });
  if (!isHttpRejection(taken)) return { kind, slots: [taken], checkBody: () => undefined };
  if (webRequest === undefined || request.method !== "POST" || !isLimitRejection(taken)) return taken;
  const isOverRate = taken.status === 429;
  if (isOverRate && mcp.awaits?.(webRequest, { principal }) !== true) return taken;
  if (concurrencyRejection(services, principal, "note") !== undefined) return taken;
  const isAdmitted = (body: Uint8Array): boolean =>
    isOverRate ? mcp.awaits?.(webRequest, { principal, body }) === true : isControlBytes(body);
  return {
    kind: "note",
    slots: [services.requestsInFlight.begin(rateLimitKeyOf(principal), "note")],
    checkBody: (body) => (body !== undefined && isAdmitted(body) ? undefined : taken),
  };
};
