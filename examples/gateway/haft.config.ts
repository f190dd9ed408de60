// The tools of a small office behind one endpoint: two servers from npm, and one local tool.
import { defineConfig } from "haft";
import { publish } from "./publish.ts";

export default defineConfig({
  tools: [publish],
  mcp: {
    servers: {
      files: {
        command: "node",
        args: ["node_modules/@modelcontextprotocol/server-filesystem/dist/index.js", "notes"],
        exclude: ["read_file"], // deprecated by its author
        terms: {
          "*": { trustAnnotations: true }, // its readOnly and openWorld annotations are trusted
          write_file: { risk: "high" }, // every call needs approval
        },
      },
      memory: {
        command: "node",
        args: ["node_modules/@modelcontextprotocol/server-memory/dist/index.js"],
        env: { MEMORY_FILE_PATH: `${import.meta.dirname}/memory.jsonl` },
        terms: { "*": { trustAnnotations: true } },
      },
    },
  },
  policy: {
    rules: [
      { effect: "allow", tools: ["*"] },
      { id: "notes-stay", effect: "deny", tools: ["files/move_file"] },
    ],
  },
  // The caller when a client starts the gateway over stdio.
  principal: { agent: "editor", user: "ada", allow: ["*"] },
  credentials: { env: { ADA_TOKEN: "ada", GRACE_TOKEN: "grace" } }, // variables and the names of their secrets
  serve: {
    name: "desk",
    instructions: "Notes of the office, a memory, and its notice board.",
    // The office trusts its clients to show approval forms. Without this, `haft approve` answers requests.
    approvals: "client",
    // Callers over HTTP.
    auth: {
      tokens: [
        {
          token: { secret: "ada" },
          principal: { agent: "cursor", user: "ada", session: "desk", allow: ["*"] },
        },
        {
          token: { secret: "grace" },
          principal: {
            agent: "claude",
            user: "grace",
            allow: ["files/read_*", "files/list_*", "read_result"],
          },
        },
      ],
    },
  },
});
