/** Names of the built-in tools. */
export const skillNames = [
  "file-read",
  "file-write",
  "file-list",
  "file-search",
  "http-get",
  "http-request",
  "web-search",
  "code-execute",
  "run-code",
  "shell",
] as const;

/** The name of a built-in tool. */
export type SkillName = (typeof skillNames)[number];

export const isSkillName = (name: unknown): name is SkillName => skillNames.includes(name as SkillName);
