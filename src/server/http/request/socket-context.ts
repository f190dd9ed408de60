import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { Identified } from "../auth/host-auth.ts";
import { pathOf } from "../checks/place.ts";
import type { Proof } from "../gate.ts";
import type { SocketEnd, SocketVisit } from "../host-options.ts";
import { changedRights, isSamePrincipal } from "../life/standing-callers.ts";
import { type HttpRefusal, isRefusal } from "../refusal.ts";
import { broken, type HostServices, identify, takePlace } from "./host-services.ts";

/** The token is no good any more (RFC 6455: the endpoint's policy was violated). */
const policyViolated = 1008;
/** The client may come back at once. */
const comeAgain = 1012;
const somethingBroke = 1011;

/** Whoever is over a limit, or finds the host closing, keeps its socket. */
const codes: Readonly<Record<number, number>> = {
  401: policyViolated,
  403: policyViolated,
  409: comeAgain,
  500: somethingBroke,
};

const toEnd = (refused: HttpRefusal): SocketEnd => {
  const closeCode = codes[refused.status];
  const after = refused.headers?.["retry-after"];
  const { status, error, message } = refused;
  return {
    ...{ kind: "refused", status, error, message },
    ...(after === undefined ? {} : { retryAfterSec: Number(after) }),
    ...(closeCode === undefined ? {} : { closeCode }),
  };
};

/** A method is the client's word: what is none is not repeated in a log. */
const loggedMethod = (method: string): string => (/^[\w$./-]{1,100}$/.test(method) ? method : "?");

/** What one socket is asked and told, with the checks, the limits and the log of any request. */
export const socketVisit = (
  services: HostServices,
  request: IncomingMessage,
  socket: Duplex,
  caller: Identified & { readonly proof: Proof },
): SocketVisit => {
  const { principal, proof } = caller;
  const opened = performance.now();
  const path = pathOf(request.url ?? "").slice(0, 200);
  const log = (method: string, status: number, began: number): void =>
    services.options.onAccess?.({
      method,
      path,
      status,
      ms: Math.round((performance.now() - began) * 1000) / 1000,
      agent: principal.agent,
      transport: "websocket",
    });
  return {
    principal,
    maxBodyBytes: services.settings.maxBodyBytes,
    drainMs: services.settings.drainMs,
    admit: async (method, asked = { kind: "call" }) => {
      const began = performance.now();
      const name = loggedMethod(method);
      const found = await identify(services, proof).catch((error: unknown) => {
        services.onError(error);
        return broken();
      });
      const isOther = !isRefusal(found) && !isSamePrincipal(found.principal, principal);
      const refused = isRefusal(found) ? found : isOther ? changedRights() : undefined;
      const place = refused ?? takePlace(services, principal, asked);
      if (isRefusal(place)) {
        log(name, place.status, began);
        return toEnd(place);
      }
      let isAnswered = false;
      return {
        kind: "admitted",
        hold: place.hold,
        answered: (status) => {
          if (isAnswered) return;
          isAnswered = true;
          place.leave();
          log(name, status, began);
        },
      };
    },
    onEnd: (end) => {
      const leave = services.standing.watch({ ...caller, end: (why) => end(toEnd(why)) });
      socket.once("close", leave);
    },
    closed: (code) => log("close", code, opened),
  };
};
