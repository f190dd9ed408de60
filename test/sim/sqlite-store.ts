import { memoryStore } from "./memory-store.ts";
import type { SharedStore, StoreOptions } from "./shared-store.ts";
export const sqliteStore = (options: StoreOptions): SharedStore => memoryStore(options);
