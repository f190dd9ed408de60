import { codeMode } from "../sandbox/code-mode.ts";
import { ConfigurationError } from "../words/errors.ts";
import type { AnyTool } from "../words/tool.ts";
import { codeExecute } from "./code-execute.ts";
import { fileList } from "./file-list.ts";
import { fileRead } from "./file-read.ts";
import { fileSearch } from "./file-search.ts";
import { fileWrite } from "./file-write.ts";
import { httpGet, httpRequest } from "./http-skills.ts";
import { shell } from "./shell.ts";
import type { SkillName } from "./skill-names.ts";
import type { SkillSettings } from "./skill-settings.ts";
import { webSearch } from "./web-search.ts";

const makers: Readonly<Record<SkillName, (settings: SkillSettings) => AnyTool>> = {
  "file-read": fileRead,
  "file-write": fileWrite,
  "file-list": fileList,
  "file-search": fileSearch,
  "http-get": httpGet,
  "http-request": httpRequest,
  "web-search": webSearch,
  "code-execute": codeExecute,
  "run-code": ({ code }) => codeMode({ limits: code.limits }),
  shell,
};

/** The named built-in tools under these settings. Their specs are whole; their code is loaded by the first call. */
export const skills = (names: readonly SkillName[], settings: SkillSettings): readonly AnyTool[] =>
  [...new Set(names)].map((name) => {
    if (name === "shell" && Object.keys(settings.commands).length === 0) throw noCommands;
    return makers[name](settings);
  });

const noCommands = new ConfigurationError(
  "invalid_config",
  'The built-in tool shell starts only commands that are granted, and none is. Grant some: config: { skills: { commands: { git: { args: ["--oneline"] } } } }, or leave shell out.',
);
