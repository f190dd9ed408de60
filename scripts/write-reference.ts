import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { entryFile } from "./build/entry-file.ts";
import { readFlags } from "./flags.ts";
import { commandsPage } from "./reference/commands-page.ts";
import { entryPages } from "./reference/entry-pages.ts";
import { syncPages } from "./reference/page.ts";
import { settingsPage } from "./reference/settings-page.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const check = readFlags({ "--check": "change nothing; fail if a page is stale" }).has("--check");

/** Emits the declarations of the current source, independent of earlier builds. */
const emitDeclarations = (folder: string): void => {
  const tsc = join(root, "node_modules/typescript/lib/tsc.js");
  const options = ["-p", "tsconfig.build.json", "--emitDeclarationOnly", "--declarationMap", "false"];
  const { status, stdout, stderr } = spawnSync(process.execPath, [tsc, ...options, "--outDir", folder], {
    cwd: root,
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`the sources do not compile:\n${stdout}${stderr}`);
};

const { exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
  readonly exports: Readonly<Record<string, string | { readonly types: string }>>;
};
const entryFiles = Object.fromEntries(
  Object.entries(exports).flatMap(([subpath, entry]) =>
    typeof entry === "string"
      ? []
      : [[subpath, `${entryFile(entry.types.replace(/^\.\/dist\/|\.d\.ts$/g, ""))}.d.ts`]],
  ),
);

const folder = mkdtempSync(join(tmpdir(), "haft-declarations-"));
try {
  emitDeclarations(folder);
  const { pages, undescribed } = entryPages(folder, entryFiles);
  const settings = settingsPage(folder);
  const missing = [...undescribed, ...settings.undescribed];
  for (const one of missing) console.error(`${one} has no doc comment. Describe its purpose in one sentence`);
  const all = [...pages, settings.page, await commandsPage()];
  const stale = syncPages(all, check);
  if (check) {
    for (const file of stale) console.error(`docs/reference/${file} is stale: run npm run reference`);
  }
  console.log(`reference: ${all.length} pages, ${stale.length} ${check ? "stale" : "rewritten"}`);
  if (missing.length > 0 || (check && stale.length > 0)) process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
