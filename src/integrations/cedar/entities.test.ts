import { describe, expect, it } from "vitest";
import { testRegistration } from "../../../test/kit/test-registration.ts";
import type { PolicyRequest } from "../../policy/engine.ts";
import type { Principal } from "../../types/principal.ts";
import { type CedarOptions, cedarPolicy } from "../cedar.ts";

const read = testRegistration("fs/read");
const ada: Principal = { agent: "ada", user: "u1", tenant: "t1", allow: ["*"] };

const effect = async (
  policies: string,
  of: Partial<PolicyRequest> = {},
  more: Partial<CedarOptions> = {},
) => {
  const engine = await cedarPolicy({ policies, ...more });
  return engine.decide({ principal: ada, registration: read, input: {}, validated: true, ...of }).effect;
};

describe("Cedar entities", () => {
  it.each(["readOnly", "idempotent", "destructive", "openWorld"])(
    "have the annotation %s only when the tool declares it",
    async (name) => {
      const policies = `permit(principal, action, resource) when { resource.annotations.${name} };`;
      const saying = (annotations: object) => ({ registration: testRegistration("a", { annotations }) });
      expect(await effect(policies, saying({ [name]: true }))).toBe("allow");
      expect(await effect(policies, saying({ [name]: false }))).toBe("deny");
      expect(await effect(policies, saying({}))).toBe("deny");
    },
  );

  it("have a tool only in the toolkits that cover it", async () => {
    const policies = `permit(principal, action, resource in Haft::Toolkit::"files");`;
    const toolkits = { files: ["fs/*"], money: ["bank/*"] };
    expect(await effect(policies, {}, { toolkits })).toBe("allow");
    expect(await effect(policies, { registration: testRegistration("bank/pay") }, { toolkits })).toBe("deny");
  });

  it("have groups only of the named agent or user", async () => {
    const policies = `permit(principal in Haft::Group::"staff", action, resource);`;
    const parents = [{ type: "Haft::Group", id: "staff" }];
    const reported = (type: string, id: string) => ({ entities: () => [{ uid: { type, id }, parents }] });
    expect(await effect(policies, {}, reported("Haft::Agent", "ada"))).toBe("allow");
    expect(await effect(policies, {}, reported("Haft::Agent", "bob"))).toBe("deny");
    expect(await effect(policies, {}, reported("Haft::User", "ada"))).toBe("deny");
  });

  it("have tags only of the named agent", async () => {
    const policies = `permit(principal, action, resource)
      when { principal.hasTag("team") && principal.getTag("team") == "red" };`;
    const reported = (id: string) => ({
      entities: () => [{ uid: { type: "Haft::Agent", id }, tags: { team: "red" } }],
    });
    expect(await effect(policies, {}, reported("ada"))).toBe("allow");
    expect(await effect(policies, {}, reported("bob"))).toBe("deny");
  });
});
