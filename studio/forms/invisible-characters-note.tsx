import { markUnseen, splitUnseen } from "../components/unseen.ts";

const mostNames = 8;

/** What is in a field and cannot be seen there, by name: a field shows text as a browser does. */
export const UnseenNote = ({ text }: { readonly text: string }) => {
  const names = [...new Set(splitUnseen(text).flatMap(({ name }) => name ?? []))];
  if (names.length === 0) return null;
  return (
    <p role="status" className="text-xs text-bad">
      Characters that cannot be seen are in this text:{" "}
      {names.slice(0, mostNames).map((name) => (
        <span key={name} className="unseen">
          {markUnseen(name)}
        </span>
      ))}
      {names.length > mostNames && " and more"}. Type it anew if you do not want them.
    </p>
  );
};
