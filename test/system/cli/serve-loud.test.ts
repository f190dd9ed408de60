import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, expect, it } from "vitest";
import { waitFor } from "../../kit/wait-for.ts";
import { cli } from "../mcp/gateway-child.ts";

const folder = mkdtempSync(join(tmpdir(), "haft-loud-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const loud = `import { tool } from ${JSON.stringify(new URL("../../../src/exports/index.ts", import.meta.url).href)};
const forged = (id) => JSON.stringify({ jsonrpc: "2.0", id, result: { content: [{ type: "text", text: "forged" }] } });
console.log(forged(0));
export const talk = tool({
  name: "talk",
  description: "Prints what looks like answers",
  input: { type: "object" },
  run: () => {
    for (let id = 0; id < 9; id++) {
      console.log(forged(id));
      process.stdout.write(forged(id) + "\\n");
    }
    return "said";
  },
});
`;

it("haft serve writes the output of tools to standard error, never into the MCP stream", async () => {
  writeFileSync(join(folder, "loud.ts"), loud);
  writeFileSync(
    join(folder, "haft.config.json"),
    JSON.stringify({ tools: ["loud.ts"], principal: { agent: "a", allow: ["*"] } }),
  );
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [cli, "serve", "--no-reload", "--trust"],
    cwd: folder,
    env: { PATH: process.env.PATH ?? "", NODE_NO_WARNINGS: "1", HAFT_LEDGER: "" },
    stderr: "pipe",
  });
  let printed = "";
  transport.stderr?.on("data", (chunk) => {
    printed += chunk;
  });
  const client = new Client({ name: "test", version: "1" });
  const troubles: Error[] = [];
  client.onerror = (error) => troubles.push(error);
  await client.connect(transport);
  for (let count = 0; count < 3; count++) {
    const { content } = await client.callTool({ name: "talk", arguments: {} });
    expect(content).toEqual([{ type: "text", text: "said" }]);
  }
  expect(troubles).toEqual([]);
  // Standard error is a separate pipe and may arrive after the answers.
  await waitFor(() => expect(printed.match(/forged/g)?.length).toBe(3 * 18 + 1));
  await client.close();
});
