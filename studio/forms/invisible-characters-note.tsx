import { markUnseen, splitInvisible } from "../components/invisible-characters.ts";

const maxNamesShown = 8;

/** Browsers do not show these characters. */
export const InvisibleCharactersNote = ({ text }: { readonly text: string }) => {
  const names = [...new Set(splitInvisible(text).flatMap(({ name }) => name ?? []))];
  if (names.length === 0) return null;
  return (
    <p role="status" className="text-xs text-bad">
      This text contains invisible characters:{" "}
      {names.slice(0, maxNamesShown).map((name) => (
        <span key={name} className="unseen">
          {markUnseen(name)}
        </span>
      ))}
      {names.length > maxNamesShown && " and more"}. Type the text again to remove them.
    </p>
  );
};
