import type { CommandEntry } from "./command.ts";

/** In the order of the help. The module of a command is imported on demand. */
export const commands: readonly CommandEntry[] = [
  {
    name: "run",
    about: "Run an agent with an input; without an input, chat with it.",
    load: async () => (await import("./commands/run.ts")).run,
  },
  {
    name: "call",
    about: "Call one tool and print its result.",
    load: async () => (await import("./commands/call.ts")).call,
  },
  {
    name: "tools",
    about: "List the tools that the caller may use.",
    load: async () => (await import("./commands/tools.ts")).tools,
  },
  {
    name: "explain",
    about:
      "Show which tool a name resolves to, which tools it shadows, and what policy decides for a caller.",
    load: async () => (await import("./commands/explain.ts")).explain,
  },
  {
    name: "policy check",
    about: "Find rules, toolkits and rights that have no effect, without starting a server.",
    load: async () => (await import("./commands/policy.ts")).policyCheck,
  },
  {
    name: "policy test",
    about: "Evaluate the policy for a table of calls and compare the decisions; no tool is called.",
    load: async () => (await import("./commands/policy.ts")).policyTest,
  },
  {
    name: "serve",
    about: "Serve every tool of the configuration as one MCP server, over standard input and output or HTTP.",
    load: async () => (await import("./commands/serve.ts")).serve,
  },
  {
    name: "studio",
    about: "Open the web page of the runtime and its ledger: calls, approvals, tools, servers.",
    load: async () => (await import("./commands/studio.ts")).studio,
  },
  {
    name: "worker",
    about: "Process runs queued by haft.submit until it is stopped.",
    load: async () => (await import("./commands/worker.ts")).worker,
  },
  {
    name: "fleet",
    about: "Show the workers, the queue, and the runs that are pending approval or failed.",
    load: async () => (await import("./commands/fleet.ts")).fleet,
  },
  {
    name: "fleet wake",
    about: "Queue a failed run again.",
    load: async () => (await import("./commands/fleet.ts")).fleetWake,
  },
  {
    name: "fleet drop",
    about: "Remove a failed run from the dead letters; it stays in the ledger.",
    load: async () => (await import("./commands/fleet.ts")).fleetDrop,
  },
  {
    name: "import openapi",
    about: "Create tools from the operations of an OpenAPI document (file or URL).",
    load: async () => (await import("./commands/import.ts")).importOpenApi,
  },
  {
    name: "mcp discover",
    about: "List the MCP servers that other programs on this machine configure. No server is started.",
    load: async () => (await import("./commands/mcp.ts")).mcpDiscover,
  },
  {
    name: "mcp add",
    about: "Add an MCP server to haft.mcp.json: one that another program configures, a command, or a URL.",
    load: async () => (await import("./commands/mcp-add.ts")).mcpAdd,
  },
  {
    name: "mcp remove",
    about: "Remove an MCP server from haft.mcp.json.",
    load: async () => (await import("./commands/mcp.ts")).mcpRemove,
  },
  {
    name: "mcp list",
    about: "List the MCP servers of this project, connect to each, and show its status.",
    load: async () => {
      const [{ mcpList }, { openServers }] = await Promise.all([
        import("./commands/mcp.ts"),
        import("./mcp/open-servers.ts"),
      ]);
      return mcpList(openServers);
    },
  },
  {
    name: "mcp show",
    about: "Show one MCP server in full: its command or URL, and the secrets that it needs.",
    load: async () => (await import("./commands/mcp.ts")).mcpShow,
  },
  {
    name: "trust list",
    about: "List trusted folders and accepted launch commands.",
    load: async () => (await import("./commands/trust.ts")).trustList,
  },
  {
    name: "trust add",
    about:
      "Trust a folder, or accept a launch command of its configuration. Requires a person at a terminal.",
    load: async () => (await import("./commands/trust.ts")).trustAdd,
  },
  {
    name: "trust remove",
    about: "Stop trusting a folder or a command. Requires a person at a terminal.",
    load: async () => (await import("./commands/trust.ts")).trustRemove,
  },
  {
    name: "trust secret",
    about: "Create the operator secret, which lets a process without a terminal approve calls.",
    load: async () => (await import("./commands/trust.ts")).trustSecret,
  },
  {
    name: "lock",
    about: "Review the tools of all MCP servers and write haft.lock, or show what changed since the review.",
    load: async () => {
      const [{ lock }, { listServerTools: askServers }] = await Promise.all([
        import("./commands/lock.ts"),
        import("./lock/list-server-tools.ts"),
      ]);
      return lock(askServers);
    },
  },
  {
    name: "log",
    about:
      "List recorded calls, or show one with its pipeline stages; verify that the ledger was not changed.",
    load: async () => (await import("./commands/log.ts")).log,
  },
  {
    name: "approvals",
    about: "List pending approval requests, or show one in full.",
    load: async () => (await import("./commands/approvals.ts")).approvals,
  },
  {
    name: "approve",
    about: "Approve pending calls, as requested or with edited arguments.",
    load: async () => (await import("./commands/approve.ts")).approve,
  },
  {
    name: "deny",
    about: "Deny pending calls; the model receives the reason if you give one.",
    load: async () => (await import("./commands/deny.ts")).deny,
  },
  {
    name: "settle",
    about: "Settle a call with an unknown outcome: record whether it took effect.",
    load: async () => (await import("./commands/settle.ts")).settle,
  },
  {
    name: "resume",
    about: "Resume a run after its approvals are answered or its process ended.",
    load: async () => (await import("./commands/resume.ts")).resume,
  },
  {
    name: "runs",
    about: "List runs and their status: running, pending, interrupted, done or failed.",
    load: async () => (await import("./commands/runs.ts")).runs,
  },
  {
    name: "runs give-up",
    about: "Cancel a run. A process that still runs it can write nothing more for it.",
    load: async () => (await import("./commands/runs.ts")).runsGiveUp,
  },
  {
    name: "ledger anchor",
    about: "Anchor the ends of all chains now, and print the hash to store elsewhere.",
    load: async () => (await import("./commands/ledger.ts")).ledgerAnchor,
  },
  {
    name: "ledger anchors",
    about: "List the anchors of a PostgreSQL ledger.",
    load: async () => (await import("./commands/ledger.ts")).ledgerAnchors,
  },
  {
    name: "ledger migrate",
    about: "Create the tables of a ledger, or migrate those of an older version.",
    load: async () => (await import("./commands/ledger.ts")).ledgerMigrate,
  },
  {
    name: "replay",
    about: "Repeat the calls of a recorded run with changed tools, and show which replies would differ.",
    load: async () => (await import("./commands/replay.ts")).replay,
  },
  {
    name: "ab",
    about: "Compare two libraries with the same agent and inputs, and show the differences.",
    load: async () => (await import("./commands/ab.ts")).ab,
  },
  {
    name: "gram check",
    about: "Check gram files: report the position of each error, what was expected, and a fix.",
    load: async () => (await import("./commands/gram.ts")).gramCheck,
  },
  {
    name: "gram format",
    about: "Format gram files; comments are kept.",
    load: async () => (await import("./commands/gram.ts")).gramFormat,
  },
  {
    name: "migrate",
    about: "Change code and configuration that use Haft to the names of a newer version.",
    load: async () => (await import("./commands/migrate.ts")).migrate,
  },
  {
    name: "doctor",
    about: "Check Node, SQLite and every sandbox on this machine, and say what to install for the rest.",
    load: async () => (await import("./commands/doctor.ts")).doctor,
  },
  {
    name: "completion",
    about: "Print a script that completes haft in a shell.",
    load: async () => (await import("./commands/completion.ts")).completion(() => commands),
  },
];
