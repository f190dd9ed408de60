import { ConfigurationError } from "../../words/errors.ts";

export type Pg = typeof import("pg");

const isMissing = (error: unknown): boolean => {
  const { code, message } = (error ?? {}) as { readonly code?: unknown; readonly message?: unknown };
  const isLost = code === "ERR_MODULE_NOT_FOUND" || code === "MODULE_NOT_FOUND";
  // The package may be there and one of its own dependencies not: that is another story.
  return isLost && typeof message === "string" && message.includes("'pg'");
};

/** The package `pg`, on first use: who keeps no ledger in PostgreSQL needs none. */
export const loadPg = async (load: () => Promise<Pg> = () => import("pg")): Promise<Pg> => {
  try {
    return await load();
  } catch (error) {
    if (!isMissing(error)) throw error;
    throw new ConfigurationError(
      "invalid_config",
      'A ledger in PostgreSQL needs the package pg, which is not installed. Run: npm install pg@">=8.23.0 <9"',
    );
  }
};
