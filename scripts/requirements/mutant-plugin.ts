import { relative } from "node:path";
import type { Plugin } from "vite";
import { applyMutant, type Mutant } from "../../test/requirements/mutant.ts";

/** A mutant, the file with the changed declaration, and whether a test has loaded that file since. */
export interface ActiveMutant {
  readonly mutant: Mutant;
  readonly path: string;
  isLoaded: boolean;
}

/** Vite bundles its configuration, so the script and the plugin share state only on the global object. */
const shared = globalThis as { [key: symbol]: ActiveMutant | undefined };
const key = Symbol.for("haft.requirements.mutant");

export const setActiveMutant = (active: ActiveMutant | undefined): void => {
  shared[key] = active;
};

/** Applies the active mutant to the module that declares its export. */
export const mutantPlugin = (): Plugin => ({
  name: "requirements-mutant",
  enforce: "pre",
  transform(code, id) {
    const active = shared[key];
    if (active === undefined) return undefined;
    const path = relative(process.cwd(), id.split("?")[0] ?? id).replaceAll("\\", "/");
    if (path !== active.path) return undefined;
    active.isLoaded = true;
    return { code: applyMutant(code, active.mutant) ?? code, map: null };
  },
});
