import { isVersionAtLeast } from "../model-reply.ts";

const version = /^(?:.*[./])?claude-[a-z]+-(\d+)(?:[-.](\d{1,2})(?!\d))?/;

/** Introduced tool search and output schemas. */
export const isClaude45OrLater = (modelId: string): boolean => isVersionAtLeast(modelId, version, [4, 5]);
