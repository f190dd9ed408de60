import type { Comment, Comments, Node } from "../document.ts";

export const attachComments = <T extends Node>(
  node: T,
  before: readonly Comment[] | undefined,
  after: Comment | undefined,
): T => {
  if (before === undefined && after === undefined) return node;
  const first = [...(before ?? []), ...(node.comments?.before ?? [])];
  const comments: Comments = {
    ...node.comments,
    ...(first.length === 0 ? {} : { before: first }),
    ...(after === undefined ? {} : { after }),
  };
  return { ...node, comments };
};
