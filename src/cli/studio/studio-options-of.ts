import type { Haft } from "../../runtime/haft.ts";
import { sharedBy } from "../../runtime/shared.ts";
import type { StudioAgent, StudioOptions } from "../../studio/studio-options.ts";
import type { Principal } from "../../words/principal.ts";
import type { Terminal } from "../command.ts";
import { needsKey } from "../ledger/place.ts";
import { loadAgent } from "../load-agent.ts";
import { readConfiguration } from "../read-configuration.ts";
import { plain } from "../screen.ts";

export interface GivenStudio {
  readonly config?: string;
  readonly experiments?: readonly string[];
}

/** What of the command line and the configuration the Studio shows besides the runtime. */
export const studioOptionsOf = async (
  files: readonly string[],
  given: GivenStudio,
  terminal: Terminal,
): Promise<Pick<StudioOptions, "agents" | "principals" | "experiments" | "onError">> => ({
  agents: await Promise.all(files.map((file) => agentOf(file, terminal))),
  principals: await clientsOf(given.config),
  experiments: given.experiments ?? [],
  onError: (error, reference) => terminal.error(`haft: ${plain(String(error))} (${reference})\n`),
});

const agentOf = async (file: string, terminal: Terminal): Promise<StudioAgent> => {
  const { agent, library, model } = await loadAgent(file, {}, terminal);
  return { agent, run: { model, ...(library === undefined ? {} : { library }) } };
};

/** Whoever the configuration gives a token. */
const clientsOf = async (config: string | undefined): Promise<readonly Principal[]> => {
  const { serve } = await readConfiguration(config);
  const auth = serve?.auth;
  return auth !== undefined && "tokens" in auth ? auth.tokens.map(({ principal }) => principal) : [];
};

/** Looks at the fleet over the runtime's own ledger, where that is one in PostgreSQL. */
export const fleetOf = (haft: Haft, terminal: Terminal): Pick<StudioOptions, "fleet"> => {
  const url = sharedBy.get(haft)?.ledgerUrl;
  if (url === undefined || !needsKey(url)) return {};
  return {
    fleet: async () => {
      const [{ withQueue }, { lookAt }] = await Promise.all([
        import("../fleet/open-queue.ts"),
        import("../../fleet/look-at.ts"),
      ]);
      return await withQueue({ ledger: url }, terminal, lookAt);
    },
  };
};
