// An MCP server without an SDK whose tools are read from a file, so that they can change at runtime.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

const file = process.argv[2]!;
const send = (message: object) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);

const answers: Readonly<Record<string, (params: Record<string, unknown>) => object>> = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: { listChanged: true } },
    serverInfo: { name: "weather", version: "1.4.0", title: "Weather" },
  }),
  "tools/list": () => ({ tools: JSON.parse(readFileSync(file, "utf8")) }),
  "tools/call": ({ name }) => ({ content: [{ type: "text", text: `${name}: sun` }] }),
};

process.stderr.write("weather: ready\n");
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params = {} } = JSON.parse(line);
  if (id === undefined) return;
  const answer = answers[method];
  if (answer === undefined) send({ id, error: { code: -32601, message: "Method not found" } });
  else send({ id, result: answer(params) });
});
process.stdin.on("end", () => process.exit(0));
