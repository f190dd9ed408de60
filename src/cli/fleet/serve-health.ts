import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { WorkerMetrics } from "../../types/fleet.ts";

export interface HealthServer {
  readonly url: string;
  readonly close: () => Promise<void>;
}

export const serveHealth = async (
  worker: Pick<WorkerMetrics, "health">,
  port: number,
  host: string,
): Promise<HealthServer> => {
  const server = createServer((request, response) => {
    const { isReady, state, running } = worker.health();
    const path = request.url?.split("?")[0];
    const isKnown = path === "/healthz" || path === "/readyz";
    const status = !isKnown ? 404 : path === "/readyz" && !isReady ? 503 : 200;
    response.writeHead(status, { "content-type": "application/json", "cache-control": "no-store" });
    response.end(isKnown ? JSON.stringify({ isReady, state, running }) : "{}");
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  server.unref();
  const { address, family, port: chosen } = server.address() as AddressInfo;
  return {
    url: `http://${family === "IPv6" ? `[${address}]` : address}:${chosen}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};
