import { createHash } from "node:crypto";

/** Advisory locks are shared by the whole database, so a hash avoids collisions. */
export const lockKey = (...names: readonly string[]): bigint =>
  createHash("sha256")
    .update(JSON.stringify(["haft", ...names]))
    .digest()
    .readBigInt64BE(0);
