// An MCP server with one tool over stdio, without an SDK, so that only the client is measured.
import { createInterface } from "node:readline";

const answers: Readonly<Record<string, (params: Readonly<Record<string, unknown>>) => object>> = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: "echo", version: "1.0.0" },
  }),
  ping: () => ({}),
  "tools/list": () => ({
    tools: [
      {
        name: "echo",
        description: "Returns its text",
        inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
      },
    ],
  }),
  "tools/call": (params) => {
    const { text } = params.arguments as { readonly text: string };
    return { content: [{ type: "text", text }] };
  },
};

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params = {} } = JSON.parse(line);
  if (id === undefined) return;
  const answer = answers[method];
  const body =
    answer === undefined
      ? { error: { code: -32601, message: "Method not found" } }
      : { result: answer(params) };
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...body })}\n`);
});
process.stdin.on("end", () => process.exit(0));
