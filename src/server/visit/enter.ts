import type { IncomingMessage } from "node:http";
import { isNoteBody, type MessageKind } from "../../gateway/wire/message-kind.ts";
import type { Principal } from "../../words/principal.ts";
import type { Place } from "../life/requests-in-flight.ts";
import { callerKey } from "../limits/caller-key.ts";
import { type HttpRefusal, isRefusal } from "../refusal.ts";
import { type HostServices, isLimit, refuseCrowd, takePlace } from "./host-services.ts";

/** A request that has its places: one, or for a batch one for each of its messages. */
export interface Entry {
  readonly kind: MessageKind;
  readonly places: Place[];
  /** Asked once the body is read, of a request that is let in only if it starts nothing. */
  readonly refuseBody: (body: Uint8Array | undefined) => HttpRefusal | undefined;
}

/** Holds every place of a request for a call that it began, which may outlive it. */
export const holdAll = (places: readonly Place[]) => (): (() => void) => {
  const held = places.map(({ hold }) => hold());
  return () => {
    for (const release of held) release();
  };
};

const kinds: Readonly<Record<string, MessageKind>> = { GET: "standing", DELETE: "note" };

interface Entering {
  readonly request: IncomingMessage;
  readonly principal: Principal;
}

/**
 * Takes the place of a request. One that is over a limit may be a message that starts nothing, such as a cancellation or
 * an answer, without which what fills the limit would never end: it is let in for as long as reading it takes.
 */
export const enter = (
  services: HostServices,
  { request, principal }: Entering,
  asked: Request | undefined,
): Entry | HttpRefusal => {
  const { mcp } = services.options;
  const kind = kinds[request.method!] ?? "call";
  const taken = takePlace(services, principal, { kind });
  if (!isRefusal(taken)) return { kind, places: [taken], refuseBody: () => undefined };
  if (asked === undefined || request.method !== "POST" || !isLimit(taken)) return taken;
  const isOverRate = taken.status === 429;
  if (isOverRate && mcp.awaits?.(asked, { principal }) !== true) return taken;
  if (refuseCrowd(services, principal, "note") !== undefined) return taken;
  const isLetIn = (body: Uint8Array): boolean =>
    isOverRate ? mcp.awaits?.(asked, { principal, body }) === true : isNoteBody(body);
  return {
    kind: "note",
    places: [services.flights.begin(callerKey(principal), "note")],
    refuseBody: (body) => (body !== undefined && isLetIn(body) ? undefined : taken),
  };
};
