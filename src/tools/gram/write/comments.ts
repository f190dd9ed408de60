import type { Comment, Comments, Node } from "../document.ts";
import { all, type Doc, empty, hardLine, text } from "./doc.ts";

/** A made comment may hold line breaks; each of its lines then becomes one. */
const lines = (comment: Comment): readonly string[] => comment.text.split(/\r\n|\r|\n/);

const commentLines = (comments: readonly Comment[]): Doc[] =>
  comments.flatMap((comment) => {
    const written = lines(comment).flatMap((each) => [text(`//${each.trimEnd()}`), hardLine]);
    return comment.apart === true ? [hardLine, ...written] : written;
  });

/** Own lines before a node, each ended. The line must already be begun. */
export const before = (comments: Comments | undefined): readonly Doc[] =>
  comments?.before === undefined ? [] : commentLines(comments.before);

/** Behind a node; what follows must begin with a line of the same group. */
export const after = (comments: Comments | undefined): readonly Doc[] =>
  comments?.after === undefined
    ? []
    : [{ ...text(` //${lines(comments.after).join(" ").trimEnd()}`), hard: true }];

/** Own lines before a closing bracket, each begun rather than ended. */
export const inside = (comments: Comments | undefined): readonly Doc[] =>
  comments?.inside === undefined
    ? []
    : comments.inside.flatMap((comment) => {
        const written = lines(comment).flatMap((each) => [hardLine, text(`//${each.trimEnd()}`)]);
        return comment.apart === true ? [hardLine, ...written] : written;
      });

/** A list on one line or one part per line, with the comments of each part. */
export const separated = <T extends Node>(parts: readonly T[], line: Doc, write: (part: T) => Doc): Doc => {
  const docs: Doc[] = [];
  for (const [index, part] of parts.entries()) {
    if (index > 0) docs.push(line);
    docs.push(...before(part.comments), write(part));
    if (index < parts.length - 1) docs.push(comma);
    docs.push(...after(part.comments));
  }
  return docs.length === 0 ? empty : all(docs);
};

const comma = text(",");
