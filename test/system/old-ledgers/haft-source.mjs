// Resolves `haft` and `haft/*` to the TypeScript sources of the checkout named by HAFT_SOURCE.
//   HAFT_SOURCE=<checkout> node --import ./haft-source.mjs write-ledgers.mjs
import { existsSync } from "node:fs";
import { registerHooks } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const root = process.env.HAFT_SOURCE;
if (root === undefined) throw new Error("Set HAFT_SOURCE to a checkout of Haft with its node_modules.");

registerHooks({
  resolve(specifier, context, next) {
    const found = /^haft(?:\/(.+))?$/.exec(specifier);
    if (found === null) return next(specifier, context);
    const name = `${found[1] ?? "index"}.ts`;
    const file = [join(root, "src/exports", name), join(root, "src", name)].find(existsSync);
    if (file === undefined) throw new Error(`${root} has no entry point ${specifier}`);
    return { url: pathToFileURL(file).href, shortCircuit: true };
  },
});
