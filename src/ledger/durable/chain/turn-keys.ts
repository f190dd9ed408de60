import { canonicalJson } from "../../../json/canonical-json.ts";
import type { Operation } from "../writer.ts";
import { keysOff, keysOn } from "./key-changes.ts";

const ofNobody = { entryId: null, runId: null };

export const turningKeysOn = (at: number): Operation<void> => ({
  entryIds: [],
  *run(page) {
    yield* page.flush();
    const { seq, keyId } = page.head;
    if (seq === 0 || keyId !== null) return;
    page.append({ ...ofNobody, at, kind: keysOn, body: canonicalJson({ unkeyed: seq }) });
  },
});

/** Does nothing where there is no MAC to turn off, and fails where there is no key to say so with. */
export const turningKeysOff = (at: number): Operation<void> => ({
  entryIds: [],
  *run(page) {
    yield* page.flush();
    const { keyId, kind } = page.head;
    if (keyId === null || kind === keysOff) return;
    page.append({ ...ofNobody, at, kind: keysOff, body: "{}" });
  },
});
