import type { CommandEntry } from "./command.ts";

/** In the order of the help. The module of a command is imported on demand. */
export const commands: readonly CommandEntry[] = [
  {
    name: "run",
    about: "Let an agent answer; without an input, talk with it.",
    load: async () => (await import("./commands/run.ts")).run,
  },
  {
    name: "call",
    about: "Call one tool and print what it answers.",
    load: async () => (await import("./commands/call.ts")).call,
  },
  {
    name: "tools",
    about: "List the tools that may be used.",
    load: async () => (await import("./commands/tools.ts")).tools,
  },
  {
    name: "explain",
    about: "Say which tool answers to a name, what it shadows, and what policy says of a caller.",
    load: async () => (await import("./commands/explain.ts")).explain,
  },
  {
    name: "policy check",
    about: "Find rules, toolkits and rights that cannot do what they say, without starting a server.",
    load: async () => (await import("./commands/policy.ts")).policyCheck,
  },
  {
    name: "policy test",
    about: "Run a table of calls against the policy and compare the decisions; nothing is called.",
    load: async () => (await import("./commands/policy.ts")).policyTest,
  },
  {
    name: "serve",
    about: "Serve every tool of the configuration as one MCP server, over standard input and output or HTTP.",
    load: async () => (await import("./commands/serve.ts")).serve,
  },
  {
    name: "studio",
    about: "Open a page over the runtime and its ledger: calls, questions, tools, servers.",
    load: async () => (await import("./commands/studio.ts")).studio,
  },
  {
    name: "worker",
    about: "Go on with runs that haft.submit left, until somebody stops it.",
    load: async () => (await import("./commands/worker.ts")).worker,
  },
  {
    name: "fleet",
    about: "Say which workers there are, what waits for them, and which runs wait for a person or failed.",
    load: async () => (await import("./commands/fleet.ts")).fleet,
  },
  {
    name: "fleet wake",
    about: "Give a run that failed to the workers once more.",
    load: async () => (await import("./commands/fleet.ts")).fleetWake,
  },
  {
    name: "fleet drop",
    about: "Forget a run that failed; the ledger keeps it.",
    load: async () => (await import("./commands/fleet.ts")).fleetDrop,
  },
  {
    name: "import openapi",
    about: "Make tools of the operations of an OpenAPI document, a file or an address.",
    load: async () => (await import("./commands/import.ts")).importOpenApi,
  },
  {
    name: "mcp discover",
    about: "List the MCP servers that other programs of this machine are set up with. Nothing is started.",
    load: async () => (await import("./commands/mcp.ts")).mcpDiscover,
  },
  {
    name: "mcp add",
    about: "Add an MCP server to haft.mcp.json: one that another program has, a command, or an address.",
    load: async () => (await import("./commands/mcp-add.ts")).mcpAdd,
  },
  {
    name: "mcp remove",
    about: "Take an MCP server out of haft.mcp.json.",
    load: async () => (await import("./commands/mcp.ts")).mcpRemove,
  },
  {
    name: "mcp list",
    about: "List the MCP servers of this project, connect to each, and say how it is.",
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
    about: "Show one MCP server whole: what would be started or called, and which secrets it wants.",
    load: async () => (await import("./commands/mcp.ts")).mcpShow,
  },
  {
    name: "trust list",
    about: "List the folders whose code may run, and the commands that configuration may start.",
    load: async () => (await import("./commands/trust.ts")).trustList,
  },
  {
    name: "trust add",
    about: "Trust a folder, or accept a command that its configuration starts. For people only.",
    load: async () => (await import("./commands/trust.ts")).trustAdd,
  },
  {
    name: "trust remove",
    about: "Stop trusting a folder or a command. For people only.",
    load: async () => (await import("./commands/trust.ts")).trustRemove,
  },
  {
    name: "trust secret",
    about: "Make the secret with which a process without a terminal may approve calls.",
    load: async () => (await import("./commands/trust.ts")).trustSecret,
  },
  {
    name: "lock",
    about: "Review the tools of all MCP servers and write haft.lock, or find out what has changed since.",
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
    about: "Show which calls were made, or the whole way of one; prove that nothing was changed.",
    load: async () => (await import("./commands/log.ts")).log,
  },
  {
    name: "approvals",
    about: "List the calls that wait for a person's answer, or show one whole.",
    load: async () => (await import("./commands/approvals.ts")).approvals,
  },
  {
    name: "approve",
    about: "Say yes to calls that wait, as they are or with other arguments.",
    load: async () => (await import("./commands/approve.ts")).approve,
  },
  {
    name: "deny",
    about: "Say no to calls that wait; the model is told why, if you say so.",
    load: async () => (await import("./commands/deny.ts")).deny,
  },
  {
    name: "settle",
    about: "Record whether a call whose effect is unknown took effect.",
    load: async () => (await import("./commands/settle.ts")).settle,
  },
  {
    name: "resume",
    about: "Go on with a run that waited for a person, or whose process ended.",
    load: async () => (await import("./commands/resume.ts")).resume,
  },
  {
    name: "runs",
    about: "List runs, and which of them wait or were left by their process.",
    load: async () => (await import("./commands/runs.ts")).runs,
  },
  {
    name: "runs give-up",
    about: "End a run that nobody will go on with. Whoever still has it may write nothing more for it.",
    load: async () => (await import("./commands/runs.ts")).runsCancel,
  },
  {
    name: "ledger anchor",
    about: "Anchor the ends of all chains now, and print the hash to note elsewhere.",
    load: async () => (await import("./commands/ledger.ts")).ledgerAnchor,
  },
  {
    name: "ledger anchors",
    about: "List the anchors of a PostgreSQL ledger.",
    load: async () => (await import("./commands/ledger.ts")).ledgerAnchors,
  },
  {
    name: "ledger migrate",
    about: "Make the tables of a ledger, or bring those of an older version up to date.",
    load: async () => (await import("./commands/ledger.ts")).ledgerMigrate,
  },
  {
    name: "replay",
    about: "Make the calls of a recorded run again with changed tools, and say what its model would be told.",
    load: async () => (await import("./commands/replay.ts")).replay,
  },
  {
    name: "ab",
    about: "Compare two libraries: the same agent, the same inputs, and where they differ.",
    load: async () => (await import("./commands/ab.ts")).ab,
  },
  {
    name: "gram check",
    about: "Say what is wrong in gram files: where, what was expected, and how to repair it.",
    load: async () => (await import("./commands/gram.ts")).gramCheck,
  },
  {
    name: "gram format",
    about: "Write gram files in one form; comments stay where they are.",
    load: async () => (await import("./commands/gram.ts")).gramFormat,
  },
  {
    name: "migrate",
    about: "Change code and configuration that use Haft to the names of a newer version.",
    load: async () => (await import("./commands/migrate.ts")).migrate,
  },
  {
    name: "doctor",
    about: "Try what this machine has: Node, SQLite and every sandbox; and say what to install for the rest.",
    load: async () => (await import("./commands/doctor.ts")).doctor,
  },
  {
    name: "completion",
    about: "Print a script that completes haft in a shell.",
    load: async () => (await import("./commands/completion.ts")).completion(() => commands),
  },
];
