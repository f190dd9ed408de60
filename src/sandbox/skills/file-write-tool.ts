import type { AnyTool } from "../words/tool.ts";
import { builtIn } from "./built-in.ts";
import { lateCode } from "./late-code.ts";
import { flag, oneOf, pathField, record, text, whole } from "./schemas.ts";
import type { SkillSettings } from "./skill-settings.ts";

export const fileWrite = (settings: SkillSettings): AnyTool =>
  builtIn({
    name: "file-write",
    description:
      "Write a file: create a new one, overwrite one that is there, or append to it. It is written completely or not at all. To change a file, read it first, and give its `hash` as `ifUnchanged`, so that nobody's change is lost.",
    input: record(
      {
        path: pathField,
        content: text("What to write."),
        encoding: oneOf("How the content becomes bytes; utf-8 unless given.", [
          "utf-8",
          "utf-16le",
          "latin1",
          "base64",
        ]),
        mode: oneOf("create unless given, which refuses a file that is there already.", [
          "create",
          "overwrite",
          "append",
        ]),
        ifUnchanged: text("SHA-256 that the file must still have, from `hash` of file-read.", {
          pattern: "^[0-9a-fA-F]{64}$",
        }),
        makeFolders: flag("Make the folders around the file that are not there yet."),
      },
      ["path", "content"],
    ),
    output: record(
      {
        path: text("The file, as the next call may name it."),
        bytes: whole("Its size now.", 0),
        created: flag("Whether it was not there before."),
        hash: text("SHA-256 of the whole file."),
      },
      ["path", "bytes", "created"],
    ),
    category: "file",
    risk: "medium",
    timeout: 10_000,
    annotations: {
      title: "Write a file",
      readOnly: false,
      idempotent: false,
      destructive: true,
      openWorld: false,
    },
    implementation: lateCode(
      () => import("./files/write-file.ts"),
      ({ fileWriter }) => fileWriter(settings),
    ),
  });
