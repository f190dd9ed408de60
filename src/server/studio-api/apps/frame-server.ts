import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { appFrame } from "./app-frame.ts";

export interface FrameServer extends AsyncDisposable {
  /** `localhost` is another site than 127.0.0.1, so cookies and processes are separate. */
  readonly origin: string;
}

const maxPortAttempts = 10;

/** Listens on both loopback addresses, because another user of the machine could open the other one. */
export const openFrameServer = async (studios: () => readonly string[]): Promise<FrameServer> => {
  const frame = appFrame({ studios });
  for (let tried = 1; ; tried += 1) {
    const first = createFrameServer(frame.fetch);
    await listenOn(first, "127.0.0.1", 0);
    const { port } = first.address() as AddressInfo;
    const second = createFrameServer(frame.fetch);
    try {
      await listenOn(second, "::1", port);
      return toFrameServer(port, [first, second]);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      // The machine has no IPv6.
      if (code === "EADDRNOTAVAIL" || code === "EAFNOSUPPORT") {
        return toFrameServer(port, [first]);
      }
      await closeServers([first]);
      if (code !== "EADDRINUSE" || tried === maxPortAttempts) throw error;
    }
  }
};

const toFrameServer = (port: number, servers: readonly Server[]): FrameServer => ({
  origin: `http://localhost:${port}`,
  [Symbol.asyncDispose]: () => closeServers(servers),
});

const createFrameServer = (fetch: (request: Request) => Promise<Response>): Server => {
  const server = createServer(
    // The URL contains lists of origins.
    { maxHeaderSize: 64 * 1_024, headersTimeout: 5_000, requestTimeout: 5_000 },
    async (request, response) => {
      const { port } = server.address() as AddressInfo;
      if (request.headers.host !== `localhost:${port}`) {
        response.writeHead(403, { "content-type": "text/plain" }).end("This Host header is not allowed.\n");
        return;
      }
      try {
        const answer = await fetch(
          new Request(new URL(request.url ?? "/", `http://localhost:${port}`), {
            method: request.method === "HEAD" || request.method === "GET" ? request.method : "POST",
          }),
        );
        response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text());
      } catch {
        // A malformed URL must not crash the Studio.
        if (!response.headersSent) response.writeHead(400, { "content-type": "text/plain" });
        response.end("The URL is invalid.\n");
      }
    },
  );
  server.maxConnections = 64;
  server.unref();
  return server;
};

const listenOn = (server: Server, host: string, port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host, port, ipv6Only: host === "::1" }, () => {
      server.off("error", reject);
      resolve();
    });
  });

const closeServers = async (servers: readonly Server[]): Promise<void> => {
  await Promise.all(
    servers.map(
      (server) =>
        new Promise<void>((resolve) => {
          server.close(() => resolve());
          server.closeAllConnections();
        }),
    ),
  );
};
