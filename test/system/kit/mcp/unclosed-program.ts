import { fileURLToPath } from "node:url";
import { Haft } from "../../../../src/runtime/haft.ts";

// Child program: calls a tool of an MCP server and does not close its runtime.
const [, , file = "", ...args] = process.argv;
const server = fileURLToPath(new URL(`../../../kit/mcp/${file}`, import.meta.url));
const haft = await Haft.open({
  principal: { agent: "test", allow: ["*"] },
  mcp: { lock: false, servers: { s: { command: process.execPath, args: [server, ...args] } } },
});
const [state] = haft.mcp.list();
const [reply] = await haft.turn([
  { id: "1", tool: `s/${state?.tools[0]?.slice(2)}`, input: { message: "hi" } },
]);
process.stdout.write(`${JSON.stringify({ era: state?.era, status: state?.status, ok: reply?.ok })}\n`);
