import { globSync } from "node:fs";
import { join } from "node:path";
import { mutatedModuleNamed } from "./mutated-modules.ts";

/**
 * Loads the whole module before any test. Stryker would otherwise run mutants in lazily loaded code with only
 * the test that loads it.
 */
const { folder } = mutatedModuleNamed(process.env.HAFT_MUTANTS_MODULE ?? "");
for (const file of globSync(`${folder}/**/*.ts`)) {
  if (!file.endsWith(".test.ts")) await import(join(process.cwd(), file));
}
