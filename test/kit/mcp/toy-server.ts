import { acceptedContent, fromJsonSchema, inputRequired, McpServer } from "@modelcontextprotocol/server";

const objectSchema = (properties: Record<string, unknown>) =>
  fromJsonSchema<Record<string, unknown>>({ type: "object", properties } as never);

const textResult = (value: string) => ({ content: [{ type: "text" as const, text: value }] });

const delay = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    // allow-sleep: the caller chooses how slow the tool is
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });

/** A server of both eras for the tests of every transport. */
export const toyServer = (cancels: string[] = []): McpServer => {
  const server = new McpServer(
    { name: "toy", version: "1.0.0", title: "Toy" },
    {
      capabilities: { tools: { listChanged: true }, logging: {} },
      instructions: "Play.",
    },
  );
  server.registerTool("echo", { inputSchema: objectSchema({ message: { type: "string" } }) }, ({ message }) =>
    textResult(`Echo: ${message}`),
  );
  server.registerTool(
    "slow",
    { inputSchema: objectSchema({ ms: { type: "number" }, steps: { type: "number" } }) },
    async ({ ms, steps }, { mcpReq }) => {
      const token = mcpReq._meta?.progressToken;
      for (let step = 1; step <= Number(steps); step++) {
        await delay(Number(ms), mcpReq.signal);
        if (mcpReq.signal.aborted) {
          cancels.push("slow");
          return textResult("cancelled");
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
      return textResult("done");
    },
  );
  server.registerTool(
    "ask",
    { inputSchema: objectSchema({ question: { type: "string" } }) },
    ({ question }, { mcpReq }) => {
      const answer = acceptedContent(mcpReq.inputResponses, "name");
      if (answer !== undefined) return textResult(`Hello ${answer.name}`);
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
  server.registerTool("log", { inputSchema: objectSchema({}) }, async (_, { mcpReq }) => {
    await mcpReq.log("info", "something happened");
    return textResult("logged");
  });
  server.registerTool(
    "region",
    { inputSchema: objectSchema({ region: { type: "string", "x-mcp-header": "Region" } }) },
    ({ region }) => textResult(`in ${region}`),
  );
  server.registerTool("environment", { inputSchema: objectSchema({}) }, () =>
    textResult(JSON.stringify(process.env)),
  );
  server.registerTool("grow", { inputSchema: objectSchema({}) }, () => {
    server.registerTool("late", { inputSchema: objectSchema({}) }, () => textResult("late"));
    return textResult("grown");
  });
  server.registerTool("big", { inputSchema: objectSchema({ bytes: { type: "number" } }) }, ({ bytes }) =>
    textResult("x".repeat(Number(bytes))),
  );
  return server;
};
