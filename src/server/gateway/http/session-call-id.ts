import { createHash } from "node:crypto";

/** Lets any gateway find the ledger entry of a client's request. */
export const sessionCallId = (session: string, requestId: unknown): string =>
  `mcp-${createHash("sha256")
    .update(JSON.stringify([session, requestId]))
    .digest("hex")
    .slice(0, 32)}`;
