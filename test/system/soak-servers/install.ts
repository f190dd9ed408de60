import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { SoakServer } from "./list.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));

/** Puts the Node of this project first. */
export const path = `${join(root, "node_modules/.bin")}${delimiter}${process.env.PATH ?? ""}`;

const folderOf = (folder: string, { name }: SoakServer): string =>
  join(folder, name.replaceAll(/[@/]/g, "_"));

/** Installs a package from the registry without its install scripts, unless it is installed already. */
export const install = async (folder: string, server: SoakServer): Promise<string> => {
  const own = folderOf(folder, server);
  const manifest = join(own, "node_modules", server.name, "package.json");
  if (!existsSync(manifest) || JSON.parse(readFileSync(manifest, "utf8")).version !== server.version) {
    mkdirSync(own, { recursive: true });
    writeFileSync(join(own, "package.json"), "{}");
    await npm(own, `${server.name}@${server.version}`);
  }
  return binOf(join(own, "node_modules", server.name));
};

const npm = (cwd: string, wanted: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const words = ["install", wanted, "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
    const child = spawn("npm", words, { cwd, env: { ...process.env, PATH: path }, stdio: "pipe" });
    let said = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      said += text;
    });
    child.stdout.resume();
    child.once("error", reject);
    child.once("close", (code) =>
      code === 0
        ? resolve()
        : reject(new Error(`npm install ${wanted} ended with ${code}: ${said.slice(-300)}`)),
    );
  });

/** The program of a package: the one with the name of the package, else the first. */
const binOf = (folder: string): string => {
  const { name, bin } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  if (typeof bin === "string") return join(folder, bin);
  const file = bin?.[name.replace(/^.*\//, "")] ?? Object.values(bin ?? {})[0];
  if (typeof file !== "string") throw new Error(`${name} has no program.`);
  return join(folder, file);
};
