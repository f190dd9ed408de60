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
