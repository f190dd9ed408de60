/** A server of the npm registry, and what it needs to start and list its tools without an account. */
export interface SoakServer {
  readonly name: string;
  readonly version: string;
  /** `{home}` is a temporary folder. */
  readonly args?: readonly string[];
  /** Dummy keys. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Pinned versions, so that runs are comparable. */
export const soakServers: readonly SoakServer[] = [
  { name: "@modelcontextprotocol/server-everything", version: "2026.8.31", args: ["stdio"] },
  { name: "@modelcontextprotocol/server-filesystem", version: "2026.8.31", args: ["{home}"] },
  { name: "@modelcontextprotocol/server-memory", version: "2026.8.31" },
  { name: "@modelcontextprotocol/server-sequential-thinking", version: "2026.8.31" },
  {
    name: "@modelcontextprotocol/server-github",
    version: "2025.4.8",
    env: { GITHUB_PERSONAL_ACCESS_TOKEN: "dummy" },
  },
  {
    name: "@modelcontextprotocol/server-gitlab",
    version: "2025.4.25",
    env: { GITLAB_PERSONAL_ACCESS_TOKEN: "dummy" },
  },
  {
    name: "@modelcontextprotocol/server-google-maps",
    version: "0.6.2",
    env: { GOOGLE_MAPS_API_KEY: "dummy" },
  },
  {
    name: "@modelcontextprotocol/server-postgres",
    version: "0.6.2",
    args: ["postgresql://127.0.0.1:1/dummy"],
  },
  {
    name: "@modelcontextprotocol/server-slack",
    version: "2025.4.25",
    env: { SLACK_BOT_TOKEN: "xoxb-dummy", SLACK_TEAM_ID: "T0" },
  },
  { name: "@modelcontextprotocol/server-puppeteer", version: "2025.5.12" },
  { name: "@modelcontextprotocol/server-brave-search", version: "0.6.2", env: { BRAVE_API_KEY: "dummy" } },
  { name: "@modelcontextprotocol/server-everart", version: "0.6.2", env: { EVERART_API_KEY: "dummy" } },
  {
    name: "@modelcontextprotocol/server-aws-kb-retrieval",
    version: "0.6.2",
    env: { AWS_ACCESS_KEY_ID: "dummy", AWS_SECRET_ACCESS_KEY: "dummy", AWS_REGION: "eu-west-1" },
  },
  { name: "@modelcontextprotocol/server-map", version: "2.0.3", args: ["--stdio"] },
  { name: "@modelcontextprotocol/server-budget-allocator", version: "2.0.3", args: ["--stdio"] },
  { name: "@modelcontextprotocol/server-threejs", version: "2.0.3", args: ["--stdio"] },
  { name: "@modelcontextprotocol/server-cohort-heatmap", version: "2.0.3", args: ["--stdio"] },
  { name: "@modelcontextprotocol/server-pdf", version: "2.0.4", args: ["--stdio"] },
  { name: "@modelcontextprotocol/server-basic-vanillajs", version: "2.0.3", args: ["--stdio"] },
  { name: "@modelcontextprotocol/server-system-monitor", version: "2.0.3", args: ["--stdio"] },
  { name: "@modelcontextprotocol/server-wiki-explorer", version: "2.0.3", args: ["--stdio"] },
  { name: "@modelcontextprotocol/server-shadertoy", version: "2.0.3", args: ["--stdio"] },
  { name: "@playwright/mcp", version: "0.0.83", args: ["--headless", "--isolated"] },
  { name: "chrome-devtools-mcp", version: "1.11.0", args: ["--headless", "--isolated"] },
  { name: "@upstash/context7-mcp", version: "4.1.1" },
  { name: "tavily-mcp", version: "0.2.22", env: { TAVILY_API_KEY: "dummy" } },
  { name: "@notionhq/notion-mcp-server", version: "2.5.2", env: { NOTION_TOKEN: "ntn_dummy" } },
  { name: "figma-developer-mcp", version: "0.13.2", args: ["--stdio", "--figma-api-key=dummy"] },
  { name: "exa-mcp-server", version: "3.4.1", env: { EXA_API_KEY: "dummy" } },
  { name: "firecrawl-mcp", version: "3.26.0", env: { FIRECRAWL_API_KEY: "fc-dummy" } },
  { name: "airtable-mcp-server", version: "1.14.0", env: { AIRTABLE_API_KEY: "pat.dummy" } },
  {
    name: "@brave/brave-search-mcp-server",
    version: "2.1.4",
    env: { BRAVE_API_KEY: "dummy", BRAVE_MCP_TRANSPORT: "stdio" },
  },
  {
    name: "@browserbasehq/mcp-server-browserbase",
    version: "2.4.3",
    env: { BROWSERBASE_API_KEY: "dummy", BROWSERBASE_PROJECT_ID: "dummy", GEMINI_API_KEY: "dummy" },
  },
  { name: "@executeautomation/playwright-mcp-server", version: "1.0.12" },
  { name: "mcp-server-kubernetes", version: "4.1.7" },
  { name: "@netlify/mcp", version: "1.15.1" },
  { name: "nx-mcp", version: "0.25.0", args: ["{home}"] },
  {
    name: "@twilio-alpha/mcp",
    version: "0.7.0",
    args: ["AC00000000000000000000000000000000/SK00000000000000000000000000000000:dummy"],
  },
  {
    name: "@cloudflare/mcp-server-cloudflare",
    version: "0.2.0",
    args: ["run", "00000000000000000000000000000000"],
    env: { CLOUDFLARE_API_TOKEN: "dummy" },
  },
  { name: "@sentry/mcp-server", version: "0.39.0", args: ["--access-token=dummy"] },
  { name: "@hubspot/mcp-server", version: "0.4.0", env: { PRIVATE_APP_ACCESS_TOKEN: "dummy" } },
  {
    name: "@elastic/mcp-server-elasticsearch",
    version: "0.3.1",
    env: { ES_URL: "http://127.0.0.1:1", ES_API_KEY: "dummy" },
  },
  {
    name: "@mapbox/mcp-server",
    version: "0.14.0",
    env: { MAPBOX_ACCESS_TOKEN: "pk.eyJ1IjoiZHVtbXkifQ.dummy" },
  },
  { name: "@circleci/mcp-server-circleci", version: "0.20.0", env: { CIRCLECI_TOKEN: "dummy" } },
  { name: "@antv/mcp-server-chart", version: "0.9.10" },
  { name: "@eslint/mcp", version: "0.3.13" },
  { name: "mongodb-mcp-server", version: "3.0.4", env: { MDB_MCP_TELEMETRY: "disabled" } },
  {
    name: "@line/line-bot-mcp-server",
    version: "0.5.0",
    env: { CHANNEL_ACCESS_TOKEN: "dummy", DESTINATION_USER_ID: "dummy" },
  },
  { name: "@shopify/dev-mcp", version: "1.16.0" },
  { name: "@perplexity-ai/mcp-server", version: "1.2.1", env: { PERPLEXITY_API_KEY: "dummy" } },
  { name: "@pinecone-database/mcp", version: "0.3.0", env: { PINECONE_API_KEY: "dummy" } },
  { name: "@magicuidesign/mcp", version: "2.0.0" },
  { name: "mcp-obsidian", version: "1.0.0", args: ["{home}"] },
  { name: "mcp-fetch-server", version: "1.1.2" },
  { name: "@kazuph/mcp-fetch", version: "1.6.3" },
  { name: "@cyanheads/git-mcp-server", version: "2.15.3" },
  { name: "@microsoft/clarity-mcp-server", version: "2.0.1", args: ["--clarity_api_token=dummy"] },
  {
    name: "@translated/lara-mcp",
    version: "1.0.6",
    env: { LARA_ACCESS_KEY_ID: "dummy", LARA_ACCESS_KEY_SECRET: "dummy" },
  },
  { name: "mcp-mermaid", version: "0.4.1" },
  { name: "mcp-server-code-runner", version: "0.1.8" },
];
