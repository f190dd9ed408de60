import { Modal } from "./modal.tsx";

const groups = [
  {
    name: "Everywhere",
    keys: [
      ["Ctrl K", "go to a page, a tool, or a call or run by its id"],
      ["?", "this list"],
      ["Tab", "the next thing that can be used"],
      ["Esc", "close what lies above the page"],
    ],
  },
  {
    name: "Tables",
    keys: [
      ["↑ ↓", "the row before, the row behind"],
      ["PgUp PgDn", "a screenful back, a screenful further"],
      ["Home End", "the first row, the last row"],
      ["Enter", "open the row"],
    ],
  },
  {
    name: "Approvals",
    keys: [
      ["j k", "the next question, the one before"],
      ["a", "allow"],
      ["d", "deny, with a reason"],
      ["e", "edit the arguments"],
    ],
  },
  {
    name: "Arguments and results",
    keys: [["← →", "fold and unfold a part of JSON"]],
  },
  {
    name: "Chats",
    keys: [
      ["Enter", "send"],
      ["Shift Enter", "a new line"],
    ],
  },
] as const;

export const Keys = ({ onClose }: { readonly onClose: () => void }) => (
  <Modal label="Keys" onClose={onClose} className="w-[34rem] max-w-[calc(100vw-2rem)]">
    <div className="flex items-center justify-between border-b border-line px-4 py-2">
      <h2>Keys</h2>
      <button type="button" className="button button-quiet" onClick={onClose}>
        Close
      </button>
    </div>
    <div className="flex flex-col gap-4 p-4">
      {groups.map(({ name, keys }) => (
        <section key={name} aria-label={name}>
          <h3 className="label mb-1">{name}</h3>
          <dl className="grid grid-cols-[6.5rem_minmax(0,1fr)] gap-x-4 gap-y-1">
            {keys.map(([key, what]) => (
              <div key={key} className="contents">
                <dt>
                  <kbd className="whitespace-nowrap">{key}</kbd>
                </dt>
                <dd className="text-soft">{what}</dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </div>
  </Modal>
);
