import { expect, test } from "vitest";
import type { Served } from "../../../src/gateway/served.ts";
import { servedBy } from "../../../src/gateway/served-by.ts";
import { ada, callOf, doors, namesOf, own } from "../../gateway/search-scene.ts";
import { listing, serve } from "../kit/mcp/served-scene.ts";

const pipe = doors.find(({ name }) => name === "standard input and output, legacy")!;
const connect = async (served: Served, who = ada) => (await pipe.open(served))(who);

test("what only pages of apps call is listed to clients that show them, and found by no search", async () => {
  const of = (name: string, visibility: readonly string[]) => ({
    name,
    description: "Weather chart",
    inputSchema: { type: "object" },
    _meta: { ui: { visibility } },
  });
  const server = listing({ tools: [of("forecast", ["model", "app"]), of("refresh", ["app"])] });
  const { haft } = await serve({ weather: server });
  const served = await servedBy(haft, { info: { name: "haft", version: "1" }, search: { above: 0 } });
  const showsApps = {
    extensions: { "io.modelcontextprotocol/ui": { mimeTypes: ["text/html;profile=mcp-app"] } },
  };
  const page = await (await pipe.open(served))(ada, showsApps);
  expect(await namesOf(page)).toEqual(["weather__refresh", ...own]);
  expect(await namesOf(await connect(served))).toEqual(own);
  const { value } = await callOf(page, "search_tools", { query: "weather chart", limit: 20 });
  const found = (value as { tools: readonly { name: string }[] }).tools.map(({ name }) => name);
  expect(found).toContain("weather__forecast");
  expect(found).not.toContain("weather__refresh");
});
