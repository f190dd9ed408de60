import { ConfigurationError } from "./errors.ts";

/** The versions this package is tested with; `package.json` names the same as optional peers. */
const ranges = {
  openai: ">=7.53.0 <8",
  "@anthropic-ai/sdk": ">=1.8.0 <2",
  ollama: ">=0.6.4 <1",
  "@google/genai": ">=2.32.0 <3",
  pg: ">=8.23.0 <9",
  "pg-boss": ">=12.30.0 <13",
  "@cedar-policy/cedar-wasm": ">=4.13.0 <5",
  "js-yaml": ">=5.5.0 <6",
} as const;

/**
 * For `import("pg").catch(missingPackage("pg", "A ledger in PostgreSQL needs"))`. The import stands in the open and is
 * caught at once: so a bundler follows it where the package is installed, and makes no error of it where it is not.
 */
export const missingPackage =
  (name: keyof typeof ranges, whoNeeds: string) =>
  (error: unknown): never => {
    if (!isMissing(error, name)) throw error;
    throw new ConfigurationError(
      "invalid_config",
      `${whoNeeds} the package ${name}, which is not installed. Run: npm install ${name}@"${ranges[name]}"`,
    );
  };

const isMissing = (error: unknown, name: string): boolean => {
  const { code, message } = (error ?? {}) as { readonly code?: unknown; readonly message?: unknown };
  if (typeof message !== "string") return false;
  const isLost = code === "ERR_MODULE_NOT_FOUND" || code === "MODULE_NOT_FOUND";
  // The package may be there and one of its own dependencies not: that is another story. Vite puts a module that
  // throws in the place of an optional peer that it does not find.
  return (isLost && message.includes(`'${name}'`)) || message.startsWith(`Could not resolve "${name}`);
};
