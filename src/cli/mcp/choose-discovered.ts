import { nearest } from "../../base/text/nearest.ts";
import type { DiscoveredServer } from "../../mcp/discovery/discovered-server.ts";
import { CommandUsageError } from "../command-usage-error.ts";
import { plainText } from "../screen.ts";

export const chooseDiscovered = (
  found: readonly DiscoveredServer[],
  id: string,
  client: string | undefined,
): DiscoveredServer => {
  const clientServers = found.filter(({ from }) => client === undefined || from.client === client);
  const named = clientServers.filter(({ from }) => from.name === id);
  const byId = clientServers.find((each) => each.id === id);
  // The first of several servers with one name has the name as its id, so that id is ambiguous.
  const candidates = byId === undefined || (named.length > 1 && named.includes(byId)) ? named : [byId];
  const usable = candidates.filter(({ config }) => config !== undefined);
  const [first, ...others] = usable;
  if (first === undefined)
    throw new CommandUsageError(
      candidates.length > 0 ? unusableMessage(candidates) : unknownServerMessage(clientServers, id, client),
    );
  if (others.some(({ shown }) => shown !== first.shown))
    throw new CommandUsageError(ambiguousServerMessage(usable, id, client));
  return first;
};

const unusableMessage = (meant: readonly DiscoveredServer[]): string =>
  meant.flatMap(({ problems }) => problems.map(plainText)).join(" ");

const unknownServerMessage = (
  found: readonly DiscoveredServer[],
  id: string,
  client: string | undefined,
): string => {
  const near = nearest(
    id,
    found.map((each) => each.id),
  );
  const who = client === undefined ? "No program on this machine has a" : `${client} has no`;
  const hint = near === undefined ? "" : ` Did you mean ${near}?`;
  return `${who} server "${plainText(id)}".${hint} haft mcp discover lists servers; haft mcp add ${plainText(id)} -- command adds a new one.`;
};

const ambiguousServerMessage = (
  usable: readonly DiscoveredServer[],
  id: string,
  client: string | undefined,
): string => {
  const shown = usable
    .map(({ id: own, from }) => `${own} (${from.client}, ${plainText(from.file)})`)
    .join(", ");
  const clients = new Set(usable.map(({ from }) => from.client));
  const how =
    client === undefined && clients.size === usable.length
      ? "Choose one with --from CLIENT"
      : "Remove one there first";
  return `"${plainText(id)}" is configured differently: ${shown}. ${how}.`;
};
