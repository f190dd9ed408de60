import { readConfig } from "../../src/runtime/config.ts";
import { findDeclaration, type Member, membersOf } from "./declarations.ts";
import { type Page, tableCell } from "./page.ts";

interface Group {
  /** The path of the settings in `haft.config.ts`. */
  readonly path: string;
  readonly file: string;
  readonly name: string;
}

/** All interfaces of a configuration, from the outside in. */
const groups: readonly Group[] = [
  { path: "", file: "runtime/haft-options.d.ts", name: "HaftOptions" },
  { path: "principal", file: "types/principal.d.ts", name: "Principal" },
  { path: "policy", file: "policy/options.d.ts", name: "PolicyOptions" },
  { path: "policy.rules[]", file: "policy/rule.d.ts", name: "Rule" },
  { path: "policy.rules[]", file: "policy/conditions.d.ts", name: "RuleConditions" },
  { path: "policy.rights", file: "policy/options.d.ts", name: "Rights" },
  { path: "policy.rights.*[name]", file: "policy/right.d.ts", name: "Right" },
  { path: "approvals.webhook", file: "runtime/approval-webhook.d.ts", name: "WebhookOptions" },
  { path: "credentials", file: "base/credentials/secret-source.d.ts", name: "SecretSourceConfig" },
  { path: "credentials.command", file: "base/credentials/secret-source.d.ts", name: "CommandSource" },
  { path: "credentials", file: "base/credentials/credentials.d.ts", name: "CredentialSourceConfig" },
  {
    path: "credentials.oauth[name]",
    file: "base/credentials/oauth/oauth-credential.d.ts",
    name: "CommonGrantFields",
  },
  {
    path: "credentials.oauth[name]",
    file: "base/credentials/oauth/oauth-credential.d.ts",
    name: "ClientGrant",
  },
  {
    path: "credentials.oauth[name]",
    file: "base/credentials/oauth/oauth-credential.d.ts",
    name: "RefreshGrant",
  },
  {
    path: "credentials.oauth[name]",
    file: "base/credentials/oauth/oauth-credential.d.ts",
    name: "SignInGrant",
  },
  { path: "httpEgress", file: "base/http/open-http-egress.d.ts", name: "HttpEgressOptions" },
  { path: "mcp", file: "runtime/mcp-options.d.ts", name: "McpOptions" },
  { path: "mcp.servers[id]", file: "types/mcp.d.ts", name: "CommonServerOptions" },
  { path: "mcp.servers[id]", file: "types/mcp.d.ts", name: "StdioServer" },
  { path: "mcp.servers[id]", file: "types/mcp.d.ts", name: "RemoteServer" },
  { path: "mcp.servers[id].oauth", file: "types/mcp.d.ts", name: "McpOAuth" },
  { path: "mcp.servers[id].terms[pattern]", file: "types/mcp.d.ts", name: "McpToolOverrides" },
  { path: "config.skills.files", file: "sandbox/skills/skill-settings.d.ts", name: "FileSkillSettings" },
  { path: "config.skills.http", file: "sandbox/skills/skill-settings.d.ts", name: "HttpSkillSettings" },
  { path: "config.skills.search", file: "sandbox/skills/skill-settings.d.ts", name: "SearchSkillSettings" },
  { path: "config.skills.code", file: "sandbox/skills/skill-settings.d.ts", name: "CodeSkillSettings" },
  {
    path: "config.skills.commands[name]",
    file: "sandbox/skills/skill-settings.d.ts",
    name: "AllowedCommand",
  },
  { path: "serve", file: "server/gateway/serve-options.d.ts", name: "ServeOptions" },
  { path: "serve.search", file: "server/gateway/serve-options.d.ts", name: "ServeSearch" },
  { path: "serve.http", file: "server/gateway/serve-options.d.ts", name: "ServeHttp" },
  { path: "serve.auth.tokens[]", file: "server/gateway/serve-options.d.ts", name: "ServeToken" },
  { path: "serve.auth.jwt", file: "server/gateway/serve-options.d.ts", name: "ServeJwt" },
  { path: "serve.auth.jwt.claims", file: "server/gateway/serve-options.d.ts", name: "ServeClaims" },
];

const variables: readonly string[] = [
  "| `HAFT_LEDGER` | On the command line: the ledger, unless `--ledger` is given. |",
  "| `HAFT_LEDGER_KEY` | The key of a durable ledger, 32 bytes in base64; several are separated by commas, newest first. |",
  "| `OPENAI_API_KEY`, `OPENAI_BASE_URL` | Key and address for `openai/…`. |",
  "| `ANTHROPIC_API_KEY`, `ANTHROPIC_BASE_URL` | Key and address for `anthropic/…`. |",
  "| `GEMINI_API_KEY` or `GOOGLE_API_KEY` | Key for `gemini/…`. |",
  "| `OLLAMA_HOST` | Address for `ollama/…`. |",
  "| `TAVILY_API_KEY`, `BRAVE_API_KEY` | Key for `web-search`, if `config.skills.search.credential` is not set. |",
  "| `NO_COLOR`, `FORCE_COLOR` | On the command line: whether colors are used. |",
];

/** All settings of a runtime. Those without a doc comment are added to `undescribed`. */
export const settingsPage = (
  folder: string,
): { readonly page: Page; readonly undescribed: readonly string[] } => {
  const undescribed: string[] = [];
  const describe = (where: string, members: readonly Member[]): void => {
    for (const { name, about } of members) if (about === "") undescribed.push(`${where}.${name}`);
  };
  const sections = groups.map(({ path, file, name }) => {
    const { about, signature } = findDeclaration(folder, file, name);
    const members = membersOf(signature);
    describe(name, members);
    const title = path === "" ? "Options" : `\`${path}\``;
    const kind = groups.filter((other) => other.path === path).length > 1 ? `: ${name}` : "";
    return [
      `## ${title}${kind}`,
      tableCell(about),
      settingsTable(members.map((each) => settingRow(path, each))),
    ].join("\n\n");
  });
  const { signature } = findDeclaration(folder, "runtime/config.d.ts", "Config");
  const defaults = readConfig(undefined) as unknown as Readonly<Record<string, unknown>>;
  const settings = membersOf(signature).flatMap((group) => {
    if (!group.type.startsWith("{")) {
      describe("Config", [group]);
      return [configRow(`config.${group.name}`, group, defaults[group.name])];
    }
    const own = defaults[group.name] as Readonly<Record<string, unknown>>;
    const inner = membersOf(group.type.replace(/^ {2}/gm, ""));
    describe(`Config.${group.name}`, inner);
    return inner.map((each) => configRow(`config.${group.name}.${each.name}`, each, own[each.name]));
  });
  const text = [
    "# Configuration",
    "<!-- Generated from the types in src/ by `npm run reference`. -->",
    "The options of `Haft.open` and of the default export of `haft.config.ts`; `serve` is only for `haft serve`. Pass the export\nto `defineConfig` of `haft` to have the compiler check it. `haft.config.json` has the same fields, as far as JSON can\nrepresent them; its `tools` are files. A misspelled field is refused when the runtime is opened.",
    ...sections,
    "## `config`",
    "Limits and switches of the runtime. Each can also be set by an environment variable: on the command line, where variables\noverride the configuration file, and in a program that passes `config: configFromEnvironment(process.env)`.",
    ["| setting | type | default | variable | meaning |", "|---|---|---|---|---|", ...settings].join("\n"),
    "## Environment variables",
    ["| variable | meaning |", "|---|---|", ...variables].join("\n"),
  ];
  return { page: { file: "configuration.md", text: `${text.join("\n\n")}\n` }, undescribed };
};

const settingsTable = (rows: readonly string[]): string =>
  ["| setting | type | default | meaning |", "|---|---|---|---|", ...rows].join("\n");

/** A default is the last sentence of a doc comment: "Unless set: 3." */
const settingRow = (path: string, { name, type, isOptional, about }: Member): string => {
  const [, meaning = about, unless] = /^(.*?) ?Unless set: (.*)\.$/.exec(about) ?? [];
  const fallback = unless ?? (isOptional ? "" : "*required*");
  const full = path === "" ? name : `${path}.${name}`;
  return `| \`${full}\` | ${typeCell(type)} | ${tableCell(fallback)} | ${tableCell(meaning)} |`;
};

const configRow = (path: string, { type, about }: Member, fallback: unknown): string =>
  `| \`${path}\` | ${typeCell(type)} | ${tableCell(`\`${JSON.stringify(fallback)}\``)} | \`${variableOf(path)}\` | ${tableCell(about)} |`;

const typeCell = (type: string): string => {
  const short = type.replaceAll("readonly ", "").replace(/\s+/g, " ").replace(/; }/g, " }");
  return `\`${short.replaceAll("|", "\\|")}\``;
};

const variableOf = (path: string): string =>
  path
    .replace("config.", "HAFT_")
    .replaceAll(".", "_")
    .replace(/(?<=[a-z])[A-Z]/g, (letter) => `_${letter}`)
    .toUpperCase();
