// Screenshots of the Studio over the test shop: node test/system/e2e/kit/take-screenshots.ts [--all FOLDER].
// Without --all, only those of the documents.
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import type { Browser, Page } from "playwright-core";
import { launchBrowser } from "../../kit/launch-browser.ts";
import { buildPage } from "./build-page.ts";
import { fillScene } from "./fill-scene.ts";
import { clockGates } from "./gates.ts";
import { openScene } from "./scene.ts";
import { signedIn } from "./signed-in.ts";

const { values } = parseArgs({ options: { all: { type: "string" } } });
const images = fileURLToPath(new URL("../../../../docs/images", import.meta.url));

interface Listed {
  readonly items: readonly { readonly entryId: string; readonly tool: string; readonly isRepaired?: true }[];
}

const folder = mkdtempSync(join(tmpdir(), "haft-shots-"));
const assets = join(folder, "page");
await buildPage(assets);
const scene = await openScene({
  ledger: `sqlite:${join(folder, "shop.db")}`,
  folder,
  assets,
  gates: clockGates(300),
});
const { runs } = await fillScene(scene);
const { get } = await signedIn(scene, "ada");
const callOf = async (query: string, fits: (call: Listed["items"][number]) => boolean): Promise<string> => {
  const { items } = await get<Listed>(`/calls?limit=500&${query}`);
  return `/calls/${encodeURIComponent(items.find(fits)!.entryId)}`;
};
const denied = await callOf("ending=failed", ({ tool }) => tool === "refund");
const repaired = await callOf("ending=executed", ({ isRepaired }) => isRepaired === true);

const everywhere: Readonly<Record<string, string>> = {
  overview: "/",
  calls: "/calls",
  "call-denied": denied,
  "call-repaired": repaired,
  runs: "/runs",
  run: `/runs/${encodeURIComponent(runs.compared)}`,
  approvals: "/approvals",
  tools: "/tools",
  "tools-found": "/tools?query=give%20money%20back",
  tool: "/tools/refund",
  servers: "/servers",
  review: "/servers/weather/review",
  permissions: "/permissions?as=guest&tool=refund",
  agents: "/agents",
  experiments: "/experiments",
};

const look = async (browser: Browser, scheme: "light" | "dark", width: number): Promise<Page> => {
  const viewport = { width, height: width < 600 ? 780 : 800 };
  const page = await (await browser.newContext({ locale: "en-US", colorScheme: scheme, viewport })).newPage();
  await page.goto(scene.link("ada"));
  await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
  return page;
};

const shoot = async (page: Page, path: string, file: string): Promise<void> => {
  await page.goto(scene.origin + path);
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page.waitForLoadState("load");
  await page.getByRole("main").getByText("Loading").waitFor({ state: "hidden" });
  // Charts are drawn one frame after their data arrived.
  await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
  await page.screenshot({ path: file });
  process.stdout.write(`${file}\n`);
};

const browser = await launchBrowser();
if (values.all === undefined) {
  mkdirSync(images, { recursive: true });
  const light = await look(browser, "light", 1_280);
  await shoot(light, "/approvals", join(images, "studio-approvals.png"));
  await shoot(light, everywhere.run!, join(images, "studio-run.png"));
  const dark = await look(browser, "dark", 1_280);
  await shoot(dark, denied, join(images, "studio-call.png"));
} else {
  mkdirSync(values.all, { recursive: true });
  for (const scheme of ["light", "dark"] as const) {
    for (const width of [1_280, 360]) {
      const page = await look(browser, scheme, width);
      for (const [name, path] of Object.entries(everywhere)) {
        await shoot(page, path, join(values.all, `${name}-${scheme}-${width}.png`));
      }
    }
  }
}
await browser.close();
await scene.close();
rmSync(folder, { recursive: true, force: true });
