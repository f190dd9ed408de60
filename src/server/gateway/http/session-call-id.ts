import { createHash } from "node:crypto";

/** The id of a call in a session, so that any gateway finds its entry by what the client knows of it. */
export const sessionCallId = (session: string, requestId: unknown): string =>
  `mcp-${createHash("sha256")
    .update(JSON.stringify([session, requestId]))
    .digest("hex")
    .slice(0, 32)}`;
