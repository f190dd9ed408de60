import { markUnseen, splitInvisible } from "../components/invisible-characters.ts";

const maxNamesShown = 8;

/** Browsers do not show them. */
export const InvisibleCharactersNote = ({ text }: { readonly text: string }) => {
  const names = [...new Set(splitInvisible(text).flatMap(({ name }) => name ?? []))];
  if (names.length === 0) return null;
  return (
    <p role="status" className="text-xs text-bad">
      Characters that cannot be seen are in this text:{" "}
      {names.slice(0, maxNamesShown).map((name) => (
        <span key={name} className="unseen">
          {markUnseen(name)}
        </span>
      ))}
      {names.length > maxNamesShown && " and more"}. Type it anew if you do not want them.
    </p>
  );
};
