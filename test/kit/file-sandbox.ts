import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export const outsideText = "words from outside";

export interface FileSandbox extends Disposable {
  /** The allowed folder. */
  readonly root: string;
  /** A sibling folder whose name has the same prefix. */
  readonly outside: string;
  readonly write: (path: string, content: string | Uint8Array) => string;
  readonly link: (path: string, target: string) => void;
}

/** An allowed folder, a sibling folder that is not allowed, and links between them. */
export const fileSandbox = (): FileSandbox => {
  const top = realpathSync(mkdtempSync(join(tmpdir(), "haft-files-")));
  const root = join(top, "proj");
  const outside = join(top, "proj-evil");
  for (const folder of [root, outside, join(root, "sub"), join(outside, "deep")]) mkdirSync(folder);
  writeFileSync(join(outside, "s.txt"), outsideText);
  writeFileSync(join(outside, "deep", "s.txt"), outsideText);
  writeFileSync(join(top, "s.txt"), outsideText);
  writeFileSync(join(root, "in.txt"), "inside");
  return {
    root,
    outside,
    write: (path, content) => {
      writeFileSync(join(root, path), content);
      return join(root, path);
    },
    link: (path, target) => symlinkSync(target, join(root, path)),
    [Symbol.dispose]: () => rmSync(top, { recursive: true, force: true }),
  };
};
