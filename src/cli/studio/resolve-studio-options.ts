import type { Haft } from "../../runtime/haft.ts";
import { sharedRuntimes } from "../../runtime/shared-runtime.ts";
import type { StudioAgent, StudioOptions } from "../../server/studio-api/studio-options.ts";
import type { Principal } from "../../types/principal.ts";
import type { Terminal } from "../command.ts";
import { needsLedgerKey } from "../ledger/known-ledgers.ts";
import { loadAgent } from "../load-agent.ts";
import { readConfiguration } from "../read-configuration.ts";
import { plainText } from "../screen.ts";
import { createTrust, type TrustFlags } from "../trust/trust.ts";

export interface StudioFlags extends TrustFlags {
  readonly config?: string;
  readonly experiments?: readonly string[];
}

export const resolveStudioOptions = async (
  files: readonly string[],
  flags: StudioFlags,
  terminal: Terminal,
): Promise<Pick<StudioOptions, "agents" | "principals" | "experiments" | "onError">> => ({
  agents: await Promise.all(files.map((file) => loadStudioAgent(file, flags, terminal))),
  principals: await tokenPrincipals(flags, terminal),
  experiments: flags.experiments ?? [],
  onError: (error, reference) => terminal.error(`haft: ${plainText(String(error))} (${reference})\n`),
});

const loadStudioAgent = async (file: string, flags: TrustFlags, terminal: Terminal): Promise<StudioAgent> => {
  const overrides: TrustFlags = flags.trust === true ? { trust: true } : {};
  const { agent, library, model } = await loadAgent(file, overrides, terminal);
  return { agent, run: { model, ...(library === undefined ? {} : { library }) } };
};

const tokenPrincipals = async (flags: StudioFlags, terminal: Terminal): Promise<readonly Principal[]> => {
  const { serve } = await readConfiguration(flags.config, createTrust(flags, terminal));
  const auth = serve?.auth;
  return auth !== undefined && "tokens" in auth ? auth.tokens.map(({ principal }) => principal) : [];
};

export const fleetOverviewOption = (haft: Haft, terminal: Terminal): Pick<StudioOptions, "fleet"> => {
  const url = sharedRuntimes.get(haft)?.ledgerUrl;
  if (url === undefined || !needsLedgerKey(url)) return {};
  return {
    fleet: async () => {
      const [{ withQueue }, { readFleetOverview }] = await Promise.all([
        import("../fleet/with-queue.ts"),
        import("../../fleet/read-fleet-overview.ts"),
      ]);
      return await withQueue({ ledger: url }, terminal, readFleetOverview);
    },
  };
};
