import type { SandboxContender } from "./contender.ts";

/** The used part of isolated-vm, which is not a dependency. */
interface Ivm {
  readonly Isolate: new (options: { readonly memoryLimit: number }) => Isolate;
  readonly Reference: new (value: unknown) => object;
  readonly ExternalCopy: new (value: unknown) => { readonly copyInto: () => object };
}
interface Isolate {
  readonly createContext: () => Promise<Context>;
  readonly dispose: () => void;
}
interface Context {
  readonly evalClosure: (
    source: string,
    given: readonly unknown[],
    options: { readonly result: { readonly promise: true; readonly copy: true } },
  ) => Promise<string>;
}

const packageName = "isolated-vm";
const { default: ivm } = (await import(packageName)) as { readonly default: Ivm };

/** An isolate per program in the host process. */
export const isolatedVm: SandboxContender = {
  name: "isolated-vm in the host's process",
  open: async () => {
    return {
      run: async (source, input, answer) => {
        const isolate = new ivm.Isolate({ memoryLimit: 64 });
        try {
          const context = await isolate.createContext();
          const wrapped = `
            const [input, call] = [JSON.parse($0), $1];
            const tools = { f: async (given) =>
              JSON.parse(await call.apply(undefined, [JSON.stringify(given ?? {})], { result: { promise: true, copy: true } })) };
            return (async () => JSON.stringify((await (async () => {${source}\n})()) ?? null))();`;
          const given = [JSON.stringify(input ?? null), new ivm.Reference(answer)];
          return JSON.parse(
            await context.evalClosure(wrapped, given, { result: { promise: true, copy: true } }),
          );
        } finally {
          isolate.dispose();
        }
      },
      close: async () => {},
    };
  },
};
