import { isVersionAtLeast } from "../provider-search.ts";

const version = /^(?:.*[./])?claude-[a-z]+-(\d+)(?:[-.](\d{1,2})(?!\d))?/;

/** Whether a model's name says that it is of Claude 4.5 or later, which brought the search of tools and schemas for answers. */
export const isClaude45OrLater = (modelId: string): boolean => isVersionAtLeast(modelId, version, [4, 5]);
