import * as Effect from "effect/Effect";
import { expect, it } from "vitest";
import { testRegistration } from "../../test/kit/test-registration.ts";
import { RunRecorder } from "../pipeline/recorder.ts";
import type { PolicyEngine } from "./engine.ts";
import { narrowEngine } from "./narrow-engine.ts";
import { createPolicyEngine } from "./policy.ts";

const principal = { agent: "clerk", allow: ["act"] };
const yes = { effect: "allow", reason: "an engine says yes", ruleIds: [] } as const;
const no = { effect: "deny", reason: "an engine says no", ruleIds: [] } as const;
const explained = { tool: "act", links: [], rules: [], text: "an engine explains itself" };

const engine = (said: typeof yes | typeof no): PolicyEngine => ({
  visible: () => said,
  decide: () => Effect.succeed(said),
  explain: async () => ({ ...said, ...explained }),
});
const asked = (key: string, spec = {}) => ({
  principal,
  registration: testRegistration(key, spec),
  input: {},
  validated: true,
  repaired: false,
  tally: new RunRecorder(),
});

it("narrowEngine denies without asking the engine when the caller has no permission", async () => {
  const narrowed = narrowEngine(createPolicyEngine(), {
    visible: () => yes,
    decide: () => {
      throw new Error("asked");
    },
  });
  expect(narrowed.decide(asked("other"))).toMatchObject({ effect: "deny" });
  expect(narrowed.visible(principal, testRegistration("other"))).toMatchObject({ effect: "deny" });
});

it("narrowEngine lets the engine deny what the caller has permission for", async () => {
  const narrowed = narrowEngine(createPolicyEngine(), engine(no));
  expect(await Effect.runPromise(narrowed.decide(asked("act")) as Effect.Effect<unknown>)).toMatchObject(no);
  expect(narrowed.visible(principal, testRegistration("act"))).toMatchObject(no);
});

it("narrowEngine explains with the stricter engine", async () => {
  const risky = asked("act", { requiresApproval: true });
  const plain = asked("act");
  const [lenient, strict] = [
    narrowEngine(createPolicyEngine(), engine(yes)),
    narrowEngine(createPolicyEngine(), engine(no)),
  ];
  expect(await lenient.explain?.(risky)).toMatchObject({ effect: "approve" });
  expect(await strict.explain?.(plain)).toMatchObject({ ...no, ...explained });
});
