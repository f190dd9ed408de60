import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import variant from "@jitl/quickjs-wasmfile-release-sync";
import {
  newQuickJSWASMModuleFromVariant,
  newVariant,
  type QuickJSSyncVariant,
  type QuickJSWASMModule,
} from "quickjs-emscripten-core";

/** Node's types lack WebAssembly. */
interface WasmMemory {
  readonly buffer: ArrayBuffer;
  grow: (pages: number) => number;
}
declare const WebAssembly: {
  readonly Memory: new (size: { readonly initial: number; readonly maximum: number }) => WasmMemory;
  readonly compile: (bytes: Uint8Array) => Promise<object>;
};

const pageBytes = 65_536;
const initialPages = 256;
const maxPages = 32_768;

export interface QuickJsEngine {
  readonly module: QuickJSWASMModule;
  readonly memory: GuestMemory;
}

/** QuickJS in WebAssembly does not enforce its own memory limit, so the growth of this memory is limited. */
export interface GuestMemory {
  readonly limitTo: (bytes: number) => void;
  readonly wasRefused: () => boolean;
  /** Memory never shrinks, so such an engine must not be reused. */
  readonly hasGrown: () => boolean;
}

const guestMemory = (memory: WasmMemory): GuestMemory => {
  const grow = memory.grow.bind(memory);
  let most = memory.buffer.byteLength;
  let refused = false;
  memory.grow = (pages) => {
    if (memory.buffer.byteLength + pages * pageBytes > most) {
      refused = true;
      throw new RangeError("The program reached its memory limit.");
    }
    return grow(pages);
  };
  return {
    limitTo: (bytes) => {
      most = Math.max(bytes, initialPages * pageBytes);
      refused = false;
    },
    wasRefused: () => refused,
    hasGrown: () => memory.buffer.byteLength > 2 * initialPages * pageBytes,
  };
};

export const loadQuickJs = async (): Promise<QuickJsEngine> => {
  const memory = new WebAssembly.Memory({ initial: initialPages, maximum: maxPages });
  const guarded = guestMemory(memory);
  const file = createRequire(import.meta.url).resolve("@jitl/quickjs-wasmfile-release-sync/wasm");
  const quiet = (): void => {};
  const module = await newQuickJSWASMModuleFromVariant(
    // The types describe a CommonJS module.
    newVariant(variant as unknown as QuickJSSyncVariant, {
      wasmModule: (await WebAssembly.compile(readFileSync(file))) as never,
      wasmMemory: memory as never,
      emscriptenModule: { print: quiet, printErr: quiet } as never,
    }),
  );
  return { module, memory: guarded };
};
