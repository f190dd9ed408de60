import { fileURLToPath } from "node:url";
import { openSession } from "../../../../src/mcp/client/open-session.ts";

// Run as a child: connects a stubborn server, says its process id, and goes.
const server = fileURLToPath(new URL("../../../kit/mcp/raw-server.ts", import.meta.url));
const session = await openSession(
  { id: "left", command: process.execPath, args: [server, "stubborn"], era: "legacy" },
  { reveal: async () => "", principal: undefined, connectTimeoutMs: 20_000, callTimeoutMs: 1_000 },
);
process.stdout.write(`${session.pid}\n`, () => {
  const way = process.argv[2] ?? "exit";
  if (way === "exit") process.exit(0);
  process.kill(process.pid, way as NodeJS.Signals);
});
