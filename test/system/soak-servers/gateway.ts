// Run as a child: one server behind a gateway. Prints where it listens and how the server stands, until it is told to end.

import { servedBy } from "../../../src/gateway/served-by.ts";
import { Haft } from "../../../src/runtime/haft.ts";
import { httpHost } from "../../../src/server/http-host.ts";
import { mountMcp } from "../../../src/server/mount-mcp.ts";
import type { Principal } from "../../../src/words/principal.ts";

const server = JSON.parse(process.argv[2] ?? "{}");
const principal: Principal = { agent: "soak", allow: ["*"] };
const haft = await Haft.open({
  principal,
  mcp: { lock: false, spill: false, waitMs: 90_000, servers: { s: { ...server, connectTimeoutMs: 90_000 } } },
});
const served = await servedBy(haft, { info: { name: "haft", version: "1" } });
const host = await httpHost({
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
