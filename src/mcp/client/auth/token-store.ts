import { fileTokenStore } from "../../../base/credentials/oauth/file-token-store.ts";
import { memoryTokenStore, type TokenStore } from "../../../base/credentials/oauth/token-store.ts";

/**
 * The store that tools keep their tokens in, so that users make only one. Whatever belongs to a party at a server
 * (tokens, client, a sign-in that waits) is one text in it.
 */
export type McpTokenStore = TokenStore;

/** Gone with the process. */
export const memoryMcpTokens = (): McpTokenStore => memoryTokenStore();

/** A directory that only the user can read. Processes on one machine can share it. */
export const fileMcpTokens = (directory: string): McpTokenStore => fileTokenStore(directory);
