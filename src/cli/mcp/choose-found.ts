import type { FoundServer } from "../../mcp/discover/found-server.ts";
import { nearest } from "../../schema/issues.ts";
import { Misuse } from "../misuse.ts";
import { plain } from "../screen.ts";

/** The one server that is meant, by its id in the list or by what a client calls it. */
export const chooseFound = (
  found: readonly FoundServer[],
  id: string,
  client: string | undefined,
): FoundServer => {
  const of = found.filter(({ from }) => client === undefined || from.client === client);
  const named = of.filter(({ from }) => from.name === id);
  const byId = of.find((each) => each.id === id);
  // In the list, a name that several have is the id of the first: it alone does not say which is meant.
  const meant = byId === undefined || (named.length > 1 && named.includes(byId)) ? named : [byId];
  const usable = meant.filter(({ config }) => config !== undefined);
  const [first, ...others] = usable;
  if (first === undefined) throw new Misuse(meant.length > 0 ? unusable(meant) : unknown(of, id, client));
  if (others.some(({ shown }) => shown !== first.shown)) throw new Misuse(several(usable, id, client));
  return first;
};

const unusable = (meant: readonly FoundServer[]): string =>
  meant.flatMap(({ problems }) => problems.map(plain)).join(" ");

const unknown = (found: readonly FoundServer[], id: string, client: string | undefined): string => {
  const near = nearest(
    id,
    found.map((each) => each.id),
  );
  const who = client === undefined ? "No program here has a" : `${client} has no`;
  const hint = near === undefined ? "" : ` Did you mean ${near}?`;
  return `${who} server "${plain(id)}".${hint} haft mcp discover lists what there is; haft mcp add ${plain(id)} -- command adds one of your own.`;
};

const several = (usable: readonly FoundServer[], id: string, client: string | undefined): string => {
  const shown = usable.map(({ id: own, from }) => `${own} (${from.client}, ${plain(from.file)})`).join(", ");
  const clients = new Set(usable.map(({ from }) => from.client));
  const how =
    client === undefined && clients.size === usable.length
      ? "Say which with --from CLIENT"
      : "Remove one there first";
  return `"${plain(id)}" is not the same everywhere: ${shown}. ${how}.`;
};
