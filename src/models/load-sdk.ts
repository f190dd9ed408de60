import { ConfigurationError } from "../words/errors.ts";

/** The versions this package is tested with; `package.json` names the same as optional peers. */
const ranges: Readonly<Record<string, string>> = {
  openai: ">=7.53.0 <8",
  "@anthropic-ai/sdk": ">=1.8.0 <2",
  ollama: ">=0.6.4 <1",
  "@google/genai": ">=2.32.0 <3",
};

const isMissing = (error: unknown, packageName: string): boolean => {
  const { code, message } = (error ?? {}) as { readonly code?: unknown; readonly message?: unknown };
  const isLost = code === "ERR_MODULE_NOT_FOUND" || code === "MODULE_NOT_FOUND";
  // The package may be there and one of its own dependencies not: that is another story.
  return isLost && typeof message === "string" && message.includes(`'${packageName}'`);
};

/** A vendor's SDK, on first use. `load` is the import itself, so that bundlers can follow it. */
export const loadSdk = async <T>(what: string, packageName: string, load: () => Promise<T>): Promise<T> => {
  try {
    return await load();
  } catch (error) {
    if (!isMissing(error, packageName)) throw error;
    const range = ranges[packageName];
    const version = range === undefined ? "" : `@"${range}"`;
    throw new ConfigurationError(
      "invalid_config",
      `${what} needs the package ${packageName}, which is not installed. Run: npm install ${packageName}${version}`,
    );
  }
};
