import type { CodeSkillSettings } from "../sandbox/skills/skill-settings.ts";
import type { JsonSchema } from "../types/json.ts";
import {
  booleanSetting,
  choiceListSetting,
  countSetting,
  positiveIntegerSetting,
  settingGroup,
  stringListSetting,
} from "./setting-schemas.ts";

/** Listed here, because the sandbox module is not loaded for the configuration. */
const sandboxLimits: Readonly<Record<keyof CodeSkillSettings["limits"], JsonSchema>> = {
  wallMs: positiveIntegerSetting,
  cpuMs: positiveIntegerSetting,
  memoryBytes: positiveIntegerSetting,
  sourceBytes: positiveIntegerSetting,
  resultBytes: positiveIntegerSetting,
  logBytes: positiveIntegerSetting,
  calls: positiveIntegerSetting,
  callsAtOnce: positiveIntegerSetting,
  callBytes: positiveIntegerSetting,
  fileBytes: positiveIntegerSetting,
};

export const skillsSchema = settingGroup({
  files: settingGroup({
    read: { type: "array", items: { type: "string", minLength: 1 } },
    write: stringListSetting([]),
    maxBytes: countSetting(262_144),
    hidden: booleanSetting(false),
  }),
  http: settingGroup({
    hosts: stringListSetting([]),
    methods: choiceListSetting(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"], ["GET", "HEAD"]),
    headers: stringListSetting(["accept", "accept-language", "content-type"]),
    maxBytes: countSetting(524_288),
    timeoutMs: countSetting(20_000),
  }),
  search: settingGroup({
    provider: { enum: ["tavily", "brave", "searxng"], default: "tavily" },
    url: { type: "string", minLength: 1 },
    credential: { type: "string", minLength: 1 },
    maxResults: { ...countSetting(10), maximum: 20 },
  }),
  code: settingGroup({
    engines: choiceListSetting(["quickjs", "deno", "pyodide", "bubblewrap"], ["quickjs"]),
    limits: settingGroup(sandboxLimits),
  }),
  commands: {
    type: "object",
    additionalProperties: {
      type: "object",
      properties: { args: { type: "array", items: { type: "string", minLength: 1 } } },
      additionalProperties: false,
    },
    default: {},
  },
});
