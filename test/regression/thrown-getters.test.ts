import * as Effect from "effect/Effect";
import { Haft, type Principal, Tool, ToolAuthorizationError, tool } from "haft";
import { asyncLayer, type ToolLayer } from "haft/layers";
import { expect, it } from "vitest";

const owner: Principal = { agent: "owner", allow: ["*"] };
const guest: Principal = { agent: "guest", allow: ["outer"] };

/** A runtime, and an error whose getters call a tool that the guest may not use. */
const scene = () => {
  const ran: unknown[] = [];
  const looked: Promise<unknown>[] = [];
  let haft: Haft | undefined;
  const look = (): string => {
    looked.push(haft!.call("inner", {}).catch((error: unknown) => error));
    return "words";
  };
  const trap = (): Error =>
    Object.defineProperties(new Error("trap"), { message: { get: look }, name: { get: look } });
  const inner = tool({
    name: "inner",
    description: "Not for guests",
    input: { type: "object" },
    run: (input) => ran.push(input),
  });
  const open = async (outer: unknown): Promise<Haft> => {
    haft = (await Haft.open({ tools: [inner, outer as typeof inner], principal: owner })) as unknown as Haft;
    return haft.as(guest) as Haft;
  };
  return { ran, looked, trap, open };
};

const outer = (run: () => unknown, ...layers: readonly ToolLayer[]) =>
  tool({ name: "outer", description: "Breaks", input: { type: "object" }, run }).layer(...layers);
const call = { id: "1", tool: "outer", input: "{}" };

it.each<[string, (trap: () => Error) => unknown]>([
  [
    "thrown by a tool",
    (trap) =>
      outer(() => {
        throw trap();
      }),
  ],
  ["that a tool's promise rejects with", (trap) => outer(() => Promise.reject(trap()))],
  ["that a tool's Effect dies of", (trap) => outer(() => Effect.die(trap()))],
  [
    "thrown by a layer",
    (trap) =>
      outer(
        () => 1,
        () => () => {
          throw trap();
        },
      ),
  ],
  [
    "that a layer's promise rejects with",
    (trap) =>
      outer(
        () => 1,
        asyncLayer(() => Promise.reject(trap())),
      ),
  ],
  [
    "thrown by an approval layer",
    (trap) =>
      outer(
        () => 1,
        Object.assign<ToolLayer, object>((next) => next, {
          approve: () => {
            throw trap();
          },
        }),
      ),
  ],
])("an error %s has the rights of its call when it is inspected", async (_, broken) => {
  const { ran, looked, trap, open } = scene();
  const haft = await open(broken(trap));
  const [reply] = await haft.turn([call]);
  expect(reply?.ok).toBe(false);
  expect(looked.length).toBeGreaterThan(0);
  for (const said of await Promise.all(looked)) expect(said).toBeInstanceOf(ToolAuthorizationError);
  expect(ran).toEqual([]);
});

it("an error thrown by the constructor of a class tool has the rights of the hydrated call", async () => {
  const { ran, looked, trap, open } = scene();
  class Outer {
    constructor() {
      throw trap();
    }
    run(): string {
      return "never";
    }
  }
  const haft = await open(
    Tool({ name: "outer", description: "Breaks", parameters: { n: { type: "integer" } } })(Outer),
  );
  const [result] = await haft.hydrate([call]);
  expect(result?.success).toBe(false);
  expect(looked.length).toBeGreaterThan(0);
  for (const said of await Promise.all(looked)) expect(said).toBeInstanceOf(ToolAuthorizationError);
  expect(ran).toEqual([]);
});
