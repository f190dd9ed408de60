import { tool } from "../../src/exports/index.ts";
import { Haft } from "../../src/runtime/haft.ts";
import { openHttpHost } from "../../src/server/http/http-host.ts";
import { mountStudio } from "../../src/server/http/mount-studio.ts";
import { studio } from "../../src/server/studio-api/studio.ts";

/** Serves the Studio over a ledger in a separate process. Prints a sign-in link for each line it reads. */
const [ledger = "", assets = ""] = process.argv.slice(2);

const noop = tool({ name: "noop", description: "Does nothing.", input: { type: "object" }, run: () => ({}) });
const principal = { agent: "bench", allow: ["*"] };
const haft = await Haft.open({ ledger, tools: [noop], principal });
const page = studio(haft, { assets });
const host = await openHttpHost({
  mcp: { fetch: async () => new Response("", { status: 404 }), close: async () => {} },
  port: 0,
  auth: { kind: "none", principal },
  ...mountStudio(page, "", "none"),
});
process.stdin.on("data", () => {
  process.stdout.write(`http://127.0.0.1:${host.port}${page.link("bench")}\n`);
});
process.stdin.on("end", async () => {
  await page.close();
  await host.close();
  await haft.close();
});
