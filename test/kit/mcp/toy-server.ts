import { acceptedContent, fromJsonSchema, inputRequired, McpServer } from "@modelcontextprotocol/server";

const object = (properties: Record<string, unknown>) =>
  fromJsonSchema<Record<string, unknown>>({ type: "object", properties } as never);

const text = (value: string) => ({ content: [{ type: "text" as const, text: value }] });

const waited = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    // allow-sleep: the caller chooses how slow the tool is
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });

/** A server of both eras that the tests of every transport speak to. */
export const toyServer = (cancels: string[] = []): McpServer => {
  const server = new McpServer(
    { name: "toy", version: "1.0.0", title: "Toy" },
    {
      capabilities: { tools: { listChanged: true }, logging: {} },
      instructions: "Play.",
    },
  );
  server.registerTool("echo", { inputSchema: object({ message: { type: "string" } }) }, ({ message }) =>
    text(`Echo: ${message}`),
  );
  server.registerTool(
    "slow",
    { inputSchema: object({ ms: { type: "number" }, steps: { type: "number" } }) },
    async ({ ms, steps }, { mcpReq }) => {
      const token = mcpReq._meta?.progressToken;
      for (let step = 1; step <= Number(steps); step++) {
        await waited(Number(ms), mcpReq.signal);
        if (mcpReq.signal.aborted) {
          cancels.push("slow");
          return text("cancelled");
        }
        if (token === undefined) continue;
        const params = {
          progressToken: token,
          progress: step,
          total: Number(steps),
          message: `step ${step}`,
        };
        await mcpReq.notify({ method: "notifications/progress", params });
      }
      return text("done");
    },
  );
  server.registerTool(
    "ask",
    { inputSchema: object({ question: { type: "string" } }) },
    ({ question }, { mcpReq }) => {
      const answer = acceptedContent(mcpReq.inputResponses, "name");
      if (answer !== undefined) return text(`Hello ${answer.name}`);
      return inputRequired({
        inputRequests: {
          name: inputRequired.elicit({
            message: String(question),
            requestedSchema: { type: "object", properties: { name: { type: "string" } } },
          }),
        },
      }) as never;
    },
  );
  server.registerTool("log", { inputSchema: object({}) }, async (_, { mcpReq }) => {
    await mcpReq.log("info", "something happened");
    return text("logged");
  });
  server.registerTool(
    "region",
    { inputSchema: object({ region: { type: "string", "x-mcp-header": "Region" } }) },
    ({ region }) => text(`in ${region}`),
  );
  server.registerTool("environment", { inputSchema: object({}) }, () => text(JSON.stringify(process.env)));
  server.registerTool("grow", { inputSchema: object({}) }, () => {
    server.registerTool("late", { inputSchema: object({}) }, () => text("late"));
    return text("grown");
  });
  server.registerTool("big", { inputSchema: object({ bytes: { type: "number" } }) }, ({ bytes }) =>
    text("x".repeat(Number(bytes))),
  );
  return server;
};
