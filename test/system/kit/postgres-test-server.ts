import { randomBytes } from "node:crypto";
import pg from "pg";
import { inject } from "vitest";
import type { PostgresVersion } from "./postgres-programs.ts";

/** A shared PostgreSQL server for tests. */
export interface PostgresTestServer {
  /** URL of the database `postgres` with its superuser. */
  readonly url: string;
  readonly query: (
    sql: string,
    values?: readonly unknown[],
  ) => Promise<readonly Readonly<Record<string, unknown>>[]>;
  /** Creates an empty database or a copy of `template`; resolves with its url. */
  readonly createDatabase: (name: string, template?: string) => Promise<string>;
}

/** Runs one statement over a separate connection. */
export const queryAt = async (
  url: string,
  sql: string,
  values: readonly unknown[] = [],
): Promise<readonly Readonly<Record<string, unknown>>[]> => {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => {});
  await client.connect();
  try {
    return (await client.query(sql, [...values])).rows;
  } finally {
    await client.end();
  }
};

/** Superuser operations on the server of a database url. */
export const testServerAt = (url: string, version: PostgresVersion): PostgresTestServer => {
  const urlOf = (database: string): string => {
    const at = new URL(url);
    at.pathname = `/${encodeURIComponent(database)}`;
    return at.href;
  };
  const query: PostgresTestServer["query"] = (sql, values) => queryAt(url, sql, values);
  return {
    url,
    query,
    createDatabase: async (name, template) => {
      const of = template === undefined ? "" : ` TEMPLATE ${pg.escapeIdentifier(template)}`;
      // The default strategy copies through the WAL and takes several times as long; version 14 only has
      // FILE_COPY.
      const how = version === 14 ? "" : " STRATEGY FILE_COPY";
      await query(`CREATE DATABASE ${pg.escapeIdentifier(name)}${of}${how}`);
      return urlOf(name);
    },
  };
};

declare module "vitest" {
  interface ProvidedContext {
    /**
     * Address of the server of `shared-postgres.ts`: `/18` and `/14` return the URL of a PostgreSQL of that
     * version.
     */
    readonly sharedPostgres: string;
  }
}

/** The server of all test files, and a unique name prefix for this file. */
export const sharedTestServer = async (
  version: PostgresVersion = 18,
): Promise<PostgresTestServer & { readonly prefix: string }> => {
  const answer = await fetch(`${inject("sharedPostgres")}/${version}`);
  const text = await answer.text();
  if (!answer.ok) throw new Error(text);
  return { ...testServerAt(text, version), prefix: `t${randomBytes(4).toString("hex")}` };
};
