import { confusableKey } from "../../tool/name.ts";
import type { RemoteTool } from "../../words/mcp.ts";
import { folded } from "./flags/fold.ts";
import type { Lock } from "./locked.ts";
import type { ReviewStanding } from "./standing.ts";

interface Reviewed {
  readonly server: string;
  readonly tool: string;
}

/** How reviewed tools look, to find whoever tries to look the same. */
export interface Looks {
  readonly byName: ReadonlyMap<string, readonly Reviewed[]>;
  readonly byDescription: ReadonlyMap<string, readonly Reviewed[]>;
}

/** A shorter description is shared by chance. */
const telling = 16;

/** Names that a person or a model takes for each other have one look. */
export const lookOf = (name: string): string => confusableKey(folded(name));

const descriptionLook = (description: unknown): string | undefined => {
  if (typeof description !== "string") return undefined;
  const look = folded(description).toLowerCase().replace(/\s+/g, " ").trim();
  return look.length < telling ? undefined : look;
};

export const looksOf = (lock: Lock): Looks => {
  const byName = new Map<string, Reviewed[]>();
  const byDescription = new Map<string, Reviewed[]>();
  const put = (map: Map<string, Reviewed[]>, look: string, reviewed: Reviewed): void => {
    const there = map.get(look);
    if (there === undefined) map.set(look, [reviewed]);
    else there.push(reviewed);
  };
  for (const [server, { tools }] of Object.entries(lock.servers)) {
    for (const [tool, { description }] of Object.entries(tools)) {
      put(byName, lookOf(tool), { server, tool });
      const look = descriptionLook(description);
      if (look !== undefined) put(byDescription, look, { server, tool });
    }
  }
  return { byName, byDescription };
};

/** Finds the tool in whose place another one of this list stands: of another server, or beside it in the list. */
export type FindTwin = (tool: RemoteTool, standing: ReviewStanding) => string | undefined;

export const twinsIn = (server: string, list: readonly RemoteTool[], looks: Looks): FindTwin => {
  const beside = new Map<string, Set<string>>();
  for (const { name } of list) {
    const look = lookOf(name);
    const names = beside.get(look);
    if (names === undefined) beside.set(look, new Set([name]));
    else names.add(name);
  }
  const elsewhere = (found: readonly Reviewed[] | undefined): string | undefined => {
    const other = found?.find((each) => each.server !== server);
    return other === undefined ? undefined : `${other.server}/${other.tool}`;
  };
  const namesake = (name: string): string | undefined => {
    const look = lookOf(name);
    const other = elsewhere(looks.byName.get(look));
    if (other !== undefined) return other;
    const neighbor = [...(beside.get(look) ?? [])].find((each) => each !== name);
    return neighbor === undefined ? undefined : `${server}/${neighbor}`;
  };
  return ({ name, description }, standing) => {
    // Who reviewed a name or a description has seen who else has it.
    const isKnown = standing.kind === "changed";
    const same = isKnown ? undefined : namesake(name);
    if (same !== undefined) return same;
    const isOld = isKnown && !standing.pointers.includes("/description");
    const look = isOld ? undefined : descriptionLook(description);
    return look === undefined ? undefined : elsewhere(looks.byDescription.get(look));
  };
};
