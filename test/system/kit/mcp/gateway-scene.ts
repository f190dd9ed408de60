import { fileURLToPath } from "node:url";
import { Haft } from "haft";
import { afterEach } from "vitest";
import type { GatewayBackend } from "../../../../src/server/gateway/gateway-backend.ts";
import { openRuntimeBackend } from "../../../../src/server/gateway/runtime-backend.ts";
import type { McpServer, StdioServer } from "../../../../src/types/mcp.ts";
import type { TestGateway } from "../../../kit/gateway-clients.ts";

const cleanups: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const end of cleanups.splice(0).reverse()) await end();
});

/** A server that returns these tools, pages and results unchanged. */
export const listingServer = (
  said: {
    readonly tools?: readonly unknown[];
    readonly pages?: Readonly<Record<string, object>>;
    readonly results?: Readonly<Record<string, object>>;
  },
  more: Partial<StdioServer> = {},
): StdioServer => ({
  command: process.execPath,
  args: [fileURLToPath(new URL("../../../kit/mcp/listing-server.ts", import.meta.url)), JSON.stringify(said)],
  ...more,
});

/** A runtime over these servers and its gateway backend, closed with the test. */
export const serveRuntime = async (
  servers: Readonly<Record<string, McpServer>>,
  lock: string | false = false,
  taint: "all" | "others" = "all",
): Promise<{ readonly haft: Haft; readonly served: GatewayBackend }> => {
  const haft = await Haft.open({
    principal: { agent: "test", allow: ["*"] },
    // No approver: requests are answered elsewhere.
    approver: () => undefined,
    mcp: { lock, servers, truncateToFile: false, waitMs: 60_000 },
  });
  cleanups.push(() => haft.close());
  return { haft, served: await openRuntimeBackend(haft, { info: { name: "haft", version: "1" }, taint }) };
};

/** Closes the gateway with the test. */
export const closeAfterTest = <Way extends TestGateway>(gateway: Way): Way => {
  cleanups.push(gateway.close);
  return gateway;
};
