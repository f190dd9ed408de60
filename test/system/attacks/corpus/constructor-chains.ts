import { attacks } from "../attack.ts";

/** From a host value to the `Function` of the host, and from there to `process` and its secrets. */
const steal = (reach: string) => ({
  harm: "secret" as const,
  source: `const F = ${reach}; return F("return process")().env[input.variable];`,
});

export const constructorChains = attacks(
  "constructor chains",
  { on: "vm" },
  {
    "the global object": steal("globalThis.constructor.constructor"),
    "the input": steal("input.constructor.constructor"),
    "a function of the console": steal("console.log.constructor"),
    "a tool, which is an async function": {
      harm: "secret",
      source: `const F = Object.getPrototypeOf(tools.echo).constructor;
      return await F("return process")().then((process) => process.env[input.variable]);`,
    },
    "the promise of a call": steal("tools.echo({}).constructor.constructor"),
    "the answer to a call": steal("(await tools.echo({ a: 1 })).constructor.constructor"),
    "the error of a call that failed": steal(
      "await tools.fail({}).then(() => 0, (error) => error.constructor.constructor)",
    ),
    "the getter of __proto__": steal(`input.__lookupGetter__("__proto__").constructor`),
    "an iterator of a list": steal("input.list[Symbol.iterator]().next.constructor"),
    "a bound function": steal(
      "Object.getPrototypeOf(Function.prototype.bind.call(console.log, null)).constructor",
    ),
    "a class that extends a function of the host": steal(
      "Object.getPrototypeOf(class extends (input.constructor) {}).constructor",
    ),
  },
);
