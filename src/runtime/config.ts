import { copyJson } from "../base/json/copy-json.ts";
import { freezeJson, isObject } from "../base/json/json-value.ts";
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
import { type Risk, risks } from "../types/tool.ts";
import {
  booleanSetting,
  choiceListSetting,
  countSetting,
  defaultsOfSchema,
  settingGroup,
  stringListSetting,
} from "./setting-schemas.ts";
import { skillsSchema } from "./skills-schema.ts";

/** All settings of a runtime. */
export interface Config {
  readonly execution: {
    /** Time limit of a tool without `timeoutMs`, in milliseconds. */
    readonly defaultTimeoutMs: number;
    /** Upper bound of any tool's `timeoutMs`. */
    readonly maxTimeoutMs: number;
    /**
     * If false, trusted `worker` tools run in the main thread, where blocking code stops everything. Programs
     * always run in a sandbox.
     */
    readonly sandboxEnabled: boolean;
  };
  readonly mcp: {
    /** Time limit for connecting to a server without `connectTimeoutMs`. */
    readonly connectionTimeoutMs: number;
    /** Protocol version that the legacy handshake offers first. Unless set: the newest. */
    readonly protocolVersion?: string;
    /**
     * Time limit of a request to a server without `callTimeoutMs`. Unless set: `execution.defaultTimeoutMs`.
     */
    readonly requestTimeoutMs: number;
    /** Failed attempts after which a server's status is `error`. Reconnects continue. */
    readonly maxRetries: number;
  };
  readonly registry: {
    /** Maximum number of tools. */
    readonly maxTools: number;
    /** Whether a registration may replace a tool of the same name. */
    readonly allowDuplicateNames: boolean;
  };
  readonly security: {
    /** If false, every caller may use read-only, low-risk tools that no rule denies. */
    readonly requireAuthorizationForAll: boolean;
    /** Whether high and critical risk requires approval unless a rule waives it. */
    readonly blockHighRiskWithoutApproval: boolean;
    /** Folder that built-in tools may read, unless `skills.files.read` is set. */
    readonly allowedFilePathPrefix: string;
    /** Commands that `shell` never starts, even if allowed; each one word or several. */
    readonly blockedCommands: readonly string[];
  };
  /** Names of built-in tools, unless the option `skills` is set. */
  readonly builtinTools: readonly SkillName[];
  readonly skills: {
    /** Folders of the built-in file tools. */
    readonly files: FileSkillSettings;
    /** Hosts and methods of `http-get` and `http-request`. */
    readonly http: HttpSkillSettings;
    /** Provider of `web-search`. */
    readonly search: SearchSkillSettings;
    /** Sandbox engines of `code-execute`. */
    readonly code: CodeSkillSettings;
    /** Commands that `shell` may start, by name: `{ git: { args: ["--oneline"] } }`. */
    readonly commands: Readonly<Record<string, AllowedCommand>>;
  };
  readonly ledger: {
    /** Number of closed entries that a memory ledger keeps. */
    readonly keep: number;
    /** Whether read-only tools may run while the ledger is unavailable. */
    readonly readsWithoutLedger: boolean;
    /** Calls with these risks are written to disk before they start. */
    readonly fullSync: readonly Risk[];
    /** Whether exact texts are kept after their run has ended, for replay. */
    readonly keepPayloads: boolean;
    /** PostgreSQL: interval of anchors in milliseconds; 0 leaves anchoring to other processes. */
    readonly anchorEveryMs: number;
    /** File to which each anchor is appended as a JSON line. */
    readonly anchorFile?: string;
    /** URL to which each anchor is posted as JSON. */
    readonly anchorUrl?: string;
  };
  readonly hydration: {
    /** Repair of unusable arguments: `off`, `deterministic` or `model`. */
    readonly repair: RepairMode;
  };
  readonly limits: {
    /** Maximum length of arguments in characters. */
    readonly maxInputLength: number;
    /** Maximum nesting depth of arguments. */
    readonly maxInputDepth: number;
    /** Maximum size of a tool's result as JSON. */
    readonly maxResultBytes: number;
    /** Maximum number of media parts of a result; others are replaced by text. */
    readonly maxMediaParts: number;
    /** Maximum total size of these parts; others are replaced by text. */
    readonly maxMediaBytes: number;
  };
}

/** Partial settings. */
export type ConfigInput = {
  readonly [Group in keyof Config]?: Group extends "skills" ? SkillsInput : Partial<Config[Group]>;
};

type SkillsInput = { readonly [Part in keyof Config["skills"]]?: Partial<Config["skills"][Part]> };

/** MCP versions with an `initialize` handshake. A server may answer with another version. */
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

const refuseApprovals = (input: unknown, from: string): void => {
  if (!isObject(input) || input.approvals === undefined) return;
  throw new ConfigurationError(
    "invalid_config",
    `Bad ${from}: /approvals is no longer part of config. Move it next to config: approvals: ${JSON.stringify(input.approvals)}.`,
  );
};

let cachedDefaults: Config | undefined;

/** Avoids compiling the schema for programs without settings. */
const defaultConfig = (): Config => {
  cachedDefaults ??= freezeJson(withFallbacks(defaultsOfSchema(configSchema) as unknown as Config));
  return cachedDefaults;
};

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

/**
 * Reads settings from variables such as `HAFT_EXECUTION_DEFAULT_TIMEOUT_MS=5000`. Lists are comma-separated,
 * objects are JSON.
 */
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

/** Keeps text that does not match its type, so that validation reports it. */
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
