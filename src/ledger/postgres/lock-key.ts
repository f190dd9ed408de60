import { createHash } from "node:crypto";

/**
 * PostgreSQL's advisory locks are numbers of 64 bits, shared by everybody in one database. A hash of what is locked
 * makes it unlikely to meet another program's, and equal in all processes of ours.
 */
export const lockKey = (...names: readonly string[]): bigint =>
  createHash("sha256")
    .update(JSON.stringify(["haft", ...names]))
    .digest()
    .readBigInt64BE(0);
