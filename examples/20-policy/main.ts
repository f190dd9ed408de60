// Tests each claim of the guides policy, prompt-injection and custom-policy.
//#region open
import assert from "node:assert/strict";
//#endregion
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
//#region open
import { agent, Haft, narrow, type PolicyEngine, type PolicyOptions, type Principal } from "haft";
import { cedarPolicy } from "haft/cedar";
import { calls, says, scriptedModel } from "haft/testing";
//#endregion
import { runPages } from "../page/run-pages.ts";
//#region open
import config from "./haft.config.ts";

const open = (principal: Principal, policy: PolicyOptions | PolicyEngine = {}) =>
  Haft.open({ tools: config.tools, principal, policy });

/** The result of a call: "done", or the code of its failure. */
const attempt = (haft: Haft, tool: string, input: object = { order: 7 }): Promise<string> =>
  haft.call(tool, input).then(
    () => "done",
    (error) => error.code,
  );
//#endregion

const withoutPrincipal = await Haft.open({ tools: config.tools });
assert.equal(await attempt(withoutPrincipal, "find_order"), "not_visible");

//#region principal
const desk = await open({ agent: "desk", allow: ["*_order"], deny: ["delete_*"] });
assert.equal(await attempt(desk, "find_order"), "done");
assert.equal(await attempt(desk, "read_mail"), "not_visible"); // not in the allow list
assert.equal(await attempt(desk, "delete_order"), "not_visible"); // deny overrides allow
const mailer = await open(
  { agent: "mailer", toolkits: ["mail"] },
  { toolkits: { mail: ["read_mail", "send_mail"] } },
);
assert.equal(await attempt(mailer, "send_mail"), "done");
//#endregion
assert.deepEqual(
  desk
    .offer()
    .offer.specs.map(({ name }) => name)
    .sort(),
  ["find_order", "refund_order"],
);

//#region rules
const configured = await Haft.open(config);
assert.equal(await attempt(configured, "find_order"), "done"); // by the rule that allows the rest
assert.equal(await attempt(configured, "refund_order", { order: 7, cents: 500 }), "done");
assert.equal(await attempt(configured, "refund_order", { order: 7, cents: 20_000 }), "approval_required");
assert.equal(await attempt(configured, "delete_order"), "not_visible"); // denied for all arguments
//#endregion

//#region allow
const everything = { agent: "desk", user: "ada", tenant: "acme", roles: ["clerk"], allow: ["*"] };
const strict = await open(everything, { rules: [{ effect: "allow", tools: ["find_*"] }] });
assert.equal(await attempt(strict, "find_order"), "done");
assert.equal(await attempt(strict, "refund_order"), "not_visible"); // allowed by the principal, but by no rule
const asking = await open(everything, {
  rules: [
    { effect: "allow", tools: ["*"] },
    { effect: "approve", tools: ["refund_*"] }, // overrides the rule that allows
  ],
});
assert.equal(await attempt(asking, "refund_order"), "approval_required");
//#endregion
const borrowed = await open({ agent: "desk", allow: ["find_*"] }, { rules: [{ effect: "allow" }] });
assert.equal(await attempt(borrowed, "refund_order"), "not_visible", "a rule grants no rights");

//#region risk
const careful = await open(everything);
assert.equal(await attempt(careful, "delete_order"), "approval_required"); // its risk is critical
const trusting = await open(everything, {
  rules: [
    { effect: "allow", tools: ["*"] },
    { id: "bosses", effect: "allow", tools: ["delete_order"], roles: ["boss"], waivesApproval: true },
  ],
});
assert.equal(await attempt(trusting, "delete_order"), "approval_required"); // a clerk
assert.equal(await attempt(trusting.as({ ...everything, roles: ["boss"] }), "delete_order"), "done");
//#endregion
const blind = await open(everything, { blockHighRiskWithoutApproval: false });
assert.equal(await attempt(blind, "delete_order"), "done");

//#region rights
const rights = {
  users: { ada: { allow: ["*_order"] } },
  tenants: { acme: { allow: ["*"], deny: ["delete_*"] } },
  roles: { clerk: { allow: ["find_*"] }, cashier: { allow: ["refund_*"] } },
};
const kept = await open(everything, { rights });
assert.equal(await attempt(kept, "find_order"), "done");
assert.equal(await attempt(kept, "refund_order"), "not_visible"); // not a cashier
const cashier = kept.as({ ...everything, roles: ["clerk", "cashier"] });
assert.equal(await attempt(cashier, "refund_order"), "done"); // one of the roles is enough
assert.equal(await attempt(kept.as({ ...everything, user: "bob" }), "find_order"), "not_visible"); // in no table
//#endregion

//#region narrow
const delegated = narrow(everything, { agent: "helper", allow: ["find_*"] });
assert.equal(await attempt(careful.as(delegated), "find_order"), "done");
assert.equal(await attempt(careful.as(delegated), "refund_order"), "not_visible");
const lentOn = narrow(delegated, { allow: ["*"] }); // cannot add permissions
assert.equal(await attempt(careful.as(lentOn), "refund_order"), "not_visible");
//#endregion

//#region run
const clerk = agent({ name: "clerk", instructions: "Help with orders.", tools: ["*"] });
const model = scriptedModel([calls(["refund_order", { order: 7 }]), says("I cannot.")]);
const response = await careful.run(clerk, "Refund order 7", { model, allow: ["find_*"] });
assert.equal(response.toolsUsed[0]?.ok, false); // the caller has the permission, this run has not
//#endregion

//#region conditions
const limited = await open(everything, {
  rules: [
    { effect: "allow", tools: ["*"] },
    { id: "enough", effect: "deny", tools: ["refund_*"], spent: { cost: 30 } },
    { id: "repaired", effect: "deny", tools: ["refund_*"], repaired: true },
  ],
});
const spender = scriptedModel([
  calls(["refund_order", { order: 1 }]), // costs 19.9
  calls(["refund_order", { order: 2 }]), // 39.8
  calls(["refund_order", { order: 3 }]),
  says("Two of them."),
]);
const spent = await limited.run(clerk, "Refund orders 1, 2 and 3", { model: spender });
assert.deepEqual(
  spent.toolsUsed.map(({ ok }) => ok),
  [true, true, false],
);
const raw = [{ id: "1", tool: "refund_order", input: "{'order': 4}" }];
const [repaired] = await limited.turn(raw, { repair: "deterministic" });
assert.equal(repaired?.failure?.code, "denied");
//#endregion

//#region taint
const attacked = scriptedModel([
  calls(["send_mail", { order: 7 }]), // nothing was read yet
  calls(["read_mail", { order: 7 }]),
  calls(["send_mail", { order: 8 }]), // now it needs approval
  says("A colleague will look at it."),
]);
const tainted = await careful.run(clerk, "What does the customer want?", { model: attacked });
assert.deepEqual(
  tainted.toolsUsed.map(({ name, ok }) => `${name} ${ok}`),
  ["send_mail true", "read_mail true", "send_mail false"],
);
//#endregion

//#region cedar
const cedar = await cedarPolicy({
  policies: `
    permit(principal, action, resource);
    forbid(principal, action, resource) when { resource.risk == "critical" };
    forbid(principal, action == Haft::Action::"call", resource == Haft::Tool::"refund_order")
      when { context.input.number.hasTag("cents") && context.input.number.getTag("cents") > 10000 };
  `,
});
const judged = await open(everything, cedar);
assert.equal(await attempt(judged, "find_order"), "done");
assert.equal(await attempt(judged, "delete_order"), "not_visible");
assert.equal(await attempt(judged, "refund_order", { order: 7, cents: 20_000 }), "denied");
//#endregion

// Runs each command of the guides in this folder.
const main = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));
const cwd = fileURLToPath(new URL(".", import.meta.url));
const count = await runPages({
  pages: ["guides/policy.md"],
  haft: (words) => {
    const env = { ...process.env, HAFT_TRUST: "1" };
    const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...words], { cwd, env });
    return { code: status, out: `${stdout}${stderr}` };
  },
});
assert.ok(count >= 4, "the guides have their commands");
const opened = [
  withoutPrincipal,
  desk,
  mailer,
  configured,
  strict,
  asking,
  borrowed,
  careful,
  trusting,
  blind,
  kept,
];
await Promise.all([...opened, limited, judged].map((haft) => haft.close()));
console.log("who may, may; who may not, may not");
