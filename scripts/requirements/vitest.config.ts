import { mergeConfig } from "vitest/config";
import { mutantPlugin } from "./mutant-plugin.ts";

/** The configuration of the tier to run, as a file URL. */
const tier: { readonly default: object } = await import(process.env.HAFT_REQUIREMENTS_CONFIG ?? "");

export default mergeConfig(tier.default, {
  plugins: [mutantPlugin()],
  // A mutated module must never reach the disk cache of ordinary runs.
  test: { fsModuleCache: false },
});
