// Everything the assistants of a small office reach, behind one endpoint: two servers from npm, and a tool of its own.
import { defineConfig } from "haft";
import { publish } from "./publish.ts";

export default defineConfig({
  tools: [publish],
  mcp: {
    servers: {
      files: {
        command: "node",
        args: ["node_modules/@modelcontextprotocol/server-filesystem/dist/index.js", "notes"],
        exclude: ["read_file"], // deprecated, says its author
        terms: {
          "*": { trustAnnotations: true }, // believed when it says of a tool that it only reads, or stays inside
          write_file: { risk: "high" }, // a person agrees to every call
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
  // Who calls where a client starts the gateway itself, over standard input and output.
  principal: { agent: "editor", user: "ada", allow: ["*"] },
  credentials: { env: { ADA_TOKEN: "ada", GRACE_TOKEN: "grace" } }, // variables, and the secrets that are in them
  serve: {
    name: "desk",
    instructions: "Notes of the office, a memory, and its notice board.",
    // The office trusts its clients to show approval forms to people. Without this, people answer with `haft approve`.
    approvals: "client",
    // Who calls over HTTP.
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
