// Serves the Studio over a filled shop for manual use: node test/system/e2e/kit/serve-scene.ts [--postgres]
// [--empty]
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { buildPage } from "./build-page.ts";
import { fillScene } from "./fill-scene.ts";
import { clockGates } from "./gates.ts";
import { openScene } from "./scene.ts";

const { values } = parseArgs({
  options: {
    /** Uses a ledger in PostgreSQL with a fleet. */
    postgres: { type: "boolean", default: false },
    /** Starts with an empty ledger. */
    empty: { type: "boolean", default: false },
    port: { type: "string", default: "0" },
    name: { type: "string", default: "ada" },
    /** Number of one-time sign-in links to print. */
    links: { type: "string", default: "1" },
  },
});

const folder = mkdtempSync(join(tmpdir(), "haft-scene-"));
const assets = join(folder, "page");
await buildPage(assets);
const postgres = values.postgres
  ? await (await import("../../kit/start-postgres.ts")).startPostgres()
  : undefined;
const ledger =
  postgres === undefined ? `sqlite:${join(folder, "shop.db")}` : await postgres.createDatabase("shop");
const scene = await openScene({
  ledger,
  folder,
  assets,
  port: Number(values.port),
  gates: clockGates(1_500),
  hasFleet: values.postgres,
});
if (!values.empty) await fillScene(scene);
for (let i = 0; i < Number(values.links); i += 1) process.stdout.write(`${scene.link(values.name)}\n`);

await new Promise<void>((resolve) => {
  process.once("SIGINT", resolve);
  process.once("SIGTERM", resolve);
});
await scene.close();
await postgres?.stop();
rmSync(folder, { recursive: true, force: true });
