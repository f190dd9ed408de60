import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = join(root, "test", "system");
const modules = join(folder, "node_modules");
/** Hash of the manifest and the lockfile that the packages were installed from. */
const installMarker = join(modules, ".haft-installed");

const installed = (): string =>
  ["package.json", "package-lock.json", ".npmrc"]
    .reduce((hash, file) => hash.update(readFileSync(join(folder, file))), createHash("sha256"))
    .digest("hex");

/** Installs the packages of `test/system` when they are missing or older than the lockfile. */
export const installSystemPackages = (): void => {
  if (existsSync(installMarker) && readFileSync(installMarker, "utf8") === installed()) return;
  console.log("Installing the packages of test/system. This takes two minutes the first time.");
  const flags = ["--no-audit", "--no-fund", "--loglevel=error"];
  execFileSync("npm", ["install", ...flags], { cwd: folder, stdio: "inherit" });
  writeFileSync(installMarker, installed());
};

/** Packs the built package and installs the tarball as `haft` in `test/system`. */
export const installPackedHaft = (): void => {
  const packed = join(modules, ".packed");
  rmSync(packed, { recursive: true, force: true });
  mkdirSync(packed, { recursive: true });
  const pack = ["pack", "--ignore-scripts", "--silent", "--pack-destination", packed];
  const tarball = execFileSync("npm", pack, { cwd: root, encoding: "utf8" }).trim().split("\n").at(-1)!;
  const target = join(modules, "haft");
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target);
  // Its dependencies are those of the root, which Node finds by walking up from here.
  execFileSync("tar", ["-xzf", join(packed, tarball), "--strip-components=1", "-C", target]);
};

/** Environment in which code of the root finds `deno` and `pyodide` of `test/system`. */
export const systemEnvironment = (): NodeJS.ProcessEnv => ({
  ...process.env,
  NODE_PATH: [modules, process.env.NODE_PATH].filter(Boolean).join(delimiter),
});

if (import.meta.main) installSystemPackages();
