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
