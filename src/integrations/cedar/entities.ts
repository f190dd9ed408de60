import { checkPackage, missingPackage } from "../../base/platform/peer-packages.ts";
import type { Toolkits } from "../../policy/right.ts";
import { isSink } from "../../policy/taint.ts";
import type { Principal } from "../../types/principal.ts";
import type { Registration } from "../../types/tool.ts";

/** The id of a Cedar entity, such as `{ type: "Haft::User", id: "u1" }`. */
export interface CedarUid {
  readonly type: string;
  readonly id: string;
}

/** Further facts about an entity: its groups, and tags that policies read with `getTag`. */
export interface CedarEntity {
  readonly uid: CedarUid;
  readonly parents?: readonly CedarUid[];
  readonly tags?: Readonly<Record<string, string>>;
}

export interface PlainEntity {
  uid: CedarUid;
  attrs: Record<string, never>;
  parents: CedarUid[];
  tags?: Record<string, never>;
}

export const haftUid = (type: string, id: string): CedarUid => ({ type: `Haft::${type}`, id });

export const callerEntities = (
  principal: Principal,
  extraEntities: readonly CedarEntity[],
): PlainEntity[] => {
  const { agent, session, user, tenant, roles = [] } = principal;
  const agentUid = haftUid("Agent", agent);
  const isAgent = (entity: CedarEntity) => entity.uid.type === agentUid.type && entity.uid.id === agentUid.id;
  const userUid = user === undefined ? [] : [haftUid("User", user)];
  const tenantUid = tenant === undefined ? [] : [haftUid("Tenant", tenant)];
  const attrs = {
    name: agent,
    ...(session !== undefined && { session }),
    ...(user !== undefined && { user: { __entity: userUid[0] } }),
    ...(tenant !== undefined && { tenant: { __entity: tenantUid[0] } }),
  };
  const parents = [...userUid, ...tenantUid, ...roles.map((role) => haftUid("Role", role))];
  const more = extraEntities.filter(isAgent);
  return [
    {
      uid: agentUid,
      attrs: attrs as never,
      parents: [...parents, ...more.flatMap((entity) => entity.parents ?? [])],
      tags: Object.assign({}, ...more.map(({ tags }) => tags)),
    },
    ...extraEntities
      .filter((entity) => !isAgent(entity))
      .map((entity) => ({
        uid: entity.uid,
        attrs: {},
        parents: [...(entity.parents ?? [])],
        tags: { ...entity.tags } as never,
      })),
  ];
};

export const toolEntity = ({ key, tool }: Registration, toolkits: Toolkits): PlainEntity => {
  const kits = [...toolkits].filter(([, covers]) => covers(key)).map(([name]) => name);
  const { spec } = tool;
  const { readOnly, idempotent, destructive, openWorld } = spec.annotations;
  const attrs = {
    key,
    toolkits: kits,
    risk: spec.risk,
    tags: [...spec.tags],
    source: spec.source,
    sink: isSink(tool),
    annotations: {
      readOnly: readOnly === true,
      idempotent: idempotent === true,
      destructive: destructive === true,
      openWorld: openWorld === true,
    },
  };
  return {
    uid: haftUid("Tool", key),
    attrs: attrs as never,
    parents: kits.map((name) => haftUid("Toolkit", name)),
  };
};

/**
 * Arguments are tags by path: `context.input.number.hasTag("to/0") && context.input.number.getTag("to/0") >
 * 5`. In a path, `~0` is a tilde, `~1` a slash and `~2` an empty name.
 */
export const cedarSchema = `namespace Haft {
  entity Role, Group, Toolkit;
  entity Tenant in [Group] tags String;
  entity User in [Group, Tenant, Role] tags String;
  entity Agent in [Group, User, Tenant, Role] {
    name: String,
    session?: String,
    user?: User,
    tenant?: Tenant,
  } tags String;
  entity Tool in [Toolkit] {
    key: String,
    toolkits: Set<String>,
    risk: String,
    tags: Set<String>,
    source: String,
    sink: Bool,
    annotations: { readOnly: Bool, idempotent: Bool, destructive: Bool, openWorld: Bool },
  };
  entity Text tags String;
  entity Number tags Long;
  entity Decimal tags decimal;
  entity Flag tags Bool;
  entity List tags Set<String>;
  type Call = {
    tainted: Bool,
    taints: Set<String>,
    repaired: Bool,
    calls: Long,
    cost: decimal,
    input: { text: Text, number: Number, decimal: Decimal, flag: Flag, list: List },
  };
  action use;
  action list in [use] appliesTo { principal: [Agent], resource: [Tool], context: {} };
  action call in [use] appliesTo { principal: [Agent], resource: [Tool], context: Call };
}
`;

export type Cedar = typeof import("@cedar-policy/cedar-wasm/nodejs");

const requirementText = "Cedar policies need";

export const loadCedar = (): Promise<Cedar> => {
  checkPackage("@cedar-policy/cedar-wasm", requirementText);
  return import("@cedar-policy/cedar-wasm/nodejs").catch(
    missingPackage("@cedar-policy/cedar-wasm", requirementText),
  );
};

export const inputKinds = ["text", "number", "decimal", "flag", "list"] as const;
export type InputKind = (typeof inputKinds)[number];

/** May return more kinds than necessary. */
export const inputKindsReadBy = (policies: readonly unknown[]): ReadonlySet<InputKind> => {
  const attributes = new Set<string>();
  for (const policy of policies) collectAttributes(policy, attributes, false);
  return new Set(inputKinds.filter((kind) => attributes.has(allKinds) || attributes.has(kind)));
};

const allKinds = "*";

interface AttributeAccess {
  readonly left: unknown;
  readonly attr: string | readonly string[];
}

const isAccess = (value: unknown): value is AttributeAccess =>
  typeof value === "object" && value !== null && "left" in value && "attr" in value;

/** `context` or `context.input` without an attribute may be compared as a whole, which reads all kinds. */
const collectAttributes = (node: unknown, attributes: Set<string>, isAccessed: boolean): void => {
  if (typeof node !== "object" || node === null) return;
  for (const [operator, child] of Object.entries(node)) {
    if ((operator === "." || operator === "has") && isAccess(child)) {
      const names = [child.attr].flat();
      for (const name of names) attributes.add(name);
      if (names.at(-1) === "input" && !isAccessed) attributes.add(allKinds);
      collectAttributes(child.left, attributes, true);
    } else if (operator === "Var" && child === "context" && !isAccessed) attributes.add(allKinds);
    else collectAttributes(child, attributes, false);
  }
};
