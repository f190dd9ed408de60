import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import variant from "@jitl/quickjs-wasmfile-release-sync";
import {
  newQuickJSWASMModuleFromVariant,
  newVariant,
  type QuickJSSyncVariant,
  type QuickJSWASMModule,
} from "quickjs-emscripten-core";

/** The little of WebAssembly that is used here; the types of Node have none of it. */
interface WasmMemory {
  readonly buffer: ArrayBuffer;
  grow: (pages: number) => number;
}
declare const WebAssembly: {
  readonly Memory: new (size: { readonly initial: number; readonly maximum: number }) => WasmMemory;
  readonly compile: (bytes: Uint8Array) => Promise<object>;
};

const pageBytes = 65_536;
/** What the engine starts with; it cannot start with less. */
const initialPages = 256;
const maxPages = 32_768;

/** One engine of a worker, in which a program after the other has a runtime of its own. */
export interface QuickJsEngine {
  readonly module: QuickJSWASMModule;
  readonly memory: GuestMemory;
}

/**
 * The memory of the engine. QuickJS counts its blocks but not their sizes when it runs as WebAssembly, so that its own
 * limit does not hold; what does is that this memory does not grow past it.
 */
export interface GuestMemory {
  /** Lets the memory grow by so much for the next program. */
  readonly limitTo: (bytes: number) => void;
  /** Whether the program asked for more than it may have. */
  readonly wasRefused: () => boolean;
  /** Memory never shrinks: an engine that has grown is not used again. */
  readonly hasGrown: () => boolean;
}

const guestMemory = (memory: WasmMemory): GuestMemory => {
  const grow = memory.grow.bind(memory);
  let most = memory.buffer.byteLength;
  let refused = false;
  memory.grow = (pages) => {
    if (memory.buffer.byteLength + pages * pageBytes > most) {
      refused = true;
      throw new RangeError("The program may not have more memory.");
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
    // Its types are those of a CommonJS module, which it is not where it is imported.
    newVariant(variant as unknown as QuickJSSyncVariant, {
      wasmModule: (await WebAssembly.compile(readFileSync(file))) as never,
      wasmMemory: memory as never,
      emscriptenModule: { print: quiet, printErr: quiet } as never,
    }),
  );
  return { module, memory: guarded };
};
