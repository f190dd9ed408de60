import { fileTokenStore } from "../../../base/credentials/oauth/file-token-store.ts";
import { memoryTokenStore, type TokenStore } from "../../../base/credentials/oauth/token-store.ts";

/** Token store for MCP servers, the same type that tools use. */
export type McpTokenStore = TokenStore;

export const memoryMcpTokens = (): McpTokenStore => memoryTokenStore();

/** Keeps tokens in a directory that only the user can read. Processes on one machine can share it. */
export const fileMcpTokens = (directory: string): McpTokenStore => fileTokenStore(directory);
