import type { IncomingMessage } from "node:http";
import type { Principal } from "../../types/principal.ts";
import { isControlBytes } from "../gateway/wire/read-request.ts";
import { HttpError } from "../request/http-error.ts";
import type { HeldSlot, RequestKind } from "../request/request-slots.ts";
import type { RequestSlot } from "../request/serve-request.ts";
import { beginSlot, type HostState, hasFreeSlot, takeSlot } from "./host-state.ts";

export interface HostSlot extends RequestSlot {
  readonly kind: RequestKind;
  /** Further messages of a batch take further slots. */
  readonly slots: HeldSlot[];
  /** Set if the body decides whether the request is admitted although a limit is reached. */
  readonly checkBody?: (body: Uint8Array | undefined) => void;
}

const kindByMethod: Readonly<Record<string, RequestKind>> = { GET: "standing", DELETE: "note" };

/** Over a limit, a POST is still read: cancellations and answers free what fills the limit. */
export const admitRequest = (
  host: HostState,
  { method }: IncomingMessage,
  principal: Principal,
  mcpRequest: Request | undefined,
): HostSlot => {
  const kind = kindByMethod[method!] ?? "call";
  try {
    return toHostSlot(kind, takeSlot(host, principal, { kind }));
  } catch (refusal) {
    if (mcpRequest === undefined || method !== "POST" || !(refusal instanceof HttpError)) throw refusal;
    const isOverRate = refusal.status === 429;
    const isControlRequest = (body?: Uint8Array): boolean =>
      host.options.mcp.isControlRequest?.(mcpRequest, {
        principal,
        ...(body === undefined ? {} : { body }),
      }) === true;
    if (isOverRate && !isControlRequest()) throw refusal;
    if (!hasFreeSlot(host, principal, "note")) throw refusal;
    return toHostSlot("note", beginSlot(host, principal, "note"), (body) => {
      const isAdmitted = body !== undefined && (isOverRate ? isControlRequest(body) : isControlBytes(body));
      if (!isAdmitted) throw refusal;
    });
  }
};

const toHostSlot = (kind: RequestKind, first: HeldSlot, checkBody?: HostSlot["checkBody"]): HostSlot => {
  const slots = [first];
  const leave = (): void => {
    for (const slot of slots) slot.leave();
  };
  return { kind, slots, leave, ...(checkBody === undefined ? {} : { checkBody }) };
};
