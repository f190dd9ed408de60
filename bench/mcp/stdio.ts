import { createMCPClient } from "@ai-sdk/mcp";
import { Experimental_StdioMCPTransport } from "@ai-sdk/mcp/mcp-stdio";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Haft } from "../../dist/index.js";
import { spread } from "../numbers.ts";

export interface Way {
  readonly name: string;
  readonly call: () => Promise<unknown>;
  readonly close: () => Promise<void>;
}

/** The same tool of the same server, each way with its own child process. */
export const openWays = async (args: readonly string[]): Promise<readonly Way[]> => {
  const command = process.execPath;
  const client = new Client({ name: "bench", version: "1" });
  await client.connect(new StdioClientTransport({ command, args: [...args], stderr: "ignore" }));
  await client.listTools();
  const haft = await Haft.open({
    principal: { agent: "bench", allow: ["*"] },
    mcp: { lock: false, servers: { everything: { command, args } } },
  });
  const transport = new Experimental_StdioMCPTransport({ command, args: [...args], stderr: "ignore" });
  const foreign = await createMCPClient({ transport });
  const tools = await foreign.tools();
  const echo = tools.echo!;
  return [
    {
      name: "SDK client",
      call: () => client.callTool({ name: "echo", arguments: { message: "hello" } }),
      close: () => client.close(),
    },
    {
      name: "Haft",
      call: () => haft.call("everything/echo", { message: "hello" }),
      close: () => haft.close(),
    },
    {
      name: "AI SDK",
      call: async () => echo.execute({ message: "hello" }, { toolCallId: "1", messages: [] } as never),
      close: () => foreign.close(),
    },
  ];
};

/** Microseconds per call, the median of interleaved rounds. */
export const measureWays = async (
  ways: readonly Way[],
  rounds: number,
  calls: number,
): Promise<readonly { readonly name: string; readonly micros: number }[]> => {
  const times = new Map(ways.map(({ name }) => [name, [] as number[]]));
  for (const { call } of ways) for (let i = 0; i < 300; i++) await call();
  for (let round = 0; round < rounds; round++) {
    for (const { name, call } of ways) {
      const since = process.hrtime.bigint();
      for (let i = 0; i < calls; i++) await call();
      times.get(name)!.push(Number(process.hrtime.bigint() - since) / calls / 1_000);
    }
  }
  return ways.map(({ name }) => ({ name, micros: spread(times.get(name)!).median }));
};
