import { type IncomingMessage, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import type { Identified } from "../auth/host-auth.ts";
import { refuseHandshake } from "../checks/handshake.ts";
import { pathOf } from "../checks/place.ts";
import { type Proof, proofOf } from "../gate.ts";
import type { Place } from "../life/requests-in-flight.ts";
import { type HttpRefusal, isRefusal, refusal } from "../refusal.ts";
import { bodyOf, headersOf } from "../wire/refuse.ts";
import { withoutProof } from "../wire/to-request.ts";
import { type HostServices, identify, takePlace } from "./host-services.ts";
import { socketVisit } from "./socket-visit.ts";

const end = (socket: Duplex, refused: HttpRefusal): void => {
  const body = bodyOf(refused);
  const headers = Object.entries({ ...headersOf(refused, body), connection: "close" });
  const lines = headers.map(([name, value]) => `${name}: ${value}`);
  const first = `HTTP/1.1 ${refused.status} ${STATUS_CODES[refused.status]}`;
  socket.end([first, ...lines, "", body].join("\r\n"), () => socket.destroy());
};

export const isWebSocket = ({ headers, method }: IncomingMessage): boolean =>
  method === "GET" && headers.upgrade?.toLowerCase() === "websocket";

/** The checks of any request, in the same order. */
const letIn = async (
  services: HostServices,
  request: IncomingMessage,
  proof: Proof,
): Promise<(Identified & { readonly place: Place }) | HttpRefusal> => {
  const strange = services.gate.origin(request);
  if (strange !== undefined) return strange;
  if (!isWebSocket(request))
    return refusal(400, "invalid_request", "Only websocket can be upgraded to here.");
  const shaken = refuseHandshake(request.headers);
  if (shaken !== undefined) return shaken;
  const place = services.gate.place(request);
  if (typeof place !== "string") return place;
  if (place !== "mcp")
    return refusal(404, "not_found", `Sockets are opened at the MCP endpoint, ${services.settings.path}.`);
  const found = await identify(services, proof);
  if (isRefusal(found)) return found;
  const taken = takePlace(services, found.principal, { kind: "standing" });
  return isRefusal(taken) ? taken : { ...found, place: taken };
};

/** A socket that wants to be more than HTTP goes through the same checks, and is closed with the host. */
export const upgradeVia = (services: HostServices, sockets: Set<Duplex>) => {
  const ignore = (): void => {};
  return async (request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> => {
    // Between the checks nobody else listens, and an error without a listener ends the whole program.
    socket.on("error", ignore);
    const began = performance.now();
    const log = (status: number, agent: string | undefined): void =>
      services.options.onAccess?.({
        method: request.method!,
        path: pathOf(request.url ?? "").slice(0, 200),
        status,
        ms: Math.round((performance.now() - began) * 1000) / 1000,
        agent,
        transport: "websocket",
      });
    try {
      const proof = proofOf(request);
      const admitted = await letIn(services, request, proof);
      if (socket.destroyed) {
        if (!isRefusal(admitted)) admitted.place.leave();
        return log(499, undefined);
      }
      if (isRefusal(admitted)) {
        log(admitted.status, undefined);
        return end(socket, admitted);
      }
      log(101, admitted.principal.agent);
      sockets.add(socket);
      socket.once("close", () => {
        sockets.delete(socket);
        admitted.place.leave();
      });
      withoutProof(request);
      const visit = socketVisit(services, request, socket, { ...admitted, proof });
      services.options.upgrade!(request, socket, head, admitted.principal, visit);
    } catch (error) {
      services.onError(error);
      socket.destroy();
    }
  };
};
