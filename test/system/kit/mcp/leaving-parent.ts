import { fileURLToPath } from "node:url";
import { openSession } from "../../../../src/mcp/client/open-session.ts";

// Child program: connects a server that ignores signals, prints its process id, and exits.
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
