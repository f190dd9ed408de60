import { attacks } from "../attack.ts";

export const hostileValues = attacks(
  "hostile values to the host",
  { on: "vm" },
  {
    "a promise whose then is given the host's functions": {
      harm: "secret",
      source: `
      const { then } = Promise.prototype;
      Promise.prototype.then = function (resolve, reject) {
        try {
          resolve(resolve.constructor("return process")().env[input.variable]);
        } catch {
          return then.call(this, resolve, reject);
        }
      };
      return 1;`,
    },
    "a Proxy that cannot be listed": {
      harm: "failure",
      source: `return new Proxy({}, { ownKeys() { throw new Error("no"); } });`,
    },
    "a value that is asked how it is to be shown": {
      harm: "secret",
      source: `
      return {
        [Symbol.for("nodejs.util.inspect.custom")](depth, options, inspect) {
          return inspect.constructor("return process")().env[input.variable];
        },
        [Symbol.for("Deno.customInspect")](inspect) {
          return inspect.constructor("return process")().env[input.variable];
        },
      };`,
    },
    "a list whose species never ends": {
      harm: "hang",
      source: `
      const list = [1];
      list.constructor = { [Symbol.species]: function () { for (;;); } };
      return list;`,
    },
    "a toJSON that never ends": {
      harm: "hang",
      source: `return { toJSON() { for (;;); } };`,
    },
    "an error whose message throws": {
      harm: "failure",
      source: `throw { get name() { throw new Error("name"); }, get message() { throw new Error("message"); } };`,
    },
    "a getter that never ends": {
      harm: "hang",
      source: `return { get value() { for (;;); } };`,
    },
  },
);
