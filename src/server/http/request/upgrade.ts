import { type IncomingMessage, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import type { AuthenticatedCaller } from "../auth/host-auth.ts";
import { handshakeRejection } from "../checks/handshake.ts";
import { pathOfTarget } from "../checks/http-route.ts";
import { type HttpRejection, httpRejection, isHttpRejection } from "../http-rejection.ts";
import type { RequestSlot } from "../lifecycle/requests-in-flight.ts";
import { type CallerCredentials, readCallerCredentials } from "../request-guard.ts";
import { rejectionBody, rejectionHeaders } from "../wire/send-rejection.ts";
import { removeCredentials } from "../wire/to-web-request.ts";
import { acquireSlot, authenticateCaller, type HostServices } from "./host-services.ts";
import { createSocketContext } from "./socket-context.ts";

const endWithRejection = (socket: Duplex, refused: HttpRejection): void => {
  const body = rejectionBody(refused);
  const headers = Object.entries({ ...rejectionHeaders(refused, body), connection: "close" });
  const lines = headers.map(([name, value]) => `${name}: ${value}`);
  const first = `HTTP/1.1 ${refused.status} ${STATUS_CODES[refused.status]}`;
  socket.end([first, ...lines, "", body].join("\r\n"), () => socket.destroy());
};

export const isWebSocketUpgrade = ({ headers, method }: IncomingMessage): boolean =>
  method === "GET" && headers.upgrade?.toLowerCase() === "websocket";

/** In the same order as for HTTP requests. */
const admitUpgrade = async (
  services: HostServices,
  request: IncomingMessage,
  proof: CallerCredentials,
): Promise<(AuthenticatedCaller & { readonly place: RequestSlot }) | HttpRejection> => {
  const originRejection = services.guard.origin(request);
  if (originRejection !== undefined) return originRejection;
  if (!isWebSocketUpgrade(request))
    return httpRejection(400, "invalid_request", "Only an upgrade to websocket is supported.");
  const handshakeProblem = handshakeRejection(request.headers);
  if (handshakeProblem !== undefined) return handshakeProblem;
  const place = services.guard.route(request);
  if (typeof place !== "string") return place;
  if (place !== "mcp")
    return httpRejection(404, "not_found", `Open WebSockets at the MCP endpoint, ${services.settings.path}.`);
  const found = await authenticateCaller(services, proof);
  if (isHttpRejection(found)) return found;
  const taken = acquireSlot(services, found.principal, { kind: "standing" });
  return isHttpRejection(taken) ? taken : { ...found, place: taken };
};

export const createUpgradeHandler = (services: HostServices, sockets: Set<Duplex>) => {
  const ignore = (): void => {};
  return async (request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> => {
    // An unhandled "error" event would end the process.
    socket.on("error", ignore);
    const began = performance.now();
    const log = (status: number, agent: string | undefined): void =>
      services.options.onAccess?.({
        method: request.method!,
        path: pathOfTarget(request.url ?? "").slice(0, 200),
        status,
        ms: Math.round((performance.now() - began) * 1000) / 1000,
        agent,
        transport: "websocket",
      });
    try {
      const proof = readCallerCredentials(request);
      const admitted = await admitUpgrade(services, request, proof);
      if (socket.destroyed) {
        if (!isHttpRejection(admitted)) admitted.place.leave();
        return log(499, undefined);
      }
      if (isHttpRejection(admitted)) {
        log(admitted.status, undefined);
        return endWithRejection(socket, admitted);
      }
      log(101, admitted.principal.agent);
      sockets.add(socket);
      socket.once("close", () => {
        sockets.delete(socket);
        admitted.place.leave();
      });
      removeCredentials(request);
      const context = createSocketContext(services, request, socket, { ...admitted, proof });
      services.options.upgrade!(request, socket, head, admitted.principal, context);
    } catch (error) {
      services.onError(error);
      socket.destroy();
    }
  };
};
