export interface ListLink<Item> {
  before: Item | undefined;
  after: Item | undefined;
  linked: boolean;
}

/** A queue that removes any item in constant time. */
export class LinkedList<Item extends ListLink<Item>> {
  first: Item | undefined = undefined;
  last: Item | undefined = undefined;
  size = 0;

  push(item: Item): void {
    item.before = this.last;
    if (this.last === undefined) this.first = item;
    else this.last.after = item;
    this.last = item;
    item.linked = true;
    this.size++;
  }

  shift(): Item | undefined {
    const { first } = this;
    if (first !== undefined) this.remove(first);
    return first;
  }

  remove(item: Item): boolean {
    if (!item.linked) return false;
    if (item.before === undefined) this.first = item.after;
    else item.before.after = item.after;
    if (item.after === undefined) this.last = item.before;
    else item.after.before = item.before;
    item.before = undefined;
    item.after = undefined;
    item.linked = false;
    this.size--;
    return true;
  }
}
