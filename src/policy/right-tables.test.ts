import { describe, expect, it } from "vitest";
import { testRegistration } from "../../test/kit/test-registration.ts";
import { ConfigurationError } from "../types/errors.ts";
import type { Principal } from "../types/principal.ts";
import type { PolicyOptions, Rights } from "./options.ts";
import { createPolicyEngine } from "./policy.ts";

const read = testRegistration("fs/read");
const ada: Principal = { agent: "ada", user: "u1", tenant: "t1", roles: ["reader"], allow: ["*"] };

const decide = (
  rights: Rights,
  principal: Principal = ada,
  registration = read,
  options: PolicyOptions = {},
) =>
  createPolicyEngine({ toolkits: { files: ["fs/*"] }, ...options, rights }).visible(principal, registration);
const effect = (...given: Parameters<typeof decide>) => decide(...given).effect;

describe("permission tables of agents, users, tenants and roles", () => {
  it("a call must be allowed by the caller and by every table", () => {
    const rights: Rights = {
      agents: { ada: { allow: ["*"] } },
      users: { u1: { toolkits: ["files"] } },
      tenants: { t1: { allow: ["*"], deny: ["fs/delete"] } },
    };
    expect(effect(rights)).toBe("allow");
    expect(effect(rights, { ...ada, allow: ["net/*"] })).toBe("deny");
    expect(decide(rights, ada, testRegistration("net/get"))).toMatchObject({
      effect: "deny",
      reason: 'neither the allow list nor a toolkit of user "u1" covers net/get',
    });
    expect(decide(rights, ada, testRegistration("fs/delete")).reason).toBe(
      'the deny list of tenant "t1" covers fs/delete',
    );
  });

  it("a caller without a name or an entry in a table is denied", () => {
    const rights: Rights = { users: { u1: { allow: ["*"] } } };
    expect(decide(rights, { ...ada, user: "u2" })).toMatchObject({
      effect: "deny",
      reason: 'no right is defined for user "u2"',
    });
    const { user: _, ...unnamed } = ada;
    expect(decide(rights, unnamed)).toMatchObject({
      effect: "deny",
      reason: "the caller has no user, and rights are defined by user",
    });
    expect(effect({ users: {} })).toBe("deny");
    expect(effect(rights, { ...ada, user: "constructor" })).toBe("deny");
    expect(effect({ agents: { bob: { allow: ["*"] } } })).toBe("deny");
  });

  it("one of several roles must allow the call and none may deny it", () => {
    const rights: Rights = {
      roles: { reader: { allow: ["fs/*"] }, guest: { deny: ["fs/read"] }, writer: { allow: ["net/*"] } },
    };
    const as = (...roles: readonly string[]) => effect(rights, { ...ada, roles });
    expect(as("reader")).toBe("allow");
    expect(as("writer")).toBe("deny");
    expect(as("writer", "reader")).toBe("allow");
    expect(as("reader", "guest")).toBe("deny");
    expect(as("reader", "unheard-of")).toBe("allow");
    expect(as("unheard-of")).toBe("deny");
    expect(as()).toBe("deny");
  });

  it("an exempt tool still requires a known user without a deny", () => {
    const clock = testRegistration("clock", { annotations: { readOnly: true } });
    const lax: PolicyOptions = { requireAuthorizationForAll: false };
    expect(effect({ users: { u1: {} } }, { agent: "ada", user: "u1" }, clock, lax)).toBe("allow");
    expect(effect({ users: { u1: { deny: ["clock"] } } }, ada, clock, lax)).toBe("deny");
    expect(effect({ users: { u2: {} } }, ada, clock, lax)).toBe("deny");
  });

  it("a changed user of a principal takes effect", () => {
    const engine = createPolicyEngine({ rights: { users: { u1: { allow: ["*"] } } } });
    const caller: { agent: string; user: string; allow: string[] } = {
      agent: "ada",
      user: "u1",
      allow: ["*"],
    };
    expect(engine.visible(caller, read).effect).toBe("allow");
    caller.user = "u2";
    expect(engine.visible(caller, read).effect).toBe("deny");
  });

  it.each([
    [{ user: {} }, "unknown field `user`"],
    [{ users: [] }, "rights.users must map names to rights"],
    [{ users: { "*": { allow: ["*"] } } }, 'rights.users["*"] must be one plain name'],
    [{ users: { u1: { alow: ["*"] } } }, "unknown field `alow`"],
    [{ users: { u1: { allow: "*" } } }, 'rights.users["u1"].allow must be a list of strings'],
    [{ users: { u1: { deny: ["fs//x"] } } }, "fs//x"],
    [{ roles: { reader: { toolkits: ["fiels"] } } }, 'rights.roles["reader"].toolkits names "fiels"'],
    [{ users: { u1: null } }, 'rights.users["u1"] must be an object'],
  ])("rejects %j", (rights, message) => {
    const make = () => createPolicyEngine({ rights: rights as unknown as Rights });
    expect(make).toThrow(ConfigurationError);
    expect(make).toThrow(message);
  });
});
