import { ConfigurationError } from "../../types/errors.ts";
import type { AnyTool } from "../../types/tool.ts";
import { codeMode } from "../code-mode.ts";
import { codeExecuteTool } from "./code-execute-tool.ts";
import { fileListTool } from "./file-list-tool.ts";
import { fileReadTool } from "./file-read-tool.ts";
import { fileSearchTool } from "./file-search-tool.ts";
import { fileWriteTool } from "./file-write-tool.ts";
import { httpGetTool, httpRequestTool } from "./http-tools.ts";
import { shellTool } from "./shell-tool.ts";
import type { SkillName } from "./skill-names.ts";
import type { SkillSettings } from "./skill-settings.ts";
import { webSearchTool } from "./web-search-tool.ts";

// Names, descriptions and schemas of these tools are part of their definition hash: a change voids pending
// approvals of earlier versions.
const toolFactories: Readonly<Record<SkillName, (settings: SkillSettings) => AnyTool>> = {
  "file-read": fileReadTool,
  "file-write": fileWriteTool,
  "file-list": fileListTool,
  "file-search": fileSearchTool,
  "http-get": httpGetTool,
  "http-request": httpRequestTool,
  "web-search": webSearchTool,
  "code-execute": codeExecuteTool,
  "run-code": ({ code }) => codeMode({ limits: code.limits }),
  shell: shellTool,
};

/** Their code loads with the first call. */
export const builtInTools = (names: readonly SkillName[], settings: SkillSettings): readonly AnyTool[] =>
  [...new Set(names)].map((name) => {
    if (name === "shell" && Object.keys(settings.commands).length === 0) throw noCommandsError;
    return toolFactories[name](settings);
  });

const noCommandsError = new ConfigurationError(
  "invalid_config",
  'The built-in tool shell starts only granted commands, and none is granted. Grant commands: config: { skills: { commands: { git: { args: ["--oneline"] } } } }, or remove shell from `skills`.',
);
