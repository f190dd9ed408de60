import { expect, it } from "vitest";
import { runtimeMcpServers } from "./mcp-servers.ts";
import type { McpServices } from "./mcp-services.ts";

it("disconnects and removes a server that is still connecting", async () => {
  const loaded = Promise.withResolvers<McpServices>();
  const servers = runtimeMcpServers(() => loaded.promise);
  expect(await servers.disconnect("files")).toBe(false);
  const connecting = servers.connect({ id: "files", command: "server" });
  const answers = [servers.disconnect("files"), servers.remove("files")];
  loaded.resolve({
    connect: async () => ({ id: "files" }),
    disconnect: async (id: string) => id === "files",
    remove: async (id: string) => id === "files",
  } as never);
  await connecting;
  expect(await Promise.all(answers)).toEqual([true, true]);
});
