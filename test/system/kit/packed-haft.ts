import { fileURLToPath } from "node:url";
import type { Plugin } from "vitest/config";

const source = fileURLToPath(new URL("../../../src/", import.meta.url));
const here = fileURLToPath(import.meta.url);

/** Resolves `haft` to the packed tarball in `test/system/node_modules`, and rejects modules of `src`. */
export const packedHaft: Plugin = {
  name: "packed-haft",
  enforce: "pre",
  resolveId(id) {
    // Files in test/kit belong to the package haft, where the name would resolve to the dist of the root.
    return /^haft(\/|$)/.test(id) ? this.resolve(id, here, { skipSelf: true }) : undefined;
  },
  load(id) {
    if (id.startsWith(source)) throw new Error(`A test of the packed package loads a source: ${id}`);
  },
};
