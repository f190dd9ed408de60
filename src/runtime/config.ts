import { copyJson } from "../base/json/copy-json.ts";
import { freezeJson } from "../base/json/freeze-json.ts";
import { isObject } from "../base/json/is-object.ts";
import { compileOnFirstUse } from "../base/schema/compile-schema.ts";
import { type SkillName, skillNames } from "../sandbox/skills/skill-names.ts";
import type {
  AllowedCommand,
  CodeSkillSettings,
  FileSkillSettings,
  HttpSkillSettings,
  SearchSkillSettings,
} from "../sandbox/skills/skill-settings.ts";
import { skillSettingsProblem } from "../sandbox/skills/skill-settings-problem.ts";
import { ConfigurationError } from "../types/errors.ts";
import type { RepairMode } from "../types/hydration.ts";
import type { JsonSchema } from "../types/json.ts";
import { type Risk, risks } from "../types/spec.ts";
import {
  booleanSetting,
  choiceListSetting,
  countSetting,
  defaultsOfSchema,
  settingGroup,
  stringListSetting,
} from "./setting-schemas.ts";
import { skillsSchema } from "./skills-schema.ts";

/** Every setting of a runtime. */
export interface Config {
  readonly execution: {
    /** How long a tool's code may take where its spec names no time. */
    readonly defaultTimeoutMs: number;
    /** The longest time that a spec may name; a longer one is cut to this. */
    readonly maxTimeoutMs: number;
    /** False: tools of `worker`, which are trusted, run in the host's thread, where code that blocks stops everything. Programs always run in a sandbox. */
    readonly sandboxEnabled: boolean;
  };
  readonly mcp: {
    /** How long a server may take to start or to be reached, where it names no `connectTimeoutMs`. */
    readonly connectionTimeoutMs: number;
    /** The version of the protocol that servers of the old handshake are offered first. Unless set: the newest. */
    readonly protocolVersion?: string;
    /** How long a server may take to answer a request, where it names no `callTimeoutMs`; `execution.defaultTimeoutMs` unless set. */
    readonly requestTimeoutMs: number;
    /** After how many failed tries a server counts as in `error`; it is still tried again. */
    readonly maxRetries: number;
  };
  readonly registry: {
    /** The most tools a runtime holds. */
    readonly maxTools: number;
    /** Whether a tool may be registered under a name that is taken, in place of the one that has it. */
    readonly allowDuplicateNames: boolean;
  };
  readonly security: {
    /** `false` lets any caller use read-only tools of low risk that nobody denies. */
    readonly requireAuthorizationForAll: boolean;
    /** Whether tools of high or critical risk need a person unless a rule waives it. */
    readonly blockHighRiskWithoutApproval: boolean;
    /** The folder that built-in tools may read files in, where `skills.files.read` names no others. */
    readonly allowedFilePathPrefix: string;
    /** Commands that `shell` never starts, whatever is granted: words, or several with spaces between. */
    readonly blockedCommands: readonly string[];
  };
  /** Built-in tools by name, where the option `skills` names none. */
  readonly builtinTools: readonly SkillName[];
  readonly skills: {
    /** Where the built-in file tools may work. */
    readonly files: FileSkillSettings;
    /** What `http-get` and `http-request` may reach. */
    readonly http: HttpSkillSettings;
    /** Who `web-search` asks. */
    readonly search: SearchSkillSettings;
    /** What runs the programs of `code-execute`. */
    readonly code: CodeSkillSettings;
    /** What `shell` may start, by name: `{ git: { args: ["--oneline"] } }`. */
    readonly commands: Readonly<Record<string, AllowedCommand>>;
  };
  readonly ledger: {
    /** How many closed entries a ledger in memory keeps. */
    readonly keep: number;
    /** Whether tools that only read may run while the ledger cannot be written. */
    readonly readsWithoutLedger: boolean;
    /** Calls of these risks are on disk before they start, even if the power goes. */
    readonly fullSync: readonly Risk[];
    /** Whether exact texts outlive their run, for replay. */
    readonly keepPayloads: boolean;
    /** On PostgreSQL: how often the ends of all chains are anchored; 0 leaves that to other processes. */
    readonly anchorEveryMs: number;
    /** A file that each anchor is appended to, as a line of JSON. */
    readonly anchorFile?: string;
    /** An address that each anchor is posted to, as JSON. */
    readonly anchorUrl?: string;
  };
  readonly hydration: {
    /** Whether arguments that cannot be used as they came are repaired, once: `off`, `deterministic` or `model`. */
    readonly repair: RepairMode;
  };
  readonly limits: {
    /** The longest text of arguments that is read, in characters. */
    readonly maxInputLength: number;
    /** The deepest nesting of arguments that is read. */
    readonly maxInputDepth: number;
    /** The largest result of a tool, as JSON. */
    readonly maxResultBytes: number;
    /** The most pictures, sounds and files that a result carries besides; more are left out with a sentence in their place. */
    readonly maxMediaParts: number;
    /** The most bytes that they have together; what is more is left out the same way. */
    readonly maxMediaBytes: number;
  };
}

/** What a user writes: any part of it. */
export type ConfigInput = {
  readonly [Group in keyof Config]?: Group extends "skills" ? SkillsInput : Partial<Config[Group]>;
};

type SkillsInput = { readonly [Part in keyof Config["skills"]]?: Partial<Config["skills"][Part]> };

/** Versions of MCP that begin with the handshake `initialize`. Every server may answer with another one. */
const handshakeVersions = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] as const;

const configSchema = {
  type: "object",
  additionalProperties: false,
  properties: {
    execution: settingGroup({
      defaultTimeoutMs: countSetting(30_000),
      maxTimeoutMs: countSetting(300_000),
      sandboxEnabled: booleanSetting(true),
    }),
    mcp: settingGroup({
      connectionTimeoutMs: countSetting(10_000),
      protocolVersion: { enum: handshakeVersions },
      requestTimeoutMs: { type: "integer", minimum: 1 },
      maxRetries: countSetting(3, 0),
    }),
    registry: settingGroup({ maxTools: countSetting(1000), allowDuplicateNames: booleanSetting(false) }),
    security: settingGroup({
      requireAuthorizationForAll: booleanSetting(true),
      blockHighRiskWithoutApproval: booleanSetting(true),
      allowedFilePathPrefix: { type: "string", minLength: 1, default: "." },
      blockedCommands: stringListSetting(["rm -rf /", "sudo", ":(){:|:&};:"]),
    }),
    builtinTools: choiceListSetting(skillNames, []),
    skills: skillsSchema,
    hydration: settingGroup({ repair: { enum: ["off", "deterministic", "model"], default: "off" } }),
    ledger: settingGroup({
      keep: countSetting(10_000),
      readsWithoutLedger: booleanSetting(false),
      fullSync: { type: "array", items: { enum: risks }, default: ["high", "critical"] },
      keepPayloads: booleanSetting(false),
      anchorEveryMs: countSetting(5_000, 0),
      anchorFile: { type: "string", minLength: 1 },
      anchorUrl: { type: "string", pattern: "^https?://" },
    }),
    limits: settingGroup({
      maxInputLength: countSetting(1_048_576),
      maxInputDepth: countSetting(64),
      maxResultBytes: countSetting(1_048_576),
      maxMediaParts: countSetting(20, 0),
      maxMediaBytes: countSetting(10_485_760, 0),
    }),
  },
} as const;

const validateConfig = compileOnFirstUse(configSchema);

/** Fills in the defaults. Every bad value is named, not only the first. */
export const readConfig = (input: ConfigInput | undefined, from = "config"): Config => {
  if (input === undefined) return defaultConfig();
  const copy = copyJson(input);
  if (!copy.ok) {
    const { pointer, message } = copy.problem;
    const issues = [{ pointer, message: `${pointer} ${message}` }];
    throw new ConfigurationError("invalid_config", `Bad ${from}: ${pointer} ${message}`, { issues });
  }
  refuseApprovals(copy.value, from);
  const result = validateConfig(copy.value);
  if (!result.ok) {
    const problems = result.issues.map((issue) => issue.message);
    throw new ConfigurationError("invalid_config", `Bad ${from}: ${problems.join("; ")}`, {
      issues: result.issues,
    });
  }
  const config = withFallbacks(result.value as Config);
  const reason = skillSettingsProblem(config.skills);
  if (reason !== undefined) throw new ConfigurationError("invalid_config", `Bad ${from}: ${reason}`);
  if (config.execution.defaultTimeoutMs > config.execution.maxTimeoutMs) {
    throw new ConfigurationError(
      "invalid_config",
      `Bad ${from}: /execution/defaultTimeoutMs (${config.execution.defaultTimeoutMs}) is above /execution/maxTimeoutMs (${config.execution.maxTimeoutMs}). Raise maxTimeoutMs, or lower the default.`,
    );
  }
  return freezeJson(config);
};

/** It was a group of these settings before 0.3.0. */
const refuseApprovals = (input: unknown, from: string): void => {
  if (!isObject(input) || input.approvals === undefined) return;
  throw new ConfigurationError(
    "invalid_config",
    `Bad ${from}: /approvals is no longer part of config. Move it next to config: approvals: ${JSON.stringify(input.approvals)}.`,
  );
};

let cachedDefaults: Config | undefined;

/** Most programs set nothing: theirs are the defaults as they stand in the schema, which need not be compiled for it. */
const defaultConfig = (): Config => {
  cachedDefaults ??= freezeJson(withFallbacks(defaultsOfSchema(configSchema) as unknown as Config));
  return cachedDefaults;
};

/**
 * A tool of a server has no more and no less time than any other tool, and files are read in the one folder that is
 * allowed, unless the operator says so.
 */
const withFallbacks = (config: Config): Config => {
  const { execution, mcp, security, skills } = config;
  return {
    ...config,
    mcp: { ...mcp, requestTimeoutMs: mcp.requestTimeoutMs ?? execution.defaultTimeoutMs },
    skills: {
      ...skills,
      files: { ...skills.files, read: skills.files.read ?? [security.allowedFilePathPrefix] },
    },
  };
};

const settingGroupSchemas: Record<string, { readonly properties?: Record<string, JsonSchema> }> =
  configSchema.properties;

/** `HAFT_EXECUTION_DEFAULT_TIMEOUT_MS=5000` and the like; lists are separated by commas, and objects are JSON. */
export const configFromEnvironment = (
  environment: Readonly<Record<string, string | undefined>>,
): ConfigInput => {
  const input: Record<string, Record<string, unknown> | unknown> = {};
  const readVariable = (variable: string, fragment: JsonSchema, store: (value: unknown) => void): void => {
    const text = environment[variable];
    if (text !== undefined && text !== "") store(parseSetting(text, fragment));
  };
  for (const [name, fragment] of Object.entries(settingGroupSchemas)) {
    const prefix = `HAFT_${toSnakeCase(name)}`;
    if (fragment.properties === undefined) {
      readVariable(prefix, fragment as JsonSchema, (value) => {
        input[name] = value;
      });
      continue;
    }
    const values: Record<string, unknown> = {};
    for (const [key, keySchema] of Object.entries(fragment.properties)) {
      readVariable(`${prefix}_${toSnakeCase(key)}`, keySchema, (value) => {
        values[key] = value;
      });
    }
    if (Object.keys(values).length > 0) input[name] = values;
  }
  return input as ConfigInput;
};

const toSnakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();

/** Text that does not read as its type stays text, so that validation names it. */
const parseSetting = (text: string, { type }: JsonSchema): unknown => {
  if (type === "array") return text.split(",").map((word) => word.trim());
  if (type === "boolean") return text === "true" ? true : text === "false" ? false : text;
  if (type === "integer") return /^-?\d+$/.test(text) ? Number(text) : text;
  return type === "object" ? parseJsonOrText(text) : text;
};

const parseJsonOrText = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};
