import { fileURLToPath } from "node:url";
import { Haft } from "haft";
import { afterEach } from "vitest";
import type { Served } from "../../../../src/gateway/served.ts";
import { servedBy } from "../../../../src/gateway/served-by.ts";
import type { McpServer, StdioServer } from "../../../../src/words/mcp.ts";
import type { Gateway } from "../../../kit/gateway-clients.ts";

const endings: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

/** A server that says these tools, pages and results word for word. */
export const listing = (
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

/** A runtime over these servers, and what a gateway serves of it. Both end with the test. */
export const serve = async (
  servers: Readonly<Record<string, McpServer>>,
  lock: string | false = false,
): Promise<{ readonly haft: Haft; readonly served: Served }> => {
  const haft = await Haft.open({
    principal: { agent: "test", allow: ["*"] },
    // Whoever is to answer is asked elsewhere.
    approver: () => undefined,
    mcp: { lock, servers, spill: false, waitMs: 60_000 },
  });
  endings.push(() => haft.close());
  return { haft, served: await servedBy(haft, { info: { name: "haft", version: "1" } }) };
};

/** Closed with the test. */
export const closing = <Way extends Gateway>(gateway: Way): Way => {
  endings.push(gateway.close);
  return gateway;
};
