import { Haft, MCPConnectionError } from "haft";
import { expect, it } from "vitest";

it("the error of a server that exits at once names the server and its transport", async () => {
  await using haft = await Haft.open({ principal: { agent: "clerk", allow: ["*"] } });
  const server = { id: "files", command: process.execPath, args: ["-e", "process.exit(7)"] };
  const error = await haft.mcp.connect(server).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(MCPConnectionError);
  expect(error).toMatchObject({ serverName: "files", transport: "stdio" });
});
