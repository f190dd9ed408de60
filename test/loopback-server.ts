import { createServer, type IncomingHttpHeaders, type RequestListener } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import * as Effect from "effect/Effect";
import type { Scope } from "effect/Scope";

export interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface LoopbackServer {
  readonly origin: string;
  /** As an allow list names the server. */
  readonly place: string;
  readonly port: number;
  /** Requests whose body was received completely. */
  readonly seen: readonly SeenRequest[];
  readonly sockets: ReadonlySet<Socket>;
  /** The number of connections so far. */
  readonly connections: () => number;
}

/** A real HTTP server on 127.0.0.1, closed with the scope. */
export const loopbackServer = (answer: RequestListener): Effect.Effect<LoopbackServer, never, Scope> =>
  Effect.acquireRelease(
    Effect.callback<LoopbackServer & { readonly stop: () => void }>((resume) => {
      const seen: SeenRequest[] = [];
      const sockets = new Set<Socket>();
      let connections = 0;
      const server = createServer((request, response) => {
        let body = "";
        request.on("data", (chunk) => {
          body += chunk;
        });
        request.on("end", () => {
          seen.push({ method: request.method ?? "", url: request.url ?? "", headers: request.headers, body });
          answer(request, response);
        });
        response.on("error", () => {});
      });
      server.on("connection", (socket) => {
        connections++;
        sockets.add(socket);
        socket.on("error", () => {});
        socket.on("close", () => sockets.delete(socket));
      });
      server.listen(0, "127.0.0.1", () => {
        const { port } = server.address() as AddressInfo;
        const stop = () => {
          server.close();
          for (const socket of sockets) socket.destroy();
        };
        const place = `127.0.0.1:${port}`;
        const origin = `http://${place}`;
        resume(Effect.succeed({ origin, place, port, seen, sockets, connections: () => connections, stop }));
      });
    }),
    ({ stop }) => Effect.sync(stop),
  );
