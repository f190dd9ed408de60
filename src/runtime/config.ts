import { copyJson } from "../json/copy-json.ts";
import { freezeJson } from "../json/freeze-json.ts";
import { compileOnFirstUse } from "../schema/compile-schema.ts";
import { refuseSettings } from "../skills/check-settings.ts";
import { type SkillName, skillNames } from "../skills/skill-names.ts";
import type {
  CodeSettings,
  CommandGrant,
  FileSettings,
  HttpSettings,
  SearchSettings,
} from "../skills/skill-settings.ts";
import { ConfigurationError } from "../words/errors.ts";
import type { RepairMode } from "../words/hydration.ts";
import type { JsonSchema } from "../words/json.ts";
import { type Risk, risks } from "../words/spec.ts";
import { count, defaultsIn, flag, group, list, words } from "./setting-forms.ts";
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
  /** The built-in tools that commands of the command line have. A program names its own in `skills`. */
  readonly builtinTools: readonly SkillName[];
  readonly skills: {
    /** Where the built-in file tools may work. */
    readonly files: FileSettings;
    /** What `http-get` and `http-request` may reach. */
    readonly http: HttpSettings;
    /** Who `web-search` asks. */
    readonly search: SearchSettings;
    /** What runs the programs of `code-execute`. */
    readonly code: CodeSettings;
    /** What `shell` may start, by name: `{ git: { args: ["--oneline"] } }`. */
    readonly commands: Readonly<Record<string, CommandGrant>>;
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
  readonly approvals: {
    /** How long a question to a person stays open. */
    readonly expireAfterMs: number;
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

const schema = {
  type: "object",
  additionalProperties: false,
  properties: {
    execution: group({
      defaultTimeoutMs: count(30_000),
      maxTimeoutMs: count(300_000),
      sandboxEnabled: flag(true),
    }),
    mcp: group({
      connectionTimeoutMs: count(10_000),
      requestTimeoutMs: { type: "integer", minimum: 1 },
      maxRetries: count(3, 0),
    }),
    registry: group({ maxTools: count(1000), allowDuplicateNames: flag(false) }),
    security: group({
      requireAuthorizationForAll: flag(true),
      blockHighRiskWithoutApproval: flag(true),
      allowedFilePathPrefix: { type: "string", minLength: 1, default: "." },
      blockedCommands: words(["rm -rf /", "sudo", ":(){:|:&};:"]),
    }),
    builtinTools: list(skillNames, ["web-search", "file-read", "file-write", "http-get", "code-execute"]),
    skills: skillsSchema,
    hydration: group({ repair: { enum: ["off", "deterministic", "model"], default: "off" } }),
    ledger: group({
      keep: count(10_000),
      readsWithoutLedger: flag(false),
      fullSync: { type: "array", items: { enum: risks }, default: ["high", "critical"] },
      keepPayloads: flag(false),
      anchorEveryMs: count(5_000, 0),
      anchorFile: { type: "string", minLength: 1 },
      anchorUrl: { type: "string", pattern: "^https?://" },
    }),
    approvals: group({ expireAfterMs: count(86_400_000) }),
    limits: group({
      maxInputLength: count(1_048_576),
      maxInputDepth: count(64),
      maxResultBytes: count(1_048_576),
      maxMediaParts: count(20, 0),
      maxMediaBytes: count(10_485_760, 0),
    }),
  },
} as const;

const validate = compileOnFirstUse(schema);

/** Fills in the defaults. Every bad value is named, not only the first. */
export const readConfig = (input: ConfigInput | undefined, from = "config"): Config => {
  if (input === undefined) return defaults();
  const copy = copyJson(input);
  if (!copy.ok) {
    const { pointer, message } = copy.problem;
    const issues = [{ pointer, message: `${pointer} ${message}` }];
    throw new ConfigurationError("invalid_config", `Bad ${from}: ${pointer} ${message}`, { issues });
  }
  const result = validate(copy.value);
  if (!result.ok) {
    const problems = result.issues.map((issue) => issue.message);
    throw new ConfigurationError("invalid_config", `Bad ${from}: ${problems.join("; ")}`, {
      issues: result.issues,
    });
  }
  const config = withFallbacks(result.value as Config);
  const reason = refuseSettings(config.skills);
  if (reason !== undefined) throw new ConfigurationError("invalid_config", `Bad ${from}: ${reason}`);
  if (config.execution.defaultTimeoutMs > config.execution.maxTimeoutMs) {
    throw new ConfigurationError(
      "invalid_config",
      `Bad ${from}: /execution/defaultTimeoutMs (${config.execution.defaultTimeoutMs}) is above /execution/maxTimeoutMs (${config.execution.maxTimeoutMs}).`,
    );
  }
  return freezeJson(config);
};

let known: Config | undefined;

/** Most programs set nothing: theirs are the defaults as they stand in the schema, which need not be compiled for it. */
const defaults = (): Config => {
  known ??= freezeJson(withFallbacks(defaultsIn(schema) as unknown as Config));
  return known;
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

const groups: Record<string, { readonly properties?: Record<string, JsonSchema> }> = schema.properties;

/** `HAFT_EXECUTION_DEFAULT_TIMEOUT_MS=5000` and the like; lists are separated by commas, and objects are JSON. */
export const configFromEnvironment = (
  environment: Readonly<Record<string, string | undefined>>,
): ConfigInput => {
  const input: Record<string, Record<string, unknown> | unknown> = {};
  const put = (variable: string, fragment: JsonSchema, store: (value: unknown) => void): void => {
    const text = environment[variable];
    if (text !== undefined && text !== "") store(fromText(text, fragment));
  };
  for (const [name, fragment] of Object.entries(groups)) {
    const prefix = `HAFT_${snake(name)}`;
    if (fragment.properties === undefined) {
      put(prefix, fragment as JsonSchema, (value) => {
        input[name] = value;
      });
      continue;
    }
    const values: Record<string, unknown> = {};
    for (const [key, of] of Object.entries(fragment.properties)) {
      put(`${prefix}_${snake(key)}`, of, (value) => {
        values[key] = value;
      });
    }
    if (Object.keys(values).length > 0) input[name] = values;
  }
  return input as ConfigInput;
};

const snake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();

/** Text that does not read as its type stays text, so that validation names it. */
const fromText = (text: string, { type }: JsonSchema): unknown => {
  if (type === "array") return text.split(",").map((word) => word.trim());
  if (type === "boolean") return text === "true" ? true : text === "false" ? false : text;
  if (type === "integer") return /^-?\d+$/.test(text) ? Number(text) : text;
  return type === "object" ? fromJson(text) : text;
};

const fromJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};
