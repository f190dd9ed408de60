import type { Comment, Comments, Node } from "../document.ts";
import { concat, type Doc, emptyDoc, hardLine, textDoc } from "./doc.ts";

/** A generated comment may contain line breaks. */
const lines = (comment: Comment): readonly string[] => comment.text.split(/\r\n|\r|\n/);

const commentLines = (comments: readonly Comment[]): Doc[] =>
  comments.flatMap((comment) => {
    const written = lines(comment).flatMap((each) => [textDoc(`//${each.trimEnd()}`), hardLine]);
    return comment.apart === true ? [hardLine, ...written] : written;
  });

/** Each line is terminated. */
export const commentsBefore = (comments: Comments | undefined): readonly Doc[] =>
  comments?.before === undefined ? [] : commentLines(comments.before);

/** Must be followed by a line of the same group. */
export const commentsAfter = (comments: Comments | undefined): readonly Doc[] =>
  comments?.after === undefined
    ? []
    : [{ ...textDoc(` //${lines(comments.after).join(" ").trimEnd()}`), hard: true }];

/** Each line starts with a line break. */
export const commentsInside = (comments: Comments | undefined): readonly Doc[] =>
  comments?.inside === undefined
    ? []
    : comments.inside.flatMap((comment) => {
        const written = lines(comment).flatMap((each) => [hardLine, textDoc(`//${each.trimEnd()}`)]);
        return comment.apart === true ? [hardLine, ...written] : written;
      });

export const separatedList = <T extends Node>(
  parts: readonly T[],
  line: Doc,
  write: (part: T) => Doc,
): Doc => {
  const docs: Doc[] = [];
  for (const [index, part] of parts.entries()) {
    if (index > 0) docs.push(line);
    docs.push(...commentsBefore(part.comments), write(part));
    if (index < parts.length - 1) docs.push(commaDoc);
    docs.push(...commentsAfter(part.comments));
  }
  return docs.length === 0 ? emptyDoc : concat(docs);
};

const commaDoc = textDoc(",");
