import { ConfigurationError } from "../../words/errors.ts";

export type Cedar = typeof import("@cedar-policy/cedar-wasm/nodejs");

const name = "@cedar-policy/cedar-wasm";

const isMissing = (error: unknown): boolean => {
  const { code, message } = (error ?? {}) as { readonly code?: unknown; readonly message?: unknown };
  const isLost = code === "ERR_MODULE_NOT_FOUND" || code === "MODULE_NOT_FOUND";
  return isLost && typeof message === "string" && message.includes(`'${name}'`);
};

/** The package, on first use: who has no Cedar policies needs none. */
export const loadCedar = async (
  load: () => Promise<Cedar> = () => import("@cedar-policy/cedar-wasm/nodejs"),
): Promise<Cedar> => {
  try {
    return await load();
  } catch (error) {
    if (!isMissing(error)) throw error;
    throw new ConfigurationError(
      "invalid_config",
      `Cedar policies need the package ${name}, which is not installed. Run: npm install ${name}@">=4.13.0 <5"`,
    );
  }
};
