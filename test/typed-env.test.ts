import * as Effect from "effect/Effect";
import { agent, type CallContext, Haft, tool } from "haft";
import { approvalByEnv, type ToolLayer } from "haft/layers";
import { calls, says, scriptedModel } from "haft/testing";
import { expect, expectTypeOf, it } from "vitest";

interface Users {
  readonly user: string;
}

const principal = { agent: "tester", allow: ["*"] };
const seen: string[] = [];

/** Its Env is part of its type, so `call.env.user` needs no cast. */
const signed: ToolLayer<Users> = (next) => (call) => {
  expectTypeOf(call.env).toEqualTypeOf<Users>();
  seen.push(`layer ${call.env.user}`);
  return next(call);
};

const greet = tool({
  name: "greet",
  description: "Greets",
  input: [],
  run: (_input: unknown, context: CallContext<Users>) => `Hello, ${context.env.user}`,
} as never);

it("a runtime accepts only an env that fits its layers, and layers and tools receive it", async () => {
  seen.length = 0;
  await using haft = await Haft.open({ principal, tools: [greet], layers: [signed], env: { user: "ada" } });
  expect(await haft.call("greet", {})).toBe("Hello, ada");
  expect(await haft.call("greet", {}, { env: { user: "bob" } })).toBe("Hello, bob");
  expect(seen).toEqual(["layer ada", "layer bob"]);
  // @ts-expect-error the layer needs a user, and this env has none
  const wrong = Haft.open({ principal, layers: [signed], env: { session: "one" } });
  await (await wrong).close();
  // @ts-expect-error the user is a text
  const number = Haft.open({ principal, layers: [signed], env: { user: 7 } });
  await (await number).close();
});

it("a layer that needs an env is not a layer without requirements, but the reverse holds", () => {
  const nothing: ToolLayer = (next) => next;
  const fits: ToolLayer<Users> = nothing;
  // @ts-expect-error a caller with any layer has no user
  const tooMuch: ToolLayer = signed;
  expectTypeOf(fits).not.toEqualTypeOf(tooMuch);
  expect(approvalByEnv()).toBeTypeOf("function");
});

it("an env of a run reaches the layers of its run, its agent and its tools", async () => {
  seen.length = 0;
  const model = scriptedModel([calls(["greet", {}]), says("Done.")]);
  const layered = greet.layer(signed);
  const helper = agent({ name: "a", instructions: "Help.", model, tools: [layered] }).layer(signed);
  await using haft = await Haft.open({ principal });
  const response = await haft.run(helper, "Go", { layers: [signed], env: { user: "eve" } });
  expect(response.toolsUsed[0]?.result).toBe("Hello, eve");
  expect(seen).toEqual(["layer eve", "layer eve", "layer eve"]);
});

it("layers and tools receive undefined when no env is given", async () => {
  const envs: unknown[] = [];
  const look: ToolLayer = (next) => (call) =>
    Effect.suspend(() => {
      expectTypeOf(call.env).toEqualTypeOf<unknown>();
      envs.push(call.env);
      return next(call);
    });
  const show = tool({
    name: "show",
    description: "Shows",
    input: [],
    run: (_, { env }) => {
      expectTypeOf(env).toEqualTypeOf<unknown>();
      envs.push(env);
      return 1;
    },
  });
  await using haft = await Haft.open({ principal, tools: [show], layers: [look] });
  expect(await haft.call("show", {})).toBe(1);
  expect(envs).toEqual([undefined, undefined]);
});
