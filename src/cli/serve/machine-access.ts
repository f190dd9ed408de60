import { readConfig } from "../../runtime/config.ts";
import { readConfigFile } from "../../runtime/configuration.ts";
import type { HaftConfig } from "../../server/gateway/define-config.ts";
import type { LoadedDocument } from "../openapi/with-documents.ts";

/** Settings that decide what tools reach on this machine, and where results and secrets go, as text by name. */
export type MachineAccess = Readonly<Record<string, string>>;

/** OpenAPI documents count with their texts, which name the servers that secrets go to. */
export const readMachineAccess = (
  { skills, ledger, approvals, httpEgress, mcp, credentials, config }: HaftConfig,
  documents: readonly LoadedDocument[],
): MachineAccess => {
  const settings = typeof config === "string" ? readConfigFile(config) : readConfig(config);
  const access: Readonly<Record<string, unknown>> = {
    skills,
    "config.builtinTools": settings.builtinTools,
    "config.skills": settings.skills,
    "config.security": settings.security,
    "config.ledger": settings.ledger,
    ledger: typeof ledger === "string" ? ledger : undefined,
    "approvals.webhook": approvals?.webhook,
    httpEgress,
    "mcp.truncateToFile": mcp?.truncateToFile,
    // Without a lock, or with another one, unreviewed tools would reach clients.
    "mcp.lock": mcp?.lock,
    openapi: documents,
    // Another file, command or token address would send a secret elsewhere.
    credentials,
  };
  return Object.fromEntries(
    Object.entries(access).map(([name, value]) => [name, JSON.stringify(value) ?? ""]),
  );
};

/** The names of settings that differ. */
export const changedAccess = (before: MachineAccess, after: MachineAccess): readonly string[] =>
  Object.keys(after).filter((name) => after[name] !== before[name]);
