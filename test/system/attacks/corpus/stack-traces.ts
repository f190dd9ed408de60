import { attacks } from "../attack.ts";

export const stackTraces = attacks(
  "stack traces, stack overflow",
  { on: "vm" },
  {
    "the frames that Error.prepareStackTrace is given": {
      on: "worker",
      harm: "secret",
      source: `
      let found = "";
      Error.prepareStackTrace = (_, frames) => frames;
      for (const frame of new Error().stack) {
        try {
          for (const each of frame.getFunction().arguments) found += JSON.stringify(each) ?? "";
        } catch {}
      }
      return found;`,
    },
    "an error of the host's realm, made where its stack ends": {
      harm: "secret",
      source: `
      let F;
      const probe = () => {
        try {
          probe();
        } catch {}
        try {
          input.list.map(String);
          console.log("");
        } catch (error) {
          const reached = error.constructor.constructor;
          try {
            if (reached("return typeof process")() === "object") F ??= reached;
          } catch {}
        }
      };
      probe();
      return F("return process")().env[input.variable];`,
    },
    "the places of the host's files, in the stack of an error": {
      harm: "path",
      source: `
      Error.stackTraceLimit = 100;
      const failed = typeof tools === "undefined" ? "" : await tools.fail({}).catch((error) => error.stack);
      return new Error().stack + failed;`,
    },
  },
);
