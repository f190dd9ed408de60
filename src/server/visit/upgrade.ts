import { type IncomingMessage, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import type { Principal } from "../../words/principal.ts";
import { callerKey } from "../limits/caller-key.ts";
import { type HttpRefusal, isRefusal, refusal } from "../refusal.ts";
import { bodyOf, headersOf } from "../wire/refuse.ts";
import { withoutProof } from "../wire/to-request.ts";
import { type HostServices, refuseCrowd, refuseDraining } from "./host-services.ts";

const end = (socket: Duplex, refused: HttpRefusal): void => {
  const body = bodyOf(refused);
  const headers = Object.entries({ ...headersOf(refused, body), connection: "close" });
  const lines = headers.map(([name, value]) => `${name}: ${value}`);
  const first = `HTTP/1.1 ${refused.status} ${STATUS_CODES[refused.status]}`;
  socket.end([first, ...lines, "", body].join("\r\n"), () => socket.destroy());
};

export const isWebSocket = ({ headers, method }: IncomingMessage): boolean =>
  method === "GET" && headers.upgrade?.toLowerCase() === "websocket";

const admit = async (services: HostServices, request: IncomingMessage): Promise<Principal | HttpRefusal> => {
  const refused = services.gate.origin(request) ?? refuseDraining(services);
  if (refused !== undefined) return refused;
  if (!isWebSocket(request))
    return refusal(400, "invalid_request", "Only websocket can be upgraded to here.");
  const principal = await services.gate.principal(request);
  return isRefusal(principal) ? principal : (refuseCrowd(services, principal) ?? principal);
};

/** A socket that wants to be more than HTTP goes through the same checks, and is closed with the host. */
export const upgradeVia = (services: HostServices, sockets: Set<Duplex>) => {
  const ignore = (): void => {};
  return async (request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> => {
    // Between the checks nobody else listens, and an error without a listener ends the whole program.
    socket.on("error", ignore);
    try {
      const admitted = await admit(services, request);
      if (socket.destroyed) return;
      if (isRefusal(admitted)) return end(socket, admitted);
      const over = services.flights.begin(callerKey(admitted), true);
      sockets.add(socket);
      socket.once("close", () => {
        sockets.delete(socket);
        over();
      });
      withoutProof(request);
      services.options.upgrade!(request, socket, head, admitted);
    } catch (error) {
      services.onError(error);
      socket.destroy();
    }
  };
};
