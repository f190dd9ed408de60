import { globSync } from "node:fs";
import { join } from "node:path";
import { mutatedModuleNamed } from "./mutated-modules.ts";

/**
 * Loads the whole room before any test. A module that is loaded when it is first needed would be loaded by some test,
 * and Stryker would try what is made while loading with that one test alone.
 */
const { folder } = mutatedModuleNamed(process.env.HAFT_MUTANTS_ROOM ?? "");
for (const file of globSync(`${folder}/**/*.ts`)) {
  if (!file.endsWith(".test.ts")) await import(join(process.cwd(), file));
}
