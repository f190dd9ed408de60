import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, it, onTestFinished } from "vitest";
import { sendRawRequest } from "../../kit/host-scene.ts";
import { waitFor } from "../../kit/wait-for.ts";
import { start } from "./start.ts";

const folder = mkdtempSync(join(tmpdir(), "haft-held-"));
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
const place = (name: string): string => join(folder, name);
const toy = fileURLToPath(new URL("../mcp/changing-server.ts", import.meta.url));

const writeTools = (...descriptions: readonly string[]): void => {
  const tools = descriptions.map((description, index) => ({
    name: ["look", "buy", "sell"][index],
    description,
    inputSchema: { type: "object" },
  }));
  writeFileSync(place("tools.json"), JSON.stringify(tools));
};

it("haft serve reports a quarantined tool on standard error and as degraded in /readyz", async () => {
  writeTools("Looks", "Buys", "Sells");
  const shop = { command: process.execPath, args: [toy, place("tools.json")] };
  writeFileSync(place("haft.config.json"), JSON.stringify({ mcp: { servers: { shop } } }));
  const surroundings = { cwd: folder, env: { NO_COLOR: "1", HAFT_LEDGER: "" } };
  expect((await start(["lock", "--yes"], surroundings).ended).code).toBe(0);
  const { child, ended } = start(["serve", "--http", "--port", "0"], surroundings);
  onTestFinished(async () => {
    child.kill("SIGTERM");
    await ended;
  });
  let errors = "";
  child.stderr.on("data", (text) => {
    errors += String(text);
  });
  const says = (said: string | RegExp) => waitFor(() => expect(errors).toMatch(said));
  await says(/serves \d+ tools of 1 server at/);
  const port = Number(/:(\d+)\/mcp/.exec(errors)![1]);
  const readiness = async () => (await sendRawRequest({ port }, { method: "GET", path: "/readyz" })).body;
  const becomes = (body: object) => waitFor(async () => expect(await readiness()).toMatchObject(body));
  await becomes({ status: "ready", problems: [] });

  writeTools("Looks", "Buys anything", "Sells");
  await says(/shop: 1 of 3 tools is quarantined, the others can be called\. shop\/buy: changed since/);
  const message =
    'Of the tools of the server "shop", 1 is quarantined, and the other 2 can be called. Run haft mcp list to see why, and haft lock --diff to see what changed.';
  await becomes({ status: "degraded", problems: [{ part: "servers", message }] });
  writeTools("Looks", "Buys", "Sells");
  await says("shop: all its tools can be called again.");

  const lock = readFileSync(place("haft.lock"), "utf8");
  writeFileSync(place("haft.lock"), "{ broken");
  await says(/shop: 3 of 3 tools are quarantined\. haft\.lock: /);
  await becomes({
    problems: [{ message: expect.stringContaining("3 are quarantined, and none can be called") }],
  });
  writeFileSync(place("haft.lock"), lock);
  await becomes({ status: "ready", problems: [] });
});
