import { missingPackage } from "../../words/missing-package.ts";

export type Pg = typeof import("pg");

/** The package `pg`, on first use: who keeps no ledger in PostgreSQL needs none. */
export const loadPg = (): Promise<Pg> =>
  import("pg").catch(missingPackage("pg", "A ledger in PostgreSQL needs"));
