import type { AnyTool } from "../../types/tool.ts";
import { builtInTool } from "./built-in-tool.ts";
import { lazyImplementation } from "./lazy-implementation.ts";
import {
  booleanField,
  enumField,
  integerField,
  objectSchema,
  pathField,
  textField,
} from "./schema-fields.ts";
import type { SkillSettings } from "./skill-settings.ts";

export const fileWriteTool = (settings: SkillSettings): AnyTool =>
  builtInTool({
    name: "file-write",
    description:
      "Write a file: create a new one, overwrite one that is there, or append to it. It is written completely or not at all. To change a file, read it first, and give its `hash` as `ifUnchanged`, so that nobody's change is lost.",
    input: objectSchema(
      {
        path: pathField,
        content: textField("What to write."),
        encoding: enumField("How the content becomes bytes; utf-8 unless given.", [
          "utf-8",
          "utf-16le",
          "latin1",
          "base64",
        ]),
        mode: enumField("create unless given, which refuses a file that is there already.", [
          "create",
          "overwrite",
          "append",
        ]),
        ifUnchanged: textField("SHA-256 that the file must still have, from `hash` of file-read.", {
          pattern: "^[0-9a-fA-F]{64}$",
        }),
        makeFolders: booleanField("Make the folders around the file that are not there yet."),
      },
      ["path", "content"],
    ),
    output: objectSchema(
      {
        path: textField("The file, as the next call may name it."),
        bytes: integerField("Its size now.", 0),
        created: booleanField("Whether it was not there before."),
        hash: textField("SHA-256 of the whole file."),
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
    implementation: lazyImplementation(
      () => import("./files/file-writer.ts"),
      ({ fileWriter }) => fileWriter(settings),
    ),
  });
