import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { AuthenticatedCaller } from "../auth/host-auth.ts";
import { pathOfTarget } from "../checks/http-route.ts";
import type { SocketContext, SocketRejection } from "../host-options.ts";
import { type HttpRejection, isHttpRejection } from "../http-rejection.ts";
import { isSamePrincipal, rightsChangedRejection } from "../lifecycle/long-lived-callers.ts";
import type { CallerCredentials } from "../request-guard.ts";
import {
  acquireSlot,
  authenticateCaller,
  type HostServices,
  internalErrorRejection,
} from "./host-services.ts";

/** RFC 6455; the token is invalid. */
const policyViolationCode = 1008;
/** The client may reconnect. */
const serviceRestartCode = 1012;
const internalErrorCode = 1011;

/** Limits and draining keep the socket open. */
const closeCodes: Readonly<Record<number, number>> = {
  401: policyViolationCode,
  403: policyViolationCode,
  409: serviceRestartCode,
  500: internalErrorCode,
};

const toSocketRejection = (refused: HttpRejection): SocketRejection => {
  const closeCode = closeCodes[refused.status];
  const after = refused.headers?.["retry-after"];
  const { status, error, message } = refused;
  return {
    ...{ kind: "refused", status, error, message },
    ...(after === undefined ? {} : { retryAfterSec: Number(after) }),
    ...(closeCode === undefined ? {} : { closeCode }),
  };
};

/** Only well-formed names are logged. */
const methodForLog = (method: string): string => (/^[\w$./-]{1,100}$/.test(method) ? method : "?");

export const createSocketContext = (
  services: HostServices,
  request: IncomingMessage,
  socket: Duplex,
  caller: AuthenticatedCaller & { readonly proof: CallerCredentials },
): SocketContext => {
  const { principal, proof } = caller;
  const opened = performance.now();
  const path = pathOfTarget(request.url ?? "").slice(0, 200);
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
      const name = methodForLog(method);
      const found = await authenticateCaller(services, proof).catch((error: unknown) => {
        services.onError(error);
        return internalErrorRejection();
      });
      const isOther = !isHttpRejection(found) && !isSamePrincipal(found.principal, principal);
      const refused = isHttpRejection(found) ? found : isOther ? rightsChangedRejection() : undefined;
      const place = refused ?? acquireSlot(services, principal, asked);
      if (isHttpRejection(place)) {
        log(name, place.status, began);
        return toSocketRejection(place);
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
      const leave = services.longLivedCallers.watch({ ...caller, end: (why) => end(toSocketRejection(why)) });
      socket.once("close", leave);
    },
    closed: (code) => log("close", code, opened),
  };
};
