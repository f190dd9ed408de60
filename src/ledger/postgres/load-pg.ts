import { checkPackage, missingPackage } from "../../base/platform/peer-packages.ts";

export type Pg = typeof import("pg");

const purpose = "A ledger in PostgreSQL needs";

export const loadPg = async (): Promise<Pg> => {
  checkPackage("pg", purpose);
  return import("pg").catch(missingPackage("pg", purpose));
};
