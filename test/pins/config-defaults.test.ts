import { expect, it } from "vitest";
import { readConfig } from "../../src/runtime/config.ts";

it("the default settings are these", () => {
  expect(readConfig(undefined)).toEqual({
    execution: { defaultTimeoutMs: 30_000, maxTimeoutMs: 300_000, sandboxEnabled: true },
    hydration: { repair: "off" },
    mcp: { connectionTimeoutMs: 10_000, requestTimeoutMs: 30_000, maxRetries: 3 },
    registry: { maxTools: 1_000, allowDuplicateNames: false },
    security: {
      requireAuthorizationForAll: true,
      blockHighRiskWithoutApproval: true,
      allowedFilePathPrefix: ".",
      blockedCommands: ["rm -rf /", "sudo", ":(){:|:&};:"],
    },
    builtinTools: [],
    skills: {
      files: { read: ["."], write: [], maxBytes: 262_144, hidden: false },
      http: {
        hosts: [],
        methods: ["GET", "HEAD"],
        headers: ["accept", "accept-language", "content-type"],
        maxBytes: 524_288,
        timeoutMs: 20_000,
      },
      search: { provider: "tavily", maxResults: 10 },
      code: { engines: ["quickjs"], limits: {} },
      commands: {},
    },
    ledger: {
      keep: 10_000,
      readsWithoutLedger: false,
      fullSync: ["high", "critical"],
      keepPayloads: false,
      anchorEveryMs: 5_000,
    },
    limits: {
      maxInputLength: 1_048_576,
      maxInputDepth: 64,
      maxResultBytes: 1_048_576,
      maxMediaParts: 20,
      maxMediaBytes: 10_485_760,
    },
  });
});
