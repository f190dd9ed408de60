import { isSince } from "../deferred.ts";

const version = /^(?:.*[./])?claude-[a-z]+-(\d+)(?:[-.](\d{1,2})(?!\d))?/;

/** Whether a model's name says that it is of Claude 4.5 or later, which brought the search of tools and schemas for answers. */
export const isSinceClaude45 = (modelId: string): boolean => isSince(modelId, version, [4, 5]);
