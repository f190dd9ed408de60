import type { LockComparison } from "../../mcp/lock/review/review.ts";
import { CommandUsageError } from "../command-usage-error.ts";
import { shortenToColumns } from "../screen.ts";

export interface LockSelection {
  readonly server: (id: string) => boolean;
  readonly tool: (id: string, name: string) => boolean;
}

export const selectAll: LockSelection = { server: () => true, tool: () => true };

/** Server ids may contain a slash, so the longest match wins. */
const matchOperand = (
  word: string,
  review: LockComparison,
): { readonly id: string; readonly tool?: string } | undefined => {
  const ids = review.servers.map(({ id }) => id).toSorted((one, other) => other.length - one.length);
  if (ids.includes(word)) return { id: word };
  const id = ids.find((each) => word.startsWith(`${each}/`));
  return id === undefined ? undefined : { id, tool: word.slice(id.length + 1) };
};

export const readLockSelection = (words: readonly string[], review: LockComparison): LockSelection => {
  if (words.length === 0) return selectAll;
  const chosen = words.map((word) => {
    const found = matchOperand(word, review);
    const server = review.servers.find(({ id }) => id === found?.id);
    if (found === undefined || server === undefined) {
      const ids = review.servers.map(({ id }) => id).join(", ");
      throw new CommandUsageError(
        `No server matches "${shortenToColumns(word, 80)}". The servers are: ${shortenToColumns(ids, 300)}.`,
      );
    }
    const isListed = server.tools.some(({ name, from }) => name === found.tool || from === found.tool);
    if (found.tool !== undefined && !isListed)
      throw new CommandUsageError(
        `${found.id} has no change to accept for "${shortenToColumns(found.tool, 80)}".`,
      );
    return found;
  });
  return {
    server: (id) => chosen.some((each) => each.id === id && each.tool === undefined),
    tool: (id, name) => chosen.some((each) => each.id === id && each.tool === name),
  };
};

export const selectFromReview = (review: LockComparison, selection: LockSelection): LockComparison => {
  const servers = review.servers.flatMap((server) => {
    if (selection.server(server.id)) return [server];
    const tools = server.tools.filter(
      ({ name, from }) =>
        selection.tool(server.id, name) || (from !== undefined && selection.tool(server.id, from)),
    );
    return tools.length === 0 ? [] : [{ ...server, tools }];
  });
  return { isClean: servers.every(({ change }) => change === "same"), servers };
};
