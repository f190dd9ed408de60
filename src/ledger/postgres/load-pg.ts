import { checkPackage, missingPackage } from "../../platform/peer-packages.ts";

export type Pg = typeof import("pg");

const needs = "A ledger in PostgreSQL needs";

/** Loads the optional peer `pg`. */
export const loadPg = async (): Promise<Pg> => {
  checkPackage("pg", needs);
  return import("pg").catch(missingPackage("pg", needs));
};
