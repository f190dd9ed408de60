import type { ApiContext } from "./api-context.ts";
import { packageVersion } from "./page/package-root.ts";
import { toCaller } from "./person.ts";
import type { LedgerLocation, Me } from "./schemas/shared.ts";
import type { StudioServices } from "./studio-services.ts";

export const showMe = async ({ studio, person }: ApiContext): Promise<Me> => {
  const { options, shared, durable } = studio;
  const principal = person.principal ?? studio.haft.principal;
  const { agents } = options;
  const hasScope = person.scopes.length > 0;
  return {
    name: person.name,
    ...(principal === undefined ? {} : { principal: toCaller(principal) }),
    scopes: person.scopes,
    ...(person.expiresAt === undefined ? {} : { expiresAt: person.expiresAt }),
    version: packageVersion(),
    ledger: hasScope ? toLedgerLocation(studio) : { kind: toLedgerLocation(studio).kind },
    agents: hasScope ? agents.map(({ name }) => name) : [],
    features: {
      fleet: options.fleet !== undefined,
      experiments: options.experiments.length > 0,
      servers: shared.mcp.list().length > 0,
      agents: agents.length > 0,
      approvals: true,
      runs: true,
      chain: durable !== undefined,
    },
    ...(options.appOrigin === undefined ? {} : { appOrigin: options.appOrigin }),
  };
};

const toLedgerLocation = ({ durable, shared }: StudioServices): LedgerLocation => {
  if (durable === undefined) return { kind: shared.ledgerUrl === undefined ? "memory" : "other" };
  const { place } = durable;
  return { kind: place.startsWith("sqlite:") ? "sqlite" : "postgres", location: place };
};
