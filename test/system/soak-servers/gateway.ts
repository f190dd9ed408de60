// Child program: one server behind a gateway. Prints its address and the state of the server until it is
// ended.

import { Haft } from "../../../src/runtime/haft.ts";
import { openRuntimeBackend } from "../../../src/server/gateway/runtime-backend.ts";
import { openHttpHost } from "../../../src/server/http/http-host.ts";
import { mountMcp } from "../../../src/server/http/mount-mcp.ts";
import type { Principal } from "../../../src/types/principal.ts";

const server = JSON.parse(process.argv[2] ?? "{}");
const principal: Principal = { agent: "soak", allow: ["*"] };
const haft = await Haft.open({
  principal,
  mcp: {
    lock: false,
    truncateToFile: false,
    waitMs: 90_000,
    servers: { s: { ...server, connectTimeoutMs: 90_000 } },
  },
});
const served = await openRuntimeBackend(haft, { info: { name: "haft", version: "1" } });
const host = await openHttpHost({
  host: "127.0.0.1",
  port: 0,
  auth: { kind: "none", principal },
  ...mountMcp(served, {}),
});
process.once("SIGTERM", async () => {
  await host.close();
  await haft.close();
  process.exit(0);
});
process.stdout.write(`${JSON.stringify({ url: host.url, state: haft.mcp.list()[0] })}\n`);
