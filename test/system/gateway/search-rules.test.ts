import { expect, test } from "vitest";
import type { GatewayBackend } from "../../../src/server/gateway/gateway-backend.ts";
import { openRuntimeBackend } from "../../../src/server/gateway/runtime-backend.ts";
import {
  adaSearcher,
  callAndReadResult,
  clientTransports,
  listedNames,
  searchToolList,
} from "../../gateway/gateway-search-scene.ts";
import { listingServer, serveRuntime } from "../kit/mcp/gateway-scene.ts";

const pipe = clientTransports.find(({ name }) => name === "standard input and output, legacy")!;
const connect = async (served: GatewayBackend, who = adaSearcher) => (await pipe.open(served))(who);

test("tools only for app pages are listed to clients that show apps, and excluded from search", async () => {
  const of = (name: string, visibility: readonly string[]) => ({
    name,
    description: "Weather chart",
    inputSchema: { type: "object" },
    _meta: { ui: { visibility } },
  });
  const server = listingServer({ tools: [of("forecast", ["model", "app"]), of("refresh", ["app"])] });
  const { haft } = await serveRuntime({ weather: server });
  const served = await openRuntimeBackend(haft, {
    info: { name: "haft", version: "1" },
    search: { above: 0 },
  });
  const showsApps = {
    extensions: { "io.modelcontextprotocol/ui": { mimeTypes: ["text/html;profile=mcp-app"] } },
  };
  const page = await (await pipe.open(served))(adaSearcher, showsApps);
  expect(await listedNames(page)).toEqual(["weather__refresh", ...searchToolList]);
  expect(await listedNames(await connect(served))).toEqual(searchToolList);
  const { value } = await callAndReadResult(page, "search_tools", { query: "weather chart", limit: 20 });
  const found = (value as { tools: readonly { name: string }[] }).tools.map(({ name }) => name);
  expect(found).toContain("weather__forecast");
  expect(found).not.toContain("weather__refresh");
});
