// An MCP server without an SDK that reads its tools from a file and sends a notification when the file
// changes.
import { readFileSync, watch } from "node:fs";
import { basename, dirname } from "node:path";
import { createInterface } from "node:readline";

const file = process.argv[2] as string;
const read = () => (file.endsWith(".json") ? JSON.parse(readFileSync(file, "utf8")) : []);
const send = (message: object) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);

watch(dirname(file), (_, name) => {
  if (name === basename(file)) send({ method: "notifications/tools/list_changed" });
});

const answers: Readonly<Record<string, (params: Record<string, unknown>) => object>> = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: { listChanged: true } },
    serverInfo: { name: "changing", version: "1" },
  }),
  "tools/list": () => ({ tools: read() }),
  "tools/call": ({ name, arguments: given }) => ({
    content: [{ type: "text", text: `${name} ${JSON.stringify(given)}` }],
  }),
};

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params = {} } = JSON.parse(line);
  if (id === undefined) return;
  const answer = answers[method];
  if (answer === undefined) send({ id, error: { code: -32601, message: "Method not found" } });
  else send({ id, result: answer(params) });
});
process.stdin.on("end", () => process.exit(0));
