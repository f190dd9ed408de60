import { confusableKey } from "../../tools/tool-name.ts";
import type { RemoteTool } from "../../types/mcp.ts";
import { foldLookalikes } from "./flags/flag.ts";
import type { Lock } from "./lock.ts";
import type { ReviewStatus } from "./review-status.ts";

interface ReviewedToolRef {
  readonly server: string;
  readonly tool: string;
}

export interface LookalikeIndex {
  readonly byName: ReadonlyMap<string, readonly ReviewedToolRef[]>;
  readonly byDescription: ReadonlyMap<string, readonly ReviewedToolRef[]>;
}

const minDescriptionLength = 16;

/** Equal for names that can be confused. */
export const nameKey = (name: string): string => confusableKey(foldLookalikes(name));

const descriptionKey = (description: unknown): string | undefined => {
  if (typeof description !== "string") return undefined;
  const look = foldLookalikes(description).toLowerCase().replace(/\s+/g, " ").trim();
  return look.length < minDescriptionLength ? undefined : look;
};

export const indexLookalikes = (lock: Lock): LookalikeIndex => {
  const byName = new Map<string, ReviewedToolRef[]>();
  const byDescription = new Map<string, ReviewedToolRef[]>();
  const put = (map: Map<string, ReviewedToolRef[]>, look: string, reviewed: ReviewedToolRef): void => {
    const there = map.get(look);
    if (there === undefined) map.set(look, [reviewed]);
    else there.push(reviewed);
  };
  for (const [server, { tools }] of Object.entries(lock.servers)) {
    for (const [tool, { description }] of Object.entries(tools)) {
      put(byName, nameKey(tool), { server, tool });
      const look = descriptionKey(description);
      if (look !== undefined) put(byDescription, look, { server, tool });
    }
  }
  return { byName, byDescription };
};

/** Finds the other tool that this one can be confused with. */
export type FindLookalike = (tool: RemoteTool, status: ReviewStatus) => string | undefined;

export const createLookalikeFinder = (
  server: string,
  list: readonly RemoteTool[],
  looks: LookalikeIndex,
): FindLookalike => {
  const siblingNames = new Map<string, Set<string>>();
  for (const { name } of list) {
    const look = nameKey(name);
    const names = siblingNames.get(look);
    if (names === undefined) siblingNames.set(look, new Set([name]));
    else names.add(name);
  }
  const elsewhere = (found: readonly ReviewedToolRef[] | undefined): string | undefined => {
    const other = found?.find((each) => each.server !== server);
    return other === undefined ? undefined : `${other.server}/${other.tool}`;
  };
  const namesake = (name: string): string | undefined => {
    const look = nameKey(name);
    const other = elsewhere(looks.byName.get(look));
    if (other !== undefined) return other;
    const neighbor = [...(siblingNames.get(look) ?? [])].find((each) => each !== name);
    return neighbor === undefined ? undefined : `${server}/${neighbor}`;
  };
  return ({ name, description }, status) => {
    // The review of a name or description already showed its lookalikes.
    const isKnown = status.kind === "changed";
    const same = isKnown ? undefined : namesake(name);
    if (same !== undefined) return same;
    const wasReviewed = isKnown && !status.pointers.includes("/description");
    const look = wasReviewed ? undefined : descriptionKey(description);
    return look === undefined ? undefined : elsewhere(looks.byDescription.get(look));
  };
};
